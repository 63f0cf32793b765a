import { isModernVersion } from "../../contract/connection.js";
import { McpCodegenError } from "../../contract/errors.js";
import { findOwn, getOwn, isJsonObject, type JsonObject, type JsonValue } from "../../contract/json.js";
import type { RequestOptions, Session } from "../../transport/session.js";
import { rpcDataOf, rpcErrorOf } from "../fail-call.js";
import type { CallerOptions, ReadRequest } from "./caller.js";
import type { InputAsker } from "./input-asker.js";
import { waitUnlessAborted } from "./wait-unless-aborted.js";

/** The error code of revision 2025-11-25 for a call that requires visits of addresses first. */
const URL_ELICITATION_REQUIRED = -32042;
/** Milliseconds before a call is repeated for a server that asks nothing. */
const EMPTY_ROUND_PAUSE = 250;

/** A request whose answer may be questions. */
export interface Exchange {
  readonly method: ReadRequest["method"] | "tools/call";
  readonly params: JsonObject;
  readonly headers?: RequestOptions["headers"];
  readonly isTask?: boolean;
}

/** Returns the raw result of a request in a session, with its progress handed over and its questions answered. */
export async function exchange(
  session: Session,
  { method, params, headers, isTask = false }: Exchange,
  { signal, timeout, onProgress }: CallerOptions,
  asker: InputAsker,
): Promise<JsonObject> {
  const options: RequestOptions = {
    ...(headers && { headers }),
    ...(signal && { signal }),
    ...(timeout !== undefined && { timeout }),
    onRequest: asker,
  };
  const watch = onProgress && session.watchProgress(onProgress);
  const send = async (more: JsonObject): Promise<JsonObject> => {
    const all = { ...params, ...(watch && { _meta: { progressToken: watch.token } }), ...more };
    // Since revision 2026-07-28 the server decides about that, and answers with a task.
    if (!isTask || isModernVersion(session.identity.protocolVersion))
      return session.request(method, all, options);
    const { callAsTask } = await import("./call-as-task.js");
    return callAsTask(session, all, options);
  };
  try {
    const result = await sendUntilComplete(session, send, asker, options);
    if (getOwn(result, "resultType") !== "task") return result;
    if (method !== "tools/call")
      throw new McpCodegenError("PROTOCOL_INVALID", `The server answers ${method} with a task.`);
    const { followTask } = await import("./follow-task.js");
    return await followTask(session, result, { ...options, asker });
  } catch (error) {
    if (signal?.aborted === true || !(error instanceof McpCodegenError)) throw error;
    throw asker.explainFailure(error) ?? error;
  } finally {
    watch?.release();
  }
}

/** Sends a request, and again with the answers while the server asks. */
async function sendUntilComplete(
  session: Session,
  send: (more: JsonObject) => Promise<JsonObject>,
  asker: InputAsker,
  { signal }: RequestOptions,
): Promise<JsonObject> {
  let more: JsonObject = {};
  for (;;) {
    let result: JsonObject;
    try {
      result = await send(more);
    } catch (error) {
      const elicitations = elicitationsOf(error);
      if (elicitations === undefined || !(error instanceof Error)) throw error;
      await asker.visitAll(elicitations, error, signal);
      continue;
    }
    if (getOwn(result, "resultType") !== "input_required") return result;
    const { protocolVersion } = session.identity;
    if (!isModernVersion(protocolVersion)) {
      const message = `The server requires input in a form that protocol version ${protocolVersion} does not have.`;
      throw new McpCodegenError("PROTOCOL_INVALID", message);
    }
    const requests = getOwn(result, "inputRequests");
    const requestState = getOwn(result, "requestState");
    const hasRequests = isJsonObject(requests) && Object.keys(requests).length > 0;
    if (!hasRequests && requestState === undefined)
      throw new McpCodegenError("PROTOCOL_INVALID", "The server requires input without a question.");
    if (!hasRequests) {
      asker.beginEmptyRound();
      await pause(signal);
    }
    more = {
      ...(hasRequests && { inputResponses: await asker.answerAll(requests, signal) }),
      ...(requestState !== undefined && { requestState }),
    };
  }
}

async function pause(signal: RequestOptions["signal"]): Promise<void> {
  const passed = new Promise<void>((resolve) => {
    setTimeout(resolve, EMPTY_ROUND_PAUSE);
  });
  await waitUnlessAborted(passed, signal);
}

/** Returns the addresses that an error of our session or of an SDK requires to be visited; undefined for another. */
export function elicitationsOf(error: unknown): readonly JsonValue[] | undefined {
  if (rpcErrorOf(error)?.code !== URL_ELICITATION_REQUIRED) return undefined;
  const elicitations = findOwn(rpcDataOf(error), "elicitations");
  return Array.isArray(elicitations) ? elicitations : undefined;
}

import { isModernVersion } from "../../core/connection.js";
import { omitUndefined } from "../../core/collections.js";
import { McpCodegenError } from "../../core/errors.js";
import { findOwn, getOwn, isJsonObject, type JsonObject, type JsonValue } from "../../core/json.js";
import { findHeaderFault, parameterHeaders } from "../../core/parameter-headers.js";
import type { RawRequestOptions, Session } from "../../client/session.js";
import { rpcDataOf, rpcErrorOf } from "../fail-call.js";
import { type CallerOptions, type CallerRequest, sleep } from "./caller.js";
import type { InputAsker } from "./input-asker.js";

/** The error code of revision 2025-11-25 for a call that requires visits of addresses first. */
const URL_ELICITATION_REQUIRED = -32042;
/** Milliseconds before a call is repeated for a server that requires input without a question. */
const EMPTY_ROUND_PAUSE = 250;

/**
 * Sends a request in a session, and again with the answers while the server asks questions. Reports progress, and follows a
 * task to its end.
 *
 * @returns the raw result
 */
export async function exchange(
  session: Session,
  request: CallerRequest,
  { signal, timeout, limitedBy, onProgress }: CallerOptions,
  asker: InputAsker,
): Promise<JsonObject> {
  const { method } = request;
  const options: RawRequestOptions = {
    headers: headersOf(session, request),
    signal,
    timeout,
    limitedBy,
    onRequest: asker,
  };
  const watch = onProgress && session.watchProgress(onProgress);
  const { params } = request;
  const sent = watch === undefined ? params : { ...params, _meta: { progressToken: watch.token } };
  // Since revision 2026-07-28, the server decides whether a call is a task, and answers with it.
  const isTask = request.isTask === true && !isModernVersion(session.identity.protocolVersion);
  let answers: JsonObject = {};
  try {
    for (;;) {
      const all = { ...sent, ...answers };
      let result: JsonObject;
      try {
        if (isTask) result = await (await import("./tasks.js")).callAsTask(session, all, options);
        else result = await session.request(method, all, options);
      } catch (error) {
        const elicitations = elicitationsOf(error);
        if (elicitations === undefined || !(error instanceof Error)) throw error;
        await asker.visitAll(elicitations, error, signal);
        continue;
      }
      const type = getOwn(result, "resultType");
      if (type === "input_required") {
        answers = await answerRound(session, result, asker, signal);
        continue;
      }
      if (type === "task" && method !== "tools/call")
        throw new McpCodegenError("PROTOCOL_INVALID", `The server answers ${method} with a task.`);
      const last =
        type === "task"
          ? await (await import("./tasks.js")).followTask(session, result, { ...options, asker })
          : result;
      const isFailed = method === "tools/call" && getOwn(last, "isError") === true;
      const failure = isFailed ? asker.explainFailure(last) : undefined;
      if (failure !== undefined) throw failure;
      return last;
    }
  } catch (error) {
    if (signal?.aborted === true || !(error instanceof McpCodegenError)) throw error;
    throw asker.explainFailure(error) ?? error;
  } finally {
    watch?.release();
  }
}

/**
 * Returns the arguments that a call carries in HTTP headers.
 *
 * @throws McpCodegenError `SCHEMA_INVALID` when the schema marks them against the specification
 */
function headersOf(session: Session, { params, inputSchema }: CallerRequest): RawRequestOptions["headers"] {
  const schema = session.hasParameterHeaders ? inputSchema?.() : undefined;
  if (!isJsonObject(schema)) return undefined;
  const fault = findHeaderFault(schema);
  if (fault !== undefined) throw new McpCodegenError("SCHEMA_INVALID", fault.message);
  const given = getOwn(params, "arguments");
  return parameterHeaders(schema, isJsonObject(given) ? given : {});
}

/** Answers an `input_required` result. Returns the parameters to add to the request. */
async function answerRound(
  session: Session,
  result: JsonObject,
  asker: InputAsker,
  signal: CallerOptions["signal"],
): Promise<JsonObject> {
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
    await sleep(EMPTY_ROUND_PAUSE, signal);
  }
  const inputResponses = hasRequests ? await asker.answerAll(requests, signal) : undefined;
  return omitUndefined({ inputResponses, requestState });
}

/** Returns the addresses that an error of our session or of an SDK requires to be visited; undefined for another. */
export function elicitationsOf(error: unknown): readonly JsonValue[] | undefined {
  if (rpcErrorOf(error)?.code !== URL_ELICITATION_REQUIRED) return undefined;
  const elicitations = findOwn(rpcDataOf(error), "elicitations");
  return Array.isArray(elicitations) ? elicitations : undefined;
}

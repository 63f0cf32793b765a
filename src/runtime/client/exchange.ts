import { isModernVersion } from "../../core/connection.js";
import { omitUndefined } from "../../core/collections.js";
import { McpCodegenError } from "../../core/errors.js";
import { findOwn, getOwn, isJsonObject, type JsonObject, type JsonValue } from "../../core/json.js";
import type { RawRequestOptions, Session } from "../../client/session.js";
import { rpcDataOf, rpcErrorOf } from "../fail-call.js";
import { type CallerOptions, type CallerRequest, sleep } from "./caller.js";
import type { InputAsker } from "./input-asker.js";

/** The error code of revision 2025-11-25 for a call that requires visits of addresses first. */
const URL_ELICITATION_REQUIRED = -32042;
/** Milliseconds before a call is repeated for a server that requires input without a question. */
const EMPTY_ROUND_PAUSE = 250;

/**
 * Sends a request in a session, and again with the answers while the server asks questions. Reports progress.
 *
 * @returns the raw result
 */
export async function exchange(
  session: Session,
  request: CallerRequest,
  { signal, timeout, limitedBy, onProgress }: CallerOptions,
  asker: InputAsker,
): Promise<JsonObject> {
  const { method, params } = request;
  const options: RawRequestOptions = {
    signal,
    timeout,
    limitedBy,
    onRequest: asker,
  };
  const watch = onProgress && session.watchProgress(onProgress);
  const sent = watch === undefined ? params : { ...params, _meta: { progressToken: watch.token } };
  let answers: JsonObject = {};
  try {
    for (;;) {
      const all = { ...sent, ...answers };
      let result: JsonObject;
      try {
        result = await session.request(method, all, options);
      } catch (error) {
        const elicitations = elicitationsOf(error);
        if (elicitations === undefined || !(error instanceof Error)) throw error;
        await asker.visitAll(elicitations, error, signal);
        continue;
      }
      if (getOwn(result, "resultType") === "input_required") {
        answers = await answerRound(session, result, asker, signal);
        continue;
      }
      const isFailed = method === "tools/call" && getOwn(result, "isError") === true;
      const failure = isFailed ? asker.explainFailure(result) : undefined;
      if (failure !== undefined) throw failure;
      return result;
    }
  } catch (error) {
    if (signal?.aborted === true || !(error instanceof McpCodegenError)) throw error;
    throw asker.explainFailure(error) ?? error;
  } finally {
    watch?.release();
  }
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

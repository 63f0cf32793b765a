import { Buffer } from "node:buffer";
import { omitUndefined } from "../../core/collections.js";
import { sha256 } from "../../core/digest.js";
import { canonicalJson, isJsonObject, type JsonObject, type JsonValue } from "../../core/json.js";
import { DEEPEST_LOCKABLE, formatLimit, measureDepth } from "../../core/limits.js";
import { isOfClient, rpcDataOf, rpcErrorOf } from "../fail-call.js";
import type { CassetteUse, CassetteRequest } from "../cassette-use.js";
import { RpcError } from "../../client/server-errors.js";
import { AnswerCursor, AnswerSequence, type SequenceEntry } from "./answer-sequence.js";
import { keyOf, type CassetteAnswer, type CassetteCall } from "./cassette-file.js";
import { openCassetteFolder, type CassetteFolder } from "./cassette-folder.js";
import { findRecordedCalls, notRecorded } from "./find-call.js";
import { redactArguments, redactCall, type RedactionRules } from "./redact.js";

export { learnAnswer } from "./learn-answer.js";

/** The most bytes of one recorded answer. */
const LARGEST_ANSWER = 1024 * 1024;

/**
 * Answers a call from a cassette, or makes it with `send` and records it, depending on the mode.
 *
 * @returns the raw result
 * @throws McpCodegenError `CALL_NOT_RECORDED` for a call that may not be made, `CASSETTE_INVALID`, `CASSETTE_NEWER` and
 *   `FILE_FAILED` before anything is sent; the errors of `send`; the recorded error. A call that was made but cannot be
 *   recorded is reported to `request.refuse`.
 */
export async function callWithCassette(
  { folder: name, mode }: CassetteUse,
  request: CassetteRequest,
  send: () => Promise<unknown>,
): Promise<unknown> {
  const folder = openCassetteFolder(name);
  const args = redactArguments(request.arguments, rulesOf(request));
  const calls = await folder.read(request);
  const address = addressOf(folder, request, args);
  const state = stateOf(request.scope, address);
  // A call that this connection has recorded is made again: the answer may have changed.
  if (mode === "replay" || (mode !== "all" && state.sequence === undefined)) {
    const found = findRecordedCalls(calls, args);
    const next = found && !isOther(folder, request, args) ? state.cursor.next(found) : undefined;
    if (next !== undefined) return replay(request, next);
    const isAllowed = mode === "new" || (mode === "once" && (await folder.isNew()));
    if (!isAllowed) throw notRecorded(folder.name, request, { calls, args });
  }
  const sequence = (state.sequence ??= new AnswerSequence(recorders.has(address)));
  const entry = sequence.begin();
  const start = request.clock();
  const finish = async (answer: CassetteAnswer): Promise<void> => {
    // The clock may have been set back.
    const duration = Math.max(0, Math.round(request.clock() - start));
    const place = { sequence, entry, keepsOthers: mode !== "all" };
    const refusal = await record(folder, request, { answer, duration, place });
    if (refusal !== undefined) {
      sequence.drop(entry);
      request.refuse(refusal);
      return;
    }
    const { count } = sequence;
    request.report("recorded", count > 1 ? { answer: count } : undefined);
    const isOfOther = recorders.has(address) && recorders.get(address) !== state;
    recorders.set(address, state);
    if (isOfOther && sequence.hasReplaced) request.warn(REPLACED);
  };
  let result: unknown;
  try {
    result = await send();
  } catch (error) {
    const answer = errorAnswer(error);
    if (answer === undefined) sequence.drop(entry);
    else await finish(answer);
    throw error;
  }
  // Another value is not an answer: the call fails.
  if (isJsonObject(result)) await finish({ result });
  else sequence.drop(entry);
  return result;
}

/** The answers to equal calls of one connection. */
interface CallState {
  readonly cursor: AnswerCursor;
  /** The answers that the connection has recorded; absent while it replays. */
  sequence?: AnswerSequence;
}

/** The states of calls, by connection and address. */
const states = new WeakMap<object, Map<string, CallState>>();
/** The connection that recorded a call last in this process, by address. */
const recorders = new Map<string, CallState>();

function stateOf(scope: object, address: string): CallState {
  const own = states.get(scope) ?? new Map<string, CallState>();
  states.set(scope, own);
  const state = own.get(address) ?? { cursor: new AnswerCursor() };
  own.set(address, state);
  return state;
}

const REPLACED =
  "Recorded answers are replaced: an earlier connection of this program got other answers to the same call. Give each its own cassette.";

function rulesOf({ settings, scrub }: CassetteRequest): RedactionRules {
  return { ...settings, scrub };
}

function replay(request: CassetteRequest, call: CassetteCall): JsonObject {
  request.report("replayed");
  if ("result" in call) return call.result;
  throw new RpcError(request.method, call.error);
}

/** Returns the answer in an error of JSON-RPC; undefined for a failure that is not an answer of the server. */
function errorAnswer(error: unknown): CassetteAnswer | undefined {
  const rpc = rpcErrorOf(error);
  if (rpc === undefined || isOfClient(rpc, error)) return undefined;
  const data = rpcDataOf(error) as JsonValue | undefined;
  return { error: omitUndefined({ code: rpc.code, message: rpc.message, data }) };
}

interface Recording {
  readonly answer: CassetteAnswer;
  readonly duration: number;
  readonly place: {
    readonly sequence: AnswerSequence;
    readonly entry: SequenceEntry;
    /** Whether a call that was recorded meanwhile stays. */
    readonly keepsOthers: boolean;
  };
}

/** Records a call. Returns the reason if it is not recorded. */
async function record(
  folder: CassetteFolder,
  request: CassetteRequest,
  { answer, duration, place }: Recording,
): Promise<string | undefined> {
  try {
    const call = { arguments: request.arguments, answer };
    if (measureDepth([call.arguments, dataOf(answer)], DEEPEST_LOCKABLE) > DEEPEST_LOCKABLE)
      return `it is nested over ${DEEPEST_LOCKABLE} levels deep`;
    const size = Buffer.byteLength(JSON.stringify(call));
    if (size > LARGEST_ANSWER)
      return `arguments and answer have ${formatLimit(size)}, and the limit is ${formatLimit(LARGEST_ANSWER)}`;
    const redacted = redactCall(call, rulesOf(request));
    if (isOther(folder, request, redacted.arguments))
      return `it differs from a recorded call only in redacted values; if they are not secrets, set servers.${request.server}.record.keep`;
    remember(folder, request, redacted.arguments);
    const { sequence, entry, keepsOthers } = place;
    sequence.end(entry, { arguments: redacted.arguments, ...redacted.answer, duration });
    await folder.record(request, { key: keyOf(redacted), sequence, keepsOthers });
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function dataOf(answer: CassetteAnswer): JsonValue {
  return "result" in answer ? answer.result : (answer.error.data ?? null);
}

/** The digest of the original arguments of a call of this process, by the address of the redacted call. */
const originals = new Map<string, string>();

function addressOf(
  folder: CassetteFolder,
  { server, kind, tool }: CassetteRequest,
  args: JsonObject,
): string {
  return sha256(canonicalJson([folder.name, server, kind ?? "tool", tool, args]));
}

function remember(folder: CassetteFolder, request: CassetteRequest, args: JsonObject): void {
  const original = canonicalJson(request.arguments);
  if (original !== canonicalJson(args)) originals.set(addressOf(folder, request, args), sha256(original));
}

/** Whether the recorded call with these arguments was made by this process, with other secrets. */
function isOther(folder: CassetteFolder, request: CassetteRequest, args: JsonObject): boolean {
  const original = originals.get(addressOf(folder, request, args));
  return original !== undefined && original !== sha256(canonicalJson(request.arguments));
}

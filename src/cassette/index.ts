import { Buffer } from "node:buffer";
import { sha256 } from "../contract/digest.js";
import { canonicalJson } from "../contract/canonical-json.js";
import { McpCodegenError } from "../contract/errors.js";
import { isJsonObject, type JsonObject, type JsonValue } from "../contract/json.js";
import { DEEPEST_LOCKABLE, formatLimit, measureDepth } from "../contract/limits.js";
import { oneLine } from "../contract/one-line.js";
import { isOfClient, rpcDataOf, rpcErrorOf } from "../runtime/fail-call.js";
import type { CassetteUse, CassetteRequest } from "../runtime/cassette-use.js";
import { RpcError } from "../transport/server-errors.js";
import { AnswerCursor, AnswerSequence, type SequenceEntry } from "./answer-sequence.js";
import { keyOf, type CassetteAnswer, type CassetteCall } from "./cassette-file.js";
import { openCassetteFolder, type CassetteFolder, type RecordedCalls } from "./cassette-folder.js";
import { findCalls, findNearest } from "./find-call.js";
import { redactArguments, redactCall, type RedactionRules } from "./redact.js";

export { learnAnswer } from "./learn-answer.js";

/** The most bytes of one recorded answer. */
const LARGEST_ANSWER = 1024 * 1024;

/**
 * Answers a call from a cassette, or makes it with `send` and records it, as the mode says.
 *
 * @returns the raw result
 * @throws McpCodegenError `CALL_NOT_RECORDED` for a call that may not be made, `CASSETTE_INVALID`, `CASSETTE_NEWER` and
 *   `FILE_FAILED` before anything is sent; what `send` throws; the recorded error. A call that was made and cannot be
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
    const found = findCalls(calls, args);
    const next = found && !isOther(folder, request, args) ? state.cursor.next(found) : undefined;
    if (next !== undefined) return replay(request, next);
    const isAllowed = mode === "new" || (mode === "once" && (await folder.isNew()));
    if (!isAllowed) throw notRecorded(folder, request, { calls, args });
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
  /** What the connection has recorded; absent while it replays. */
  sequence?: AnswerSequence;
}

/** By connection, the states of its calls by address. */
const states = new WeakMap<object, Map<string, CallState>>();
/** By address, the connection of this process that has recorded the call last. */
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

/** The answer in an error of JSON-RPC; undefined for a failure that is not an answer of the server. */
function errorAnswer(error: unknown): CassetteAnswer | undefined {
  const rpc = rpcErrorOf(error);
  if (rpc === undefined || isOfClient(rpc, error)) return undefined;
  const data = rpcDataOf(error) as JsonValue | undefined;
  return { error: { code: rpc.code, message: rpc.message, ...(data !== undefined && { data }) } };
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
    const { server, kind, tool, contract } = request;
    const { sequence, entry, keepsOthers } = place;
    sequence.end(entry, { arguments: redacted.arguments, ...redacted.answer, duration });
    await folder.record(
      { server, kind, tool, ...(contract !== undefined && { contract }) },
      { key: keyOf(redacted), sequence, keepsOthers },
    );
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function dataOf(answer: CassetteAnswer): JsonValue {
  return "result" in answer ? answer.result : (answer.error.data ?? null);
}

/** By a call without its secrets, the digest of the arguments that it was made with in this process. */
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

/** Whether this process made the call that is recorded under these arguments with other secrets. */
function isOther(folder: CassetteFolder, request: CassetteRequest, args: JsonObject): boolean {
  const original = originals.get(addressOf(folder, request, args));
  return original !== undefined && original !== sha256(canonicalJson(request.arguments));
}

/** The longest that arguments are shown, in characters. */
const LONGEST = 200;
const MOST_POINTERS = 5;

function notRecorded(
  folder: CassetteFolder,
  { server, kind, tool }: CassetteRequest,
  { calls, args }: { readonly calls: RecordedCalls; readonly args: JsonObject },
): McpCodegenError {
  const noun = kind === undefined ? "Tool" : kind === "prompt" ? "Prompt" : "Resource";
  const what = `${noun} ${JSON.stringify(tool)} of server ${JSON.stringify(server)}`;
  const where = `cassette ${JSON.stringify(folder.name)}`;
  const hint = `Pass mode: "new" and run once with the server, or set MCP_CODEGEN_RECORD=${folder.name}.`;
  const nearest = findNearest(calls, args);
  if (nearest === undefined)
    return new McpCodegenError("CALL_NOT_RECORDED", `${what} has no calls in ${where}.`, { hint });
  const [shown, recorded] = [args, nearest.call.arguments].map((one) => oneLine(canonicalJson(one), LONGEST));
  const count = calls.size === 1 ? "The recorded call" : `The nearest of ${calls.size} recorded calls`;
  const { pointers } = nearest;
  const more = pointers.length > MOST_POINTERS ? ` and ${pointers.length - MOST_POINTERS} more` : "";
  const differs =
    pointers.length === 0
      ? "differs only in redacted values"
      : `differs at ${pointers
          .slice(0, MOST_POINTERS)
          .map((pointer) => oneLine(pointer === "" ? "/" : pointer, LONGEST))
          .join(", ")}${more}`;
  return new McpCodegenError(
    "CALL_NOT_RECORDED",
    `${what} was ${kind === undefined ? "called" : "requested"} with ${shown}, which is not in ${where}. ${count}, ${recorded}, ${differs}.`,
    { hint },
  );
}

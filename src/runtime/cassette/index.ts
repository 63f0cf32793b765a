import { messageOf } from "../../core/errors.js";
import { Buffer } from "node:buffer";
import { join, resolve } from "node:path";
import { RpcError } from "../../client/server-errors.js";
import { omitUndefined } from "../../core/collections.js";
import { sha256 } from "../../core/digest.js";
import { canonicalJson, getOwn, isJsonObject, type JsonObject, type JsonValue } from "../../core/json.js";
import type { RecordSettings } from "../../core/connection-settings.js";
import { DEEPEST_LOCKABLE, formatLimit, measureDepth } from "../../core/limits.js";
import { LOCKFILE_NAME } from "../../core/lockfile.js";
import { OBSERVED_NAME, OBSERVED_VERSION } from "../../core/observed.js";
import { readLockfile, readObserved, writeObserved } from "../../files/project-records.js";
import { withFileLock } from "../../files/file-lock.js";
import { observe } from "../../schema/infer/observe.js";
import type { CassetteRequest, CassetteUse } from "../request.js";
import { REQUESTS, systemClock, warn } from "../events.js";
import { isOfClient, nounOf, rpcDataOf, rpcErrorOf } from "../fail-call.js";
import {
  AnswerSequence,
  type CassetteAnswer,
  type CassetteCall,
  type CassetteTool,
  createCursor,
  keyOf,
} from "./cassette-file.js";
import { openCassetteFolder, writeTogether } from "./cassette-folder.js";
import { findRecordedCalls, notRecorded } from "./find-call.js";
import { redactCall, type RedactionRules } from "./redact.js";

export { fileNameOf } from "./cassette-folder.js";

const LARGEST_ANSWER = 1024 * 1024;

/**
 * Answers a call from a cassette, or makes it with `send` and records it, depending on the mode.
 *
 * @returns the raw result
 * @throws McpCodegenError `CALL_NOT_RECORDED` for a call that may not be made, `CASSETTE_INVALID`, `CASSETTE_NEWER` and
 *   `FILE_FAILED` before anything is sent; the errors of `send`; the recorded error. A call that was made but cannot be
 *   recorded is a warning.
 */
export async function callWithCassette(
  { folder: name, mode }: CassetteUse,
  { definition, arguments: args, scope, options, scrub, report }: CassetteRequest,
  send: () => Promise<unknown>,
): Promise<unknown> {
  const { signal, onWarning } = options;
  if (signal?.aborted === true) throw new Error("The call was aborted.", { cause: signal.reason });
  const { kind, name: tool, server } = definition;
  const { event, method } = REQUESTS[kind ?? "tool"];
  const subject = { server: server.name, kind, tool, contract: server.contract };
  const call = await findCall(name, { ...subject, arguments: args, ...server.record, scrub }, scope);
  const { state, address } = call;
  // A call that this connection has recorded is made again: the answer may have changed.
  if (mode === "replay" || (mode !== "all" && state.sequence === undefined)) {
    const next = call.next();
    if (next !== undefined) {
      report(`${event}.replayed`, {});
      return resultOf(next, method);
    }
    const isAllowed = mode === "new" || (mode === "once" && (await call.folder.isNew()));
    if (!isAllowed) throw notRecorded(name, subject, call);
  }
  const sequence = (state.sequence ??= new AnswerSequence(recorders.has(address)));
  const entry = sequence.begin();
  const keepsOthers = mode !== "all";
  const start = systemClock();
  const finish = async (answer: CassetteAnswer): Promise<void> => {
    // The clock may have been set back.
    const duration = Math.max(0, Math.round(systemClock() - start));
    const reason = await call.record({ arguments: args, ...answer, duration }, async (redacted) => {
      sequence.end(entry, redacted);
      await call.folder.record({ tool: subject, key: keyOf(redacted), sequence, keepsOthers });
    });
    if (reason !== undefined) {
      sequence.drop(entry);
      report(`${event}.not_recorded`, { reason });
      warn(`A call of ${nounOf(definition)} is not recorded: ${reason}.`, onWarning);
      return;
    }
    const { count } = sequence;
    report(`${event}.recorded`, count > 1 ? { answer: count } : {});
    const isOfOther = recorders.has(address) && recorders.get(address) !== state;
    recorders.set(address, state);
    if (isOfOther && sequence.hasReplaced) warn(`${REPLACED} (${nounOf(definition)})`, onWarning);
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

/**
 * Returns the recorded raw result of a call, or undefined if nothing was recorded.
 *
 * @param scope identifies the caller: it gets the answers to equal calls in their order
 * @throws RpcError a recorded error; McpCodegenError `CASSETTE_INVALID`, `CASSETTE_NEWER` and `FILE_FAILED`
 */
export async function replayCall(
  folder: string,
  call: CassetteTool & { readonly arguments: JsonObject; readonly record?: RecordSettings | undefined },
  scope: object,
): Promise<JsonObject | undefined> {
  const recorded = await findCall(folder, { ...call, ...call.record, scrub: (text) => text }, scope);
  const next = recorded.next();
  return next && resultOf(next, REQUESTS[call.kind ?? "tool"].method);
}

interface CallState {
  /** Returns the next of the recorded answers. */
  readonly cursor: ReturnType<typeof createCursor>;
  /** The answers that the connection has recorded; absent while it replays. */
  sequence?: AnswerSequence;
}

/** The states of calls, by connection and address. */
const states = new WeakMap<object, Map<string, CallState>>();
/** The connection that recorded a call last in this process, by address. */
const recorders = new Map<string, CallState>();
/** The digest of the original arguments of a call of this process, by the address of the redacted call. */
const originals = new Map<string, string>();

const REPLACED =
  "Recorded answers are replaced: an earlier connection of this program got other answers to the same call. Give each its own cassette.";

/** Finds what a cassette has of a call. */
async function findCall(
  name: string,
  call: CassetteTool & RedactionRules & { readonly arguments: JsonObject },
  scope: object,
) {
  const folder = openCassetteFolder(name);
  const calls = await folder.read(call);
  const { arguments: args } = redactCall({ arguments: call.arguments }, call);
  const addressOf = (redacted: JsonObject): string =>
    sha256(canonicalJson([folder.path, call.server, call.kind ?? "tool", call.tool, redacted]));
  const address = addressOf(args);
  const ofScope = states.get(scope) ?? new Map<string, CallState>();
  states.set(scope, ofScope);
  const state = ofScope.get(address) ?? { cursor: createCursor() };
  ofScope.set(address, state);
  const original = canonicalJson(call.arguments);
  /** Whether the recorded call with these arguments was made by this process, with other secrets. */
  const isOther = (redacted: JsonObject): boolean =>
    (originals.get(addressOf(redacted)) ?? sha256(original)) !== sha256(original);
  return {
    folder,
    calls,
    args,
    address,
    state,
    next: (): CassetteCall | undefined => {
      const recorded = findRecordedCalls(calls, args);
      return recorded && !isOther(args) ? state.cursor(recorded) : undefined;
    },
    /** Passes the answered call to `write`, without secrets. Returns the reason if it is not recorded. */
    record: async (
      answered: CassetteCall,
      write: (redacted: CassetteCall) => Promise<void>,
    ): Promise<string | undefined> => {
      try {
        if (measureDepth(answered, DEEPEST_LOCKABLE) > DEEPEST_LOCKABLE)
          return `it is nested over ${DEEPEST_LOCKABLE} levels deep`;
        const size = Buffer.byteLength(JSON.stringify(answered));
        if (size > LARGEST_ANSWER)
          return `arguments and answer have ${formatLimit(size)}, and the limit is ${formatLimit(LARGEST_ANSWER)}`;
        const redacted = redactCall(answered, call);
        if (isOther(redacted.arguments))
          return `it differs from a recorded call only in redacted values; if they are not secrets, set servers.${call.server}.record.keep`;
        if (original !== canonicalJson(redacted.arguments))
          originals.set(addressOf(redacted.arguments), sha256(original));
        await write(redacted);
        return undefined;
      } catch (error) {
        return messageOf(error).replace(/\.$/, "");
      }
    },
  };
}

function resultOf(call: CassetteCall, method: string): JsonObject {
  if ("result" in call) return call.result;
  throw new RpcError(method, call.error);
}

/** Returns the answer in an error of JSON-RPC; undefined for a failure that is not an answer of the server. */
function errorAnswer(error: unknown): CassetteAnswer | undefined {
  const rpc = rpcErrorOf(error);
  if (rpc === undefined || isOfClient(rpc, error)) return undefined;
  const data = rpcDataOf(error) as JsonValue | undefined;
  return { error: omitUndefined({ code: rpc.code, message: rpc.message, data }) };
}

interface AnsweredTool {
  readonly server: string;
  readonly tool: string;
  /** The version of the contract that the caller was generated from. */
  readonly contract: string | undefined;
}

interface Answer extends AnsweredTool {
  readonly result: JsonObject;
}

const learners = new Map<string, (answer: Answer) => Promise<void>>();

/**
 * Adds the shape of an answer, without its values, to `mcp-codegen.observed.json` of a project. Ignores a tool that the lock
 * does not have in this version of the contract.
 *
 * @param folder the folder of the lock; a relative path is relative to the process
 * @throws McpCodegenError `LOCK_NOT_FOUND`, `LOCK_INVALID`, `OBSERVED_INVALID`, `FILE_FAILED`
 */
export async function learnAnswer(folder: string, tool: AnsweredTool, result: unknown): Promise<void> {
  const path = resolve(folder);
  const learnOne = learners.get(path) ?? createLearner(path);
  learners.set(path, learnOne);
  if (isJsonObject(result)) await learnOne({ ...tool, result });
}

function createLearner(folder: string): (answer: Answer) => Promise<void> {
  let digests: Promise<DigestOf> | undefined;
  return writeTogether(async (answers) => learnAll(folder, answers, await (digests ??= readDigests(folder))));
}

type DigestOf = (tool: AnsweredTool) => string | undefined;

async function readDigests(folder: string): Promise<DigestOf> {
  const { servers } = await readLockfile(join(folder, LOCKFILE_NAME));
  return ({ server, tool, contract }) => {
    const locked = getOwn(servers, server);
    const lockedTool = contract === locked?.contract ? getOwn(locked?.tools ?? {}, tool) : undefined;
    return lockedTool === undefined || getOwn(lockedTool.definition, "outputSchema") !== undefined
      ? undefined
      : lockedTool.digest;
  };
}

async function learnAll(folder: string, answers: readonly Answer[], digestOf: DigestOf): Promise<void> {
  const path = join(folder, OBSERVED_NAME);
  await withFileLock(join(folder, `.${OBSERVED_NAME}.lock`), async () => {
    const before = await readObserved(path);
    const servers = new Map(Object.entries(before.servers));
    for (const { result, ...tool } of answers) {
      const digest = digestOf(tool);
      if (digest === undefined) continue;
      const observed = servers.get(tool.server) ?? {};
      const widened = observe(digest, [result], getOwn(observed, tool.tool), "further");
      if (widened !== undefined) servers.set(tool.server, { ...observed, [tool.tool]: widened });
    }
    if (servers.size > 0)
      await writeObserved(path, { observedVersion: OBSERVED_VERSION, servers: Object.fromEntries(servers) });
  });
}

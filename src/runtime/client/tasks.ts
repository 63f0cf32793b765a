import { McpCodegenError } from "../../core/errors.js";
import { omitUndefined } from "../../core/collections.js";
import { getOwn, isJsonObject, type JsonObject, type JsonValue, objectOrEmpty } from "../../core/json.js";
import { excerpt, RpcError } from "../../client/server-errors.js";
import type { RawRequestOptions, RequestHandler, Session } from "../../client/session.js";
import { TimeLimit } from "../../client/abort-signal.js";
import { isSessionLost, isUnsent, sleep, waitUnlessAborted } from "./caller.js";
import type { InputAsker } from "./input-asker.js";

/** The most that `setTimeout` takes: a task has no limit unless the caller sets one. */
const NO_LIMIT: number = 2 ** 31 - 1;
const DEFAULT_INTERVAL = 1_000;
const SHORTEST_INTERVAL = 10;
const LONGEST_INTERVAL = 60_000;

/**
 * Calls a tool as a task (specification 2025-11-25, "Tasks"), polls the task until it has ended, and requests its result. A
 * `timeout` covers all of this.
 *
 * @throws McpCodegenError `SERVER_REFUSED` if the server cancels the task; errors of requests, and of `endTask`
 */
export async function callAsTask(
  session: Session,
  params: JsonObject,
  { signal, timeout, limitedBy, onRequest, headers }: RawRequestOptions,
): Promise<JsonObject> {
  let limit: TimeLimit | undefined;
  const options = { signal, onRequest: onRequest && withPause(onRequest, () => limit) };
  const created = await session.request("tools/call", { ...params, task: {} }, { ...options, headers });
  const task = getOwn(created, "task");
  if (!isJsonObject(task)) return created;
  return endTask(session, task, { signal, timeout, limitedBy }, (taskId, isOver, own) => {
    limit = own;
    // While input is required, the server asks for it during the request for the result.
    const settle = (): Promise<JsonObject> =>
      session.request("tasks/result", { taskId }, { ...options, timeout: NO_LIMIT });
    return poll(session, task, { taskId, isOver, options, interval: "pollInterval", settle });
  });
}

/** A task has a time limit of its own, which pauses while a question is open. */
function withPause(handler: RequestHandler, findLimit: () => TimeLimit | undefined): RequestHandler {
  return {
    owner: handler.owner,
    answer: async (request) => {
      const resume = findLimit()?.pause();
      try {
        return await handler.answer(request);
      } finally {
        resume?.();
      }
    },
  };
}

interface Polling {
  readonly taskId: string;
  readonly isOver: () => boolean;
  readonly options: RawRequestOptions;
  /** The key of the pause that the server suggests. */
  readonly interval: string;
  /** Returns the result of a task that does not work; undefined to ask for the task again. */
  readonly settle: (task: JsonObject, status: string) => Promise<JsonObject | undefined>;
}

async function poll(
  session: Session,
  created: JsonObject,
  { taskId, isOver, options, interval, settle }: Polling,
): Promise<JsonObject> {
  let task = created;
  while (!isOver()) {
    const status = STATUSES.find((known) => known === getOwn(task, "status"));
    if (status === undefined) throw invalidTask("gives a task a status that the protocol does not know");
    if (status === "cancelled") throw new McpCodegenError("SERVER_REFUSED", "The server cancelled the task.");
    const result = status === "working" ? undefined : await settle(task, status);
    if (result !== undefined) return result;
    if (status !== "completed") await pauseFor(getOwn(task, interval));
    if (isOver()) break;
    task = await session.request("tasks/get", { taskId }, options);
  }
  throw invalidTask("was left");
}

const STATUSES = ["working", "input_required", "completed", "failed", "cancelled"] as const;

/**
 * Returns the result of a call that the server answered with a task (extension `io.modelcontextprotocol/tasks`, SEP-2663):
 * polls the task until it has ended, and answers its questions. A `timeout` covers all of this, except while a question is
 * open.
 *
 * @param created the answer to the call
 * @throws McpCodegenError `SERVER_REFUSED` if the server cancels the task; RpcError for a task that failed; errors of
 *   `endTask` and of the asker
 */
export function followTask(
  session: Session,
  created: JsonObject,
  { asker, signal, timeout, limitedBy }: RawRequestOptions & { readonly asker: InputAsker },
): Promise<JsonObject> {
  return endTask(session, created, { signal, timeout, limitedBy }, (taskId, isOver, limit) => {
    const answered = new Set<string>();
    const settle: Polling["settle"] = async (task, status) => {
      if (status === "failed") throw taskError(session, task);
      if (status === "input_required") {
        const requests = Object.entries(objectOrEmpty(getOwn(task, "inputRequests")));
        // A server repeats its questions until it has read the answers.
        const open = requests.filter(([key]) => !answered.has(key));
        if (open.length === 0) return undefined;
        const resume = limit.pause();
        try {
          const inputResponses = await asker.answerAll(Object.fromEntries(open), signal);
          for (const [key] of open) answered.add(key);
          await session.request("tasks/update", { taskId, inputResponses }, { signal });
        } finally {
          resume();
        }
        return undefined;
      }
      const result = getOwn(task, "result");
      if (isJsonObject(result)) return result;
      // The first answer may lack the result. A request for the task returns it.
      if (task !== created) throw invalidTask("gives a completed task without a result");
      return undefined;
    };
    return poll(session, created, {
      taskId,
      isOver,
      options: { signal },
      interval: "pollIntervalMs",
      settle,
    });
  });
}

function taskError(session: Session, task: JsonObject): Error {
  const error = getOwn(task, "error");
  if (!isJsonObject(error)) return invalidTask("gives a failed task without an error");
  const [code, message, data] = ["code", "message", "data"].map((key) => getOwn(error, key));
  const text = typeof message === "string" ? excerpt(session.scrub(message)) : "no reason given";
  const details = { code: typeof code === "number" ? code : 0, message: text, data };
  return new RpcError("tools/call", omitUndefined(details));
}

interface TaskOptions {
  readonly signal: RawRequestOptions["signal"] | undefined;
  /** Milliseconds for the whole task. */
  readonly timeout?: number | undefined;
  readonly limitedBy: RawRequestOptions["limitedBy"];
}

/**
 * Follows a task to its end, within the time limit of its call. Cancels the task after that, or if the signal aborts.
 *
 * @param follow receives the task's ID, whether the task was given up meanwhile, and the time limit to pause
 * @throws McpCodegenError `SERVER_TIMEOUT`; `SERVER_UNREACHABLE` if the outcome of the task is unknown;
 *   `PROTOCOL_INVALID` for a task without an ID; errors of `follow`
 */
async function endTask(
  session: Session,
  task: JsonObject,
  { signal, timeout = NO_LIMIT, limitedBy = "timeouts.call" }: TaskOptions,
  follow: (taskId: string, isOver: () => boolean, limit: TimeLimit) => Promise<JsonObject>,
): Promise<JsonObject> {
  const taskId = getOwn(task, "taskId");
  if (typeof taskId !== "string") throw invalidTask("answers with a task that has no taskId");
  const release = session.hold();
  let stop: (error: McpCodegenError) => void = () => undefined;
  const late = new Promise<never>((_resolve, reject) => {
    stop = reject;
  });
  const limit = new TimeLimit(timeout, () => {
    const message = `The task did not end within ${timeout} ms.`;
    stop(new McpCodegenError("SERVER_TIMEOUT", message, { hint: `Raise ${limitedBy} if it needs longer.` }));
  });
  let isOver = false;
  try {
    const work = follow(taskId, () => isOver, limit);
    return await waitUnlessAborted(Promise.race([work, late]), signal);
  } catch (error) {
    const isGivenUp =
      signal?.aborted === true || (error instanceof McpCodegenError && error.code === "SERVER_TIMEOUT");
    if (isGivenUp)
      await session.request("tasks/cancel", { taskId }, { timeout: 1_000 }).catch(() => undefined);
    throw isSessionLost(error) || isUnsent(error) ? leftAlone(error) : error;
  } finally {
    isOver = true;
    limit.clear();
    release();
  }
}

/** Waits for the interval that a server suggests, in milliseconds, within limits. */
function pauseFor(suggested: JsonValue | undefined): Promise<void> {
  const interval = typeof suggested === "number" && suggested >= 0 ? suggested : DEFAULT_INTERVAL;
  return sleep(Math.min(Math.max(interval, SHORTEST_INTERVAL), LONGEST_INTERVAL));
}

function invalidTask(what: string): McpCodegenError {
  return new McpCodegenError("PROTOCOL_INVALID", `The server ${what}.`);
}

/** The task may run although a request about it was not sent, so it must not be started again. */
function leftAlone(error: unknown): McpCodegenError {
  const words = error instanceof Error ? error.message : "The server cannot be asked.";
  return new McpCodegenError("SERVER_UNREACHABLE", `${words} The outcome of the task is unknown.`);
}

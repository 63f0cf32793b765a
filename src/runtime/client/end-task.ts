import { McpCodegenError } from "../../contract/errors.js";
import { getOwn, type JsonObject, type JsonValue } from "../../contract/json.js";
import type { RequestOptions, Session } from "../../transport/session.js";
import { TimeLimit } from "../../transport/abort-signal.js";
import { isSessionLost, isUnsent } from "./failures.js";
import { waitUnlessAborted } from "./wait-unless-aborted.js";

/** The most that `setTimeout` takes: a task has no limit unless the caller sets one. */
export const NO_LIMIT: number = 2 ** 31 - 1;
const DEFAULT_INTERVAL = 1_000;
const SHORTEST_INTERVAL = 10;
const LONGEST_INTERVAL = 60_000;

export interface TaskOptions {
  readonly signal: RequestOptions["signal"] | undefined;
  /** Milliseconds for the whole task. */
  readonly timeout?: number | undefined;
}

/**
 * Follows a task to its end, within the time limit of its call. If that ends first, or the signal aborts, the task is
 * cancelled.
 *
 * @param follow gets the task's ID, whether it was given up meanwhile, and the time limit to pause
 * @throws McpCodegenError `SERVER_TIMEOUT`; `SERVER_UNREACHABLE` if it is not known what becomes of the task;
 *   `PROTOCOL_INVALID` for a task without an ID; what `follow` throws
 */
export async function endTask(
  session: Session,
  task: JsonObject,
  { signal, timeout = NO_LIMIT }: TaskOptions,
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
    stop(new McpCodegenError("SERVER_TIMEOUT", message, { hint: "Give the call a longer timeout." }));
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
export function pauseFor(suggested: JsonValue | undefined): Promise<void> {
  const interval = typeof suggested === "number" && suggested >= 0 ? suggested : DEFAULT_INTERVAL;
  const milliseconds = Math.min(Math.max(interval, SHORTEST_INTERVAL), LONGEST_INTERVAL);
  return new Promise((resolve) => {
    setTimeout(resolve, milliseconds);
  });
}

export function invalidTask(what: string): McpCodegenError {
  return new McpCodegenError("PROTOCOL_INVALID", `The server ${what}.`);
}

/** That a question about the task did nothing does not say that the task does nothing: it must not be begun again. */
function leftAlone(error: unknown): McpCodegenError {
  const words = error instanceof Error ? error.message : "The server cannot be asked.";
  return new McpCodegenError("SERVER_UNREACHABLE", `${words} What becomes of the task is not known.`);
}

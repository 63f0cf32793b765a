import { McpCodegenError } from "../../contract/errors.js";
import { getOwn, isJsonObject, type JsonObject } from "../../contract/json.js";
import type { RequestHandler } from "../../transport/server-requests.js";
import type { RequestOptions, Session } from "../../transport/session.js";
import { TimeLimit } from "../../transport/time-limit.js";
import { isSessionLost, isUnsent } from "./failures.js";
import { waitUnlessAborted } from "./wait-unless-aborted.js";

/** The most that `setTimeout` takes: a task has no limit unless the caller sets one. */
const NO_LIMIT = 2 ** 31 - 1;
const DEFAULT_INTERVAL = 1_000;
const LONGEST_INTERVAL = 60_000;

/**
 * Calls a tool as a task (specification 2025-11-25, "Tasks"): the call is answered at once with a task, which is polled
 * until it is over, and then asked for the result that the call would have had. A `timeout` is for all of it.
 *
 * @throws McpCodegenError `SERVER_REFUSED` when the server cancels the task, and whatever requests throw. When the
 * signal aborts, the task is cancelled.
 */
export async function callAsTask(
  session: Session,
  params: JsonObject,
  { signal, timeout = NO_LIMIT, onRequest, headers }: RequestOptions,
): Promise<JsonObject> {
  let limit: TimeLimit | undefined;
  const options: RequestOptions = {
    ...(signal && { signal }),
    ...(onRequest && { onRequest: withPause(onRequest, () => limit) }),
  };
  const created = await session.request(
    "tools/call",
    { ...params, task: {} },
    {
      ...options,
      ...(headers && { headers }),
    },
  );
  const task = getOwn(created, "task");
  if (!isJsonObject(task)) return created;
  const taskId = getOwn(task, "taskId");
  if (typeof taskId !== "string") throw invalid("answers with a task that has no taskId");
  const release = session.hold();
  const late = new Promise<never>((_resolve, reject) => {
    limit = new TimeLimit(timeout, () => {
      const message = `The task did not end within ${timeout} ms.`;
      reject(new McpCodegenError("SERVER_TIMEOUT", message, { hint: "Give the call a longer timeout." }));
    });
  });
  let isOver = false;
  try {
    const work = followTask(session, taskId, task, options, () => isOver);
    return await waitUnlessAborted(Promise.race([work, late]), signal);
  } catch (error) {
    const isGivenUp =
      signal?.aborted === true || (error instanceof McpCodegenError && error.code === "SERVER_TIMEOUT");
    if (isGivenUp)
      await session.request("tasks/cancel", { taskId }, { timeout: 1_000 }).catch(() => undefined);
    throw isSessionLost(error) || isUnsent(error) ? leftAlone(error) : error;
  } finally {
    isOver = true;
    limit?.clear();
    release();
  }
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

async function followTask(
  session: Session,
  taskId: string,
  created: JsonObject,
  options: RequestOptions,
  isOver: () => boolean,
): Promise<JsonObject> {
  let task = created;
  while (!isOver()) {
    const status = getOwn(task, "status");
    switch (typeof status === "string" ? status : "") {
      case "working":
        await sleep(intervalOf(task));
        if (isOver()) break;
        task = await session.request("tasks/get", { taskId }, options);
        continue;
      case "cancelled":
        throw new McpCodegenError("SERVER_REFUSED", "The server cancelled the task.");
      // While input is required, the server asks for it during the request for the result.
      case "input_required":
      case "completed":
      case "failed":
        return session.request("tasks/result", { taskId }, { ...options, timeout: NO_LIMIT });
      default:
        throw invalid("gives a task a status that the protocol does not know");
    }
  }
  throw invalid("was left");
}

/** That a question about the task did nothing does not say that the task does nothing: it must not be begun again. */
function leftAlone(error: unknown): McpCodegenError {
  const words = error instanceof Error ? error.message : "The server cannot be asked.";
  return new McpCodegenError("SERVER_UNREACHABLE", `${words} What becomes of the task is not known.`);
}

function intervalOf(task: JsonObject): number {
  const interval = getOwn(task, "pollInterval");
  return typeof interval === "number" && interval >= 0
    ? Math.min(interval, LONGEST_INTERVAL)
    : DEFAULT_INTERVAL;
}

function sleep(milliseconds: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, milliseconds);
  });
}

function invalid(what: string): McpCodegenError {
  return new McpCodegenError("PROTOCOL_INVALID", `The server ${what}.`);
}

import { McpCodegenError } from "../../contract/errors.js";
import { getOwn, isJsonObject, type JsonObject } from "../../contract/json.js";
import type { RequestHandler } from "../../transport/server-requests.js";
import type { RequestOptions, Session } from "../../transport/session.js";
import type { TimeLimit } from "../../transport/abort-signal.js";
import { endTask, invalidTask, NO_LIMIT, pauseFor } from "./end-task.js";

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
  { signal, timeout, onRequest, headers }: RequestOptions,
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
  return endTask(session, task, { signal, timeout }, (taskId, isOver, own) => {
    limit = own;
    return followTask(session, taskId, task, options, isOver);
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
        await pauseFor(getOwn(task, "pollInterval"));
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
        throw invalidTask("gives a task a status that the protocol does not know");
    }
  }
  throw invalidTask("was left");
}

import { McpCodegenError } from "../../contract/errors.js";
import { getOwn, isJsonObject, type JsonObject } from "../../contract/json.js";
import { excerpt } from "../../transport/server-text.js";
import { RpcError } from "../../transport/server-errors.js";
import type { RequestOptions, Session } from "../../transport/session.js";
import type { TimeLimit } from "../../transport/abort-signal.js";
import { endTask, invalidTask, pauseFor } from "./end-task.js";
import type { InputAsker } from "./input-asker.js";

/**
 * Returns the result of a call that the server answered with a task (extension `io.modelcontextprotocol/tasks`, SEP-2663):
 * asks for the task until it has ended, and answers its questions. A `timeout` is for all of it, without the time in which
 * a question is open.
 *
 * @param created the answer to the call
 * @throws McpCodegenError `SERVER_REFUSED` when the server cancels the task, as `endTask` does, and as the asker does;
 *   RpcError for a task that failed
 */
export function followTask(
  session: Session,
  created: JsonObject,
  { asker, signal, timeout }: RequestOptions & { readonly asker: InputAsker },
): Promise<JsonObject> {
  return endTask(session, created, { signal, timeout }, (taskId, isOver, limit) =>
    follow(session, created, { taskId, isOver, limit, asker, signal }),
  );
}

interface Following {
  readonly taskId: string;
  readonly isOver: () => boolean;
  readonly limit: TimeLimit;
  readonly asker: InputAsker;
  readonly signal: RequestOptions["signal"] | undefined;
}

async function follow(session: Session, created: JsonObject, following: Following): Promise<JsonObject> {
  const { taskId, isOver, signal } = following;
  const options = { ...(signal && { signal }) };
  const answered = new Set<string>();
  let task = created;
  while (!isOver()) {
    const status = getOwn(task, "status");
    switch (typeof status === "string" ? status : "") {
      case "working":
        break;
      case "input_required":
        await answerTask(session, task, answered, following);
        break;
      case "completed": {
        const result = getOwn(task, "result");
        if (isJsonObject(result)) return result;
        // The first answer may lack the result, which a request for the task has.
        if (task !== created) throw invalidTask("gives a completed task without a result");
        break;
      }
      case "failed":
        throw taskError(session, task);
      case "cancelled":
        throw new McpCodegenError("SERVER_REFUSED", "The server cancelled the task.");
      default:
        throw invalidTask("gives a task a status that the protocol does not know");
    }
    if (getOwn(task, "status") !== "completed") await pauseFor(getOwn(task, "pollIntervalMs"));
    if (isOver()) break;
    task = await session.request("tasks/get", { taskId }, options);
  }
  throw invalidTask("was left");
}

/** Answers the questions of a task that were not answered yet: a server repeats them until it has read the answers. */
async function answerTask(
  session: Session,
  task: JsonObject,
  answered: Set<string>,
  { taskId, limit, asker, signal }: Following,
): Promise<void> {
  const requests = getOwn(task, "inputRequests");
  const open = Object.entries(isJsonObject(requests) ? requests : {}).filter(([key]) => !answered.has(key));
  if (open.length === 0) return;
  const resume = limit.pause();
  try {
    const inputResponses = await asker.answerAll(Object.fromEntries(open), signal);
    for (const [key] of open) answered.add(key);
    await session.request("tasks/update", { taskId, inputResponses }, { ...(signal && { signal }) });
  } finally {
    resume();
  }
}

function taskError(session: Session, task: JsonObject): Error {
  const error = getOwn(task, "error");
  if (!isJsonObject(error)) return invalidTask("gives a failed task without an error");
  const [code, message, data] = ["code", "message", "data"].map((key) => getOwn(error, key));
  return new RpcError("tools/call", {
    code: typeof code === "number" ? code : 0,
    message: typeof message === "string" ? excerpt(session.scrub(message)) : "no reason given",
    ...(data !== undefined && { data }),
  });
}

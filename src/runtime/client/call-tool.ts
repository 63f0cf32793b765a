import type { JsonObject } from "../../contract/json.js";
import type { Session } from "../../transport/session.js";
import type { CallerOptions, ToolRequest } from "./caller.js";

/** The raw result of a `tools/call` in a session, with its progress handed over. */
export async function callTool(
  session: Session,
  request: ToolRequest,
  { signal, timeout, onProgress }: CallerOptions,
): Promise<JsonObject> {
  const options = { ...(signal && { signal }), ...(timeout !== undefined && { timeout }) };
  const watch = onProgress && session.watchProgress(onProgress);
  const params: JsonObject = {
    name: request.name,
    arguments: request.arguments,
    ...(watch && { _meta: { progressToken: watch.token } }),
  };
  try {
    if (!request.isTask) return await session.request("tools/call", params, options);
    const { callAsTask } = await import("./call-as-task.js");
    return await callAsTask(session, params, options);
  } finally {
    watch?.release();
  }
}

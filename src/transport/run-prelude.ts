import { McpCodegenError } from "../contract/errors.js";
import { findOwn, getOwn, isJsonArray, type JsonObject } from "../contract/json.js";
import { oneLine } from "../contract/one-line.js";
import type { AbortSignalLike } from "./abort-signal.js";
import type { Endpoint } from "./endpoint.js";
import type { Session } from "./session.js";

/**
 * Makes the calls that a server needs before it lists its tools.
 *
 * @throws McpCodegenError `SERVER_REFUSED` for a call that fails, and request errors
 */
export async function runPrelude(
  session: Session,
  { prelude = [] }: Endpoint,
  signal?: AbortSignalLike,
): Promise<void> {
  for (const { tool, arguments: given } of prelude) {
    const result = await session.request(
      "tools/call",
      { name: tool, arguments: given },
      { ...(signal && { signal }) },
    );
    if (getOwn(result, "isError") !== true) continue;
    const message = `The call of ${JSON.stringify(tool)} in "prelude" failed: ${session.scrub(textOf(result))}`;
    throw new McpCodegenError("SERVER_REFUSED", message, { hint: "Correct the arguments of the call." });
  }
}

function textOf(result: JsonObject): string {
  const content = getOwn(result, "content");
  const texts = isJsonArray(content) ? content.map((part) => findOwn(part, "text")) : [];
  return oneLine(texts.filter((text) => typeof text === "string").join(" "), 400);
}

import type { CallToolResult } from "@modelcontextprotocol/server";
import { answerWithError } from "../agent/toolset/toolset-answer.js";
import { toolsetError } from "../agent/toolset/toolset-error.js";

/** Bytes of a result as JSON. The clients of the SDK end the connection at a message of ten mebibytes. */
const MOST_BYTES = 8 * 1024 * 1024;
/** Characters of text below which nothing can be that large, however it is escaped. */
const SURELY_SMALL = 500_000;

/** A result that clients take: one that is too large is an error in place of the end of the connection. */
export function boundResult(result: CallToolResult): CallToolResult {
  const characters = result.content.reduce((sum, block) => sum + lengthOf(block), 0);
  if (characters < SURELY_SMALL) return result;
  const bytes = new TextEncoder().encode(JSON.stringify(result)).length;
  if (bytes <= MOST_BYTES) return result;
  const size = (bytes / 1024 / 1024).toFixed(0);
  const { content, structuredContent } = answerWithError(
    toolsetError(
      "TOOL_EXECUTION_FAILED",
      `The tool ran, and its result of ${size} MiB is larger than clients take (${MOST_BYTES / 1024 / 1024} MiB).`,
      "Ask for less: a page, a range, a filter. Calling it again as it was does not help.",
      { retryable: false },
    ),
  );
  const text = content.flatMap((block) =>
    block.text === undefined ? [] : [{ type: "text" as const, text: block.text }],
  );
  return {
    isError: true,
    content: text,
    ...(structuredContent && { structuredContent: { ...structuredContent } }),
  };
}

function lengthOf(block: CallToolResult["content"][number]): number {
  if (block.type === "text") return block.text.length;
  if (block.type === "image" || block.type === "audio") return block.data.length;
  return block.type === "resource" ? SURELY_SMALL : 1_000;
}

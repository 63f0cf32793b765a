import { isJsonObject, type JsonObject } from "../../contract/json.js";
import type { ContentBlock } from "../../runtime/result.js";
import type { ToolsetAnswer } from "./toolset.js";
import type { ToolsetError } from "./toolset-error.js";

/**
 * An answer from an object that can be written as JSON: the text, what the text says, and other blocks beside it.
 *
 * @throws TypeError for a value that JSON has no form for
 */
export function answerWith(value: object, blocks: readonly ContentBlock[] = []): ToolsetAnswer {
  const text = JSON.stringify(value);
  const structuredContent: unknown = JSON.parse(text);
  return {
    isError: false,
    ...(isJsonObject(structuredContent) && { structuredContent }),
    content: [{ type: "text", text }, ...blocks],
  };
}

export function answerWithText(text: string): ToolsetAnswer {
  return { isError: false, content: [{ type: "text", text }] };
}

export function answerWithError(error: ToolsetError): ToolsetAnswer {
  const structuredContent: JsonObject = error;
  return { isError: true, structuredContent, content: [{ type: "text", text: JSON.stringify(error) }] };
}

import { isJsonObject, type JsonObject } from "../../contract/json.js";
import type { ContentBlock } from "../../runtime/result.js";
import { isContent } from "../adapters/model-parts.js";
import type { RegisteredTool } from "../registry/registered-tool.js";
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

/** What a tool answered, in the parts that an answer has. */
interface CallResult {
  /** `null` where it answered blocks alone, or nothing. */
  readonly result: unknown;
  /** Images, audio, links and resources. */
  readonly blocks: readonly ContentBlock[];
}

/**
 * A tool's value for a model. Without an output schema it is the structured content where the server sent some, else the text,
 * which is never parsed.
 *
 * @param beside the blocks that came beside structured content
 */
export function readCallResult(
  tool: RegisteredTool,
  value: unknown,
  beside: readonly ContentBlock[],
): CallResult {
  if (tool.output !== undefined || !isContent(value)) return { result: value ?? null, blocks: keepBlocks(beside) }; // prettier-ignore
  const { text, content, structuredContent } = value;
  const isText = content.some(({ type }) => type === "text");
  return { result: structuredContent ?? (isText ? text : null), blocks: keepBlocks(content) };
}

/** The blocks that are not text. */
function keepBlocks(content: readonly ContentBlock[]): readonly ContentBlock[] {
  return replaceBroken(content.filter(({ type }) => type !== "text"));
}

/** Blocks, with a text in place of each for which clients would refuse the whole answer. */
export function replaceBroken(content: readonly ContentBlock[]): readonly ContentBlock[] {
  return content.map((block) =>
    isWhole(block) ? block : { type: "text", text: `[${block.type.slice(0, 40)}: cannot be shown]` },
  );
}

/** By the specification ("Tool Result"). */
function isWhole(block: ContentBlock): boolean {
  const { type, text, data, mimeType, uri, name, resource } = block as Partial<Record<string, unknown>>;
  switch (type) {
    case "text":
      return isText(text);
    case "image":
    case "audio":
      return isText(data) && isText(mimeType);
    case "resource_link":
      return isText(uri) && isText(name);
    case "resource": {
      const {
        uri: address,
        text: words,
        blob,
      } = { ...(resource as Partial<Record<string, unknown>> | undefined) };
      return isText(address) && (isText(words) || isText(blob));
    }
    default:
      return false;
  }
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}

import { isJsonObject, type JsonObject } from "../../core/json.js";
import type { ContentBlock } from "../../runtime/result.js";
import { isContent } from "../adapters/model-parts.js";
import type { RegisteredTool } from "../registry/registered-tool.js";
import type { ToolsetAnswer } from "./toolset.js";
import type { ToolsetError } from "./toolset-error.js";

/**
 * Creates an answer with an object as structured content and as JSON text, and with other content blocks.
 *
 * @throws TypeError for a value that cannot be written as JSON
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

interface CallResult {
  /** `null` if the tool answered only with blocks, or not at all. */
  readonly result: unknown;
  /** Images, audio, links and resources. */
  readonly blocks: readonly ContentBlock[];
}

/**
 * Reads a tool's value for a model. Without an output schema, that is the structured content if the server sent any, else the
 * text, which is never parsed.
 *
 * @param beside the content blocks that accompanied structured content
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

/** Replaces blocks for which clients would refuse the whole answer by texts. */
export function replaceBroken(content: readonly ContentBlock[]): readonly ContentBlock[] {
  return content.map((block) =>
    isWhole(block) ? block : { type: "text", text: `[${block.type.slice(0, 40)}: cannot be shown]` },
  );
}

/** Whether a block has all members that the specification requires ("Tool Result"). */
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

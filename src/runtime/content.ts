import { getOwn, isJsonObject, type JsonObject, type JsonValue } from "../contract/json.js";

/** The result of a tool without an output schema. Text is never parsed automatically. */
export interface ToolContent {
  /** The text blocks, joined by line ends. */
  readonly text: string;
  /** Every block: texts, images, audio, links, embedded resources. */
  readonly content: readonly ContentBlock[];
  /** Present if the server sent it, although the tool declares no output schema. */
  readonly structuredContent?: unknown;
  /** Returns the text parsed as JSON. Throws a `SyntaxError` if it is not JSON. */
  json(): unknown;
}

/** One content block; see the specification for the keys of each type. */
export interface ContentBlock {
  readonly type: string;
  readonly text?: string;
  readonly [key: string]: unknown;
}

/** Returns the content of a raw `tools/call` result. Omits entries that are not content blocks. */
export function readContent(result: JsonObject): ToolContent {
  const given = getOwn(result, "content");
  const content = (isArray(given) ? given : []).filter(isContentBlock);
  const text = content.flatMap((block) => textOf(block) ?? []).join("\n");
  const structuredContent = getOwn(result, "structuredContent");
  return {
    text,
    content,
    ...(structuredContent !== undefined && { structuredContent }),
    json: () => JSON.parse(text) as unknown,
  };
}

function isContentBlock(value: JsonValue): value is JsonObject & { readonly type: string } {
  return isJsonObject(value) && typeof getOwn(value, "type") === "string";
}

function textOf(block: JsonObject): string | undefined {
  const text = getOwn(block, "text");
  return getOwn(block, "type") === "text" && typeof text === "string" ? text : undefined;
}

function isArray(value: JsonValue | undefined): value is readonly JsonValue[] {
  return Array.isArray(value);
}

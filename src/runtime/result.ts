import { omitUndefined } from "../core/collections.js";
import { isInstance } from "../core/errors.js";
import { parseExactly, tryParseExactly, writeExactly } from "../core/exact-json.js";
import {
  type JsonObject,
  findText,
  getOwn,
  isEqual,
  isJsonArray,
  isJsonObject,
  type JsonValue,
} from "../core/json.js";
import type { Issue } from "../core/schema.js";
import type { InputQuestion } from "../core/input-question.js";
import type { ToolErrorCode, ToolError, Result, ToolContent, ContentBlock } from "../core/call.js";

/** Thrown by a call that fails: a {@link ToolError} with a stack. */
export class ToolCallError extends Error implements ToolError {
  static override [Symbol.hasInstance](value: unknown): boolean {
    return isInstance(this, { own: ToolCallError, name: "ToolCallError" }, value);
  }

  override readonly name = "ToolCallError";
  declare readonly code: ToolErrorCode;
  declare readonly retryable: boolean;
  declare readonly tool: string;
  declare readonly server: string;
  declare readonly issues?: readonly Issue[];
  declare readonly questions?: readonly InputQuestion[];
  declare readonly modelError?: JsonObject;

  constructor(error: ToolError) {
    const { message, cause, ...fields } = readToolError(error);
    super(message, cause === undefined ? undefined : { cause });
    Object.assign(this, fields);
  }
}

/** Returns the fields of an error, as `.safe` returns them. */
export function readToolError(error: ToolError): ToolError {
  // The message of an error is not enumerable.
  const { code, message, retryable, tool, server, issues, questions, cause, modelError } = error;
  return omitUndefined({ code, message, retryable, tool, server, issues, questions, cause, modelError });
}

const contents = /* @__PURE__ */ new WeakMap<object, readonly ContentBlock[]>();

/** Remembers the content blocks that came beside the value of a result. Returns the result. */
export function keepContent<R extends Result<unknown>>(result: R, content: readonly ContentBlock[]): R {
  contents.set(result, content);
  return result;
}

/** Returns the content blocks that came beside the value of a result; none if the value has them itself. */
export function contentBeside(result: Result<unknown>): readonly ContentBlock[] {
  return contents.get(result) ?? [];
}

/**
 * Returns the content of a raw `tools/call` result. Omits entries that are not content blocks.
 *
 * @param onParsed receives each value that the text is parsed to
 */
export function readContent(result: JsonObject, onParsed?: (value: JsonValue) => void): ToolContent {
  const blocks = getOwn(result, "content");
  const content = (isJsonArray(blocks) ? blocks : []).filter(isContentBlock);
  const text = content.flatMap((block) => textOf(block) ?? []).join("\n");
  const structuredContent = getOwn(result, "structuredContent");
  const json = (): unknown => {
    const parsed = parseExactly(text);
    onParsed?.(parsed);
    return parsed;
  };
  const value =
    structuredContent === undefined ? { text, content, json } : { text, content, structuredContent, json };
  // Node.js, Bun and Deno print the text, or the blocks if there is no text.
  const print = (): unknown => (text === "" ? { content } : text);
  return Object.defineProperty(value, Symbol.for("nodejs.util.inspect.custom"), { value: print });
}

/** Returns the reason of a failure: the texts, and the structured content unless a text repeats it. */
export function readReason(content: ToolContent): string {
  const texts = content.content.flatMap((block) =>
    block.type === "resource" ? (findText(block["resource"], "text") ?? []) : (block.text ?? []),
  );
  const data = dataBesideTexts(content);
  const reasons = [...texts, ...(data === undefined ? [] : [writeExactly(data)])];
  return reasons.filter((reason) => reason.trim() !== "").join("\n") || "it gives no reason";
}

/** Returns the structured content of a tool without an output schema; undefined if it is empty, or if a text repeats it. */
export function dataBesideTexts({ content, structuredContent: data }: Omit<ToolContent, "json">): unknown {
  if (data === null || (isJsonObject(data) && Object.keys(data).length === 0)) return undefined;
  // Some SDKs write a text as the only member of an object.
  const [only, ...others] = isJsonObject(data) ? Object.values(data) : [];
  const isIt = (value: unknown): boolean =>
    value !== undefined && (isEqual(value, data) || (others.length === 0 && isEqual(value, only)));
  const isRepeated = content.some(
    ({ type, text }) => type === "text" && text !== undefined && (isIt(text) || isIt(tryParseExactly(text))),
  );
  return isRepeated ? undefined : data;
}

function isContentBlock(value: JsonValue): value is JsonObject & { readonly type: string } {
  return isJsonObject(value) && typeof getOwn(value, "type") === "string";
}

function textOf(block: JsonObject): string | undefined {
  const text = getOwn(block, "text");
  return getOwn(block, "type") === "text" && typeof text === "string" ? text : undefined;
}

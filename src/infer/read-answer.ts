import {
  findOwn,
  getOwn,
  isJsonArray,
  isJsonObject,
  type JsonObject,
  type JsonValue,
} from "../contract/json.js";
import type { ObservedTool } from "../contract/observed.js";

export interface Answer {
  readonly kind: ObservedTool["answers"];
  /** Structured content, what a text of JSON means, or all texts. */
  readonly value: JsonValue;
}

/** Returns the answer in a result of `tools/call`; undefined for a result that reports an error. */
export function readAnswer(result: JsonObject): Answer | undefined {
  if (getOwn(result, "isError") === true) return undefined;
  const structured = getOwn(result, "structuredContent");
  if (structured !== undefined && structured !== null) return { kind: "structured", value: structured };
  const content = getOwn(result, "content");
  const blocks = isJsonArray(content) ? content : [];
  const texts = blocks.flatMap((block) => {
    const text = findOwn(block, "type") === "text" ? findOwn(block, "text") : undefined;
    return typeof text === "string" ? [text] : [];
  });
  const value = blocks.length === 1 ? tryParse(texts[0] ?? "") : undefined;
  // A text such as "12" is rarely meant as JSON.
  if (isJsonObject(value) || isJsonArray(value)) return { kind: "json", value };
  return { kind: "text", value: texts.join("\n") };
}

function tryParse(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}

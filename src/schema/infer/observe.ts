import {
  findOwn,
  getOwn,
  isJsonArray,
  isJsonObject,
  type JsonObject,
  type JsonValue,
} from "../../core/json.js";
import type { ObservedTool } from "../../core/observed.js";
import { inferShape } from "./infer-shape.js";
import { joinShapes } from "./shape.js";
import { readShape, schemaOfShape } from "./shape-schema.js";

/**
 * Adds results of `tools/call` to the observations of a tool. Later answers only widen the schema. Results that report an
 * error are not answers.
 *
 * @param count `further` counts all answers; `same` is for answers that may have been counted before
 * @returns `before` if there is no answer
 */
export function observe(
  digest: string,
  results: readonly JsonObject[],
  before: ObservedTool | undefined,
  count: "same" | "further",
): ObservedTool | undefined {
  const answers = results.flatMap((result) => readObservedAnswer(result) ?? []);
  // Answers of another definition say nothing about this one.
  const known = before?.digest === digest ? before : undefined;
  if (answers.length === 0) return before;
  const samples =
    count === "same" ? Math.max(answers.length, known?.samples ?? 0) : answers.length + (known?.samples ?? 0);
  const kinds = new Set([...answers.map(({ kind }) => kind), ...(known ? [known.answers] : [])]);
  if (kinds.has("text")) return { digest, samples, answers: "text" };
  const shape = inferShape(answers.map(({ value }) => value));
  const joined = known?.schema === undefined ? shape : joinShapes(readShape(known.schema), shape);
  return {
    digest,
    samples,
    answers: kinds.has("json") ? "json" : "structured",
    schema: schemaOfShape(joined),
  };
}

interface ObservedAnswer {
  readonly kind: ObservedTool["answers"];
  /** Structured content, the value of a text that is JSON, or all texts. */
  readonly value: JsonValue;
}

/** Returns the answer in a result of `tools/call`; undefined for a result that reports an error. */
export function readObservedAnswer(result: JsonObject): ObservedAnswer | undefined {
  if (getOwn(result, "isError") === true) return undefined;
  const structured = getOwn(result, "structuredContent");
  if (structured !== undefined && structured !== null) return { kind: "structured", value: structured };
  const content = getOwn(result, "content");
  const blocks = isJsonArray(content) ? content : [];
  const texts = blocks.flatMap((block) => {
    const text = findOwn(block, "type") === "text" ? findOwn(block, "text") : undefined;
    return typeof text === "string" ? [text] : [];
  });
  const value = blocks.length === 1 ? parseStructure(texts[0] ?? "") : undefined;
  return value === undefined ? { kind: "text", value: texts.join("\n") } : { kind: "json", value };
}

/** Returns the object or array in a text of JSON. A text such as "12" is rarely meant as JSON. */
function parseStructure(text: string): JsonValue | undefined {
  try {
    const value = JSON.parse(text) as JsonValue;
    return isJsonObject(value) || isJsonArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

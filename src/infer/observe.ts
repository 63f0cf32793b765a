import { getOwn, isJsonArray, isJsonObject, type JsonObject, type JsonValue } from "../contract/json.js";
import type { ObservedTool } from "../contract/observed.js";
import { inferShape } from "./infer-shape.js";
import { joinShapes } from "./shape.js";
import { readShape, schemaOfShape } from "./shape-schema.js";

/**
 * Returns what is observed of a tool after these results of `tools/call`, together with what was observed before. Later
 * answers only widen the schema. Results that report an error are not answers.
 *
 * @param count How the answers count: the same answers may be learned from again, or all are further ones.
 * @returns `before` unless there is an answer
 */
export function observe(
  digest: string,
  results: readonly JsonObject[],
  before: ObservedTool | undefined,
  count: "same" | "further",
): ObservedTool | undefined {
  const answers = results.flatMap((result) => readAnswer(result) ?? []);
  // What another definition answered says nothing of this one.
  const known = before?.digest === digest ? before : undefined;
  if (answers.length === 0) return before;
  const samples =
    count === "same" ? Math.max(answers.length, known?.samples ?? 0) : answers.length + (known?.samples ?? 0);
  const kinds = new Set([...answers.map(({ kind }) => kind), ...(known ? [known.answers] : [])]);
  if (kinds.has("text")) return { digest, samples, answers: "text" };
  const shape = inferShape(answers.flatMap(({ value }) => (value === undefined ? [] : [value])));
  const joined = known?.schema === undefined ? shape : joinShapes(readShape(known.schema), shape);
  return {
    digest,
    samples,
    answers: kinds.has("json") ? "json" : "structured",
    schema: schemaOfShape(joined),
  };
}

interface Answer {
  readonly kind: ObservedTool["answers"];
  /** Absent for text. */
  readonly value?: JsonValue;
}

/** The answer in a result: structured content, or one text that is a JSON object or array. */
function readAnswer(result: JsonObject): Answer | undefined {
  if (getOwn(result, "isError") === true) return undefined;
  const structured = getOwn(result, "structuredContent");
  if (structured !== undefined && structured !== null) return { kind: "structured", value: structured };
  const content = getOwn(result, "content");
  const [part, ...more] = isJsonArray(content) ? content : [];
  const text = isJsonObject(part) && getOwn(part, "type") === "text" ? getOwn(part, "text") : undefined;
  if (typeof text !== "string" || more.length > 0) return { kind: "text" };
  const value = tryParse(text);
  // A text such as "12" is rarely meant as JSON.
  return isJsonObject(value) || isJsonArray(value) ? { kind: "json", value } : { kind: "text" };
}

function tryParse(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}

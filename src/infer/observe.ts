import type { JsonObject } from "../contract/json.js";
import type { ObservedTool } from "../contract/observed.js";
import { inferShape } from "./infer-shape.js";
import { readAnswer } from "./read-answer.js";
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
  const shape = inferShape(answers.map(({ value }) => value));
  const joined = known?.schema === undefined ? shape : joinShapes(readShape(known.schema), shape);
  return {
    digest,
    samples,
    answers: kinds.has("json") ? "json" : "structured",
    schema: schemaOfShape(joined),
  };
}

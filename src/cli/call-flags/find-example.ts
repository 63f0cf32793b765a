import { isJsonObject, type JsonObject, type JsonValue } from "../../contract/json.js";
import { explainIssue } from "../../validation/explain-issue.js";
import { findIssues, type Schema } from "../../validation/schema.js";
import type { ArgumentSchema } from "./argument-schema.js";
import { sampleArguments } from "./sample-arguments.js";

/** How many combinations of the schema's choices to try. */
const TURNS = 12;

/** The input schema of a tool in three forms: for flags, as published, and as the validator of calls. */
export interface ExampleSource {
  readonly schema: ArgumentSchema;
  readonly raw: JsonValue;
  readonly input: Schema<unknown>;
}

/** Returns arguments that the tool's schema accepts; undefined if none were found. */
export async function findExample({ schema, raw, input }: ExampleSource): Promise<JsonObject | undefined> {
  const plain = sampleArguments(schema);
  const issues = await findIssues(input, plain);
  if (issues.length === 0) return plain;
  // The plain sample is valid for most tools, so this is rarely loaded.
  const [{ sampleValue }, { rootPart }] = await Promise.all([
    import("../../drift/witness/sample-value.js"),
    import("../../drift/witness/schema-part.js"),
  ]);
  const wrong = new Set(issues.flatMap(explainIssue).map(({ path }) => path[0]));
  for (let turn = 0; turn < TURNS; turn += 1) {
    const sample = sampleValue([rootPart(raw)], { turn, branches: new Map(), path: [] });
    if (!isJsonObject(sample)) continue;
    // Replace only invalid values, since the plain ones are easier to read.
    const kept = Object.entries(plain).filter(([key]) => !wrong.has(key));
    for (const args of [{ ...sample, ...Object.fromEntries(kept) }, sample])
      if ((await findIssues(input, args)).length === 0) return args;
  }
  return undefined;
}

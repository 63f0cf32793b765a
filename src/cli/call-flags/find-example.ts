import { isJsonObject, type JsonObject, type JsonValue } from "../../contract/json.js";
import { explainIssue } from "../../validation/explain-issue.js";
import { findIssues, type Schema } from "../../validation/schema.js";
import type { ArgumentSchema } from "./argument-schema.js";
import { sampleArguments } from "./sample-arguments.js";

/** How often the values of a schema's choices are taken in turn. */
const TURNS = 12;

/** What a tool takes: read for flags, as it was published, and as what calls are validated by. */
export interface ExampleSource {
  readonly schema: ArgumentSchema;
  readonly raw: JsonValue;
  readonly input: Schema<unknown>;
}

/** Arguments that the tool's schema accepts, to start from; undefined where none were found. */
export async function findExample({ schema, raw, input }: ExampleSource): Promise<JsonObject | undefined> {
  const plain = sampleArguments(schema);
  const issues = await findIssues(input, plain);
  if (issues.length === 0) return plain;
  // Most examples need no other values, so this is loaded only for those that do.
  const [{ sampleValue }, { rootPart }] = await Promise.all([
    import("../../drift/witness/sample-value.js"),
    import("../../drift/witness/schema-part.js"),
  ]);
  const wrong = new Set(issues.flatMap(explainIssue).map(({ path }) => path[0]));
  for (let turn = 0; turn < TURNS; turn += 1) {
    const sample = sampleValue([rootPart(raw)], { turn, branches: new Map(), path: [] });
    if (!isJsonObject(sample)) continue;
    // Only what does not fit is replaced: the other values are easier to read.
    const kept = Object.entries(plain).filter(([key]) => !wrong.has(key));
    for (const args of [{ ...sample, ...Object.fromEntries(kept) }, sample])
      if ((await findIssues(input, args)).length === 0) return args;
  }
  return undefined;
}

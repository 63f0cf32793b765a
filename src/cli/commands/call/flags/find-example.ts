import {
  canonicalJson,
  getOwn,
  isJsonArray,
  isJsonObject,
  type JsonObject,
  type JsonValue,
} from "../../../../core/json.js";
import { readPart } from "../../../../schema/sample/schema-part.js";
import type { Schema } from "../../../../core/schema.js";
import { explainIssue, findIssues } from "../../../../schema/validation/schema.js";
import type { ArgumentSchema } from "./argument-schema.js";
import { readFlags } from "./read-flags.js";
import { sampleValue } from "../../../../schema/sample/sample-value.js";

/** Prints arguments as words that `readFlags` reads back, with those that it cannot read for `--input`. */
export function printArgumentWords(
  args: JsonObject,
  schema: ArgumentSchema,
): { readonly input: JsonObject | undefined; readonly words: readonly string[] } {
  const rest: [string, JsonValue][] = [];
  const words = Object.entries(args).flatMap(([name, value]) => {
    const values = isJsonArray(value) && value.length > 0 ? value : [value];
    const flags = values.map((item) => `--${name}=${typeof item === "string" ? item : JSON.stringify(item)}`);
    const isScalar = values.every((item) => typeof item !== "object" || item === null);
    const forms = [...(isScalar ? [flags] : []), [`${name}:=${JSON.stringify(value)}`]];
    const wanted = canonicalJson(Object.fromEntries([[name, value]]));
    const form = forms.find((candidate) => {
      const read = readFlags(candidate, schema);
      return "args" in read && canonicalJson(read.args) === wanted;
    });
    if (form === undefined) rest.push([name, value]);
    return form ?? [];
  });
  return { input: rest.length > 0 ? Object.fromEntries(rest) : undefined, words };
}

/** How many combinations of the schema's choices to try. */
const TURNS = 12;

/** The input schema of a tool in three forms: for flags, as published, and as the validator of calls. */
interface ExampleSource {
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
  const wrong = new Set(issues.flatMap(explainIssue).map(({ path }) => path[0]));
  const root = readPart(raw);
  for (let turn = 0; turn < TURNS; turn += 1) {
    const sample = sampleValue([root], { turn, branches: new Map(), path: [] });
    if (!isJsonObject(sample)) continue;
    // Replace only invalid values, since the plain ones are easier to read.
    const kept = Object.entries(plain).filter(([key]) => !wrong.has(key));
    for (const args of [{ ...sample, ...Object.fromEntries(kept) }, sample])
      if ((await findIssues(input, args)).length === 0) return args;
  }
  return undefined;
}

/** The maximum depth of a sample. */
const DEEPEST = 8;

/** The schema may treat formats as annotations, but most servers assert them. */
const FORMATTED: { readonly [format: string]: string } = {
  date: "2026-01-31",
  "date-time": "2026-01-31T09:00:00Z",
  email: "ada@example.com",
  time: "09:00:00Z",
  uri: "https://example.com",
  uuid: "123e4567-e89b-42d3-a456-426614174000",
};

/** Returns a sample: required properties alone, with values from the schema where it has any. It may be invalid. */
function sampleArguments(schema: ArgumentSchema, depth = 0): JsonObject {
  const required = schema.required();
  const names = [...new Set([...schema.names, ...required])].filter((name) => required.has(name));
  return Object.fromEntries(names.map((name) => [name, sampleArgument(schema.property(name), depth + 1)]));
}

function sampleArgument(schema: ArgumentSchema | undefined, depth: number): JsonValue {
  if (schema === undefined) return null;
  const examples = schema.annotation("examples");
  const stated = (isJsonArray(examples) ? examples[0] : undefined) ?? schema.annotation("default");
  if (stated !== undefined) return stated;
  const { types, literals } = schema.accepted;
  const [literal] = literals.values();
  if (literal !== undefined) return literal;
  const format = schema.annotation("format");
  if (types.has("string")) return getOwn(FORMATTED, typeof format === "string" ? format : "") ?? "…";
  if (types.has("number")) return 1;
  if (types.has("boolean")) return true;
  if (types.has("object")) return depth > DEEPEST ? {} : sampleArguments(schema, depth);
  if (!types.has("array") || depth > DEEPEST) return null;
  const item = schema.item(0);
  return item === undefined ? [] : [sampleArgument(item, depth + 1)];
}

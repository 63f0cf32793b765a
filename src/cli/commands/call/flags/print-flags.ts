import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from "../../../../core/json.js";
import type { SchemaIR } from "../../../../core/schema-ir.js";
import { explainIssue, findIssues, type Schema } from "../../../../schema/validation/schema.js";
import { printText, readText } from "./accepted-values.js";
import type { ArgumentSchema } from "./argument-schema.js";
import { type ArgumentPath, isItemIndex, joinFlagName } from "./flag-paths.js";

/** Prints arguments as words that `readFlags` reads back, with those that flags cannot express for `--input`. */
export function printFlags(
  args: JsonObject,
  schema: ArgumentSchema,
): { readonly input: JsonObject | undefined; readonly words: readonly string[] } {
  const rest: [string, JsonValue][] = [];
  const words = Object.entries(args).flatMap(([key, value]) => {
    const node = schema.property(schema.root, key);
    const flags = node === undefined ? undefined : printPart(value, [key], node, schema);
    if (flags === undefined) rest.push([key, value]);
    return flags ?? [];
  });
  return { input: rest.length > 0 ? Object.fromEntries(rest) : undefined, words };
}

/** Returns the flags that set a value at a path; undefined if flags cannot express it. */
function printPart(
  value: JsonValue,
  path: ArgumentPath,
  node: SchemaIR,
  schema: ArgumentSchema,
): readonly string[] | undefined {
  const parts = isJsonArray(value)
    ? (printRepeated(value, path, node, schema) ?? printParts(value.entries(), path, node, schema))
    : isJsonObject(value)
      ? printParts(Object.entries(value), path, node, schema)
      : undefined;
  if (parts !== undefined) return parts;
  const text = printText(value, schema.accepted(node));
  return text === undefined ? undefined : [printFlag(path, text)];
}

/** Repeats the flag for each item, if all of them are scalar. */
function printRepeated(
  items: readonly JsonValue[],
  path: ArgumentPath,
  node: SchemaIR,
  schema: ArgumentSchema,
): readonly string[] | undefined {
  const whole = schema.accepted(node);
  if (items.length === 0 || !whole.types.has("array")) return undefined;
  const texts = items.map((item, index) => {
    if (typeof item === "object" && item !== null) return undefined;
    const inner = schema.item(node, index);
    const text = inner && printText(item, schema.accepted(inner));
    const read = text === undefined ? undefined : readText(text, whole);
    // This would be read as several items, or as a value instead of the list.
    const isOther = read !== undefined && "value" in read && (items.length === 1 || isJsonArray(read.value));
    return isOther ? undefined : text;
  });
  return texts.every((text) => text !== undefined) ? texts.map((text) => printFlag(path, text)) : undefined;
}

/** Prints each member of an object, or each item of a list, with flags of its own. */
function printParts(
  entries: Iterable<readonly [key: string | number, value: JsonValue]>,
  path: ArgumentPath,
  node: SchemaIR,
  schema: ArgumentSchema,
): readonly string[] | undefined {
  const parts = [...entries].map(([key, item]) => {
    const isIndex = typeof key === "number";
    if (isItemIndex(String(key), node, schema) !== isIndex) return undefined;
    const inner = isIndex ? schema.item(node, key) : schema.property(node, key);
    return inner && printPart(item, [...path, key], inner, schema);
  });
  return parts.length > 0 && parts.every((part) => part !== undefined) ? parts.flat() : undefined;
}

function printFlag(path: ArgumentPath, text: string): string {
  return `--${joinFlagName(path)}=${text}`;
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
  const [{ sampleValue }, { rootPart }] = await Promise.all([
    import("../../../../schema/sample/sample-value.js"),
    import("../../../../schema/sample/schema-part.js"),
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

/** The maximum depth of a sample. */
const DEEPEST = 8;

/** Returns sample arguments: the required properties, with values from the schema where it has any. They may be invalid. */
export function sampleArguments(schema: ArgumentSchema): JsonObject {
  return sampleMembers(schema.root, schema, 0);
}

function sampleMembers(node: SchemaIR, schema: ArgumentSchema, depth: number): JsonObject {
  const required = [...schema.members(node)].filter(([, { isRequired }]) => isRequired);
  return Object.fromEntries(
    required.map(([key, member]) => [key, sampleNode(member.schema, schema, depth + 1)]),
  );
}

/** The schema may treat formats as annotations, but most servers assert them. */
const FORMATTED: ReadonlyMap<string, string> = new Map([
  ["date", "2026-01-31"],
  ["date-time", "2026-01-31T09:00:00Z"],
  ["email", "ada@example.com"],
  ["time", "09:00:00Z"],
  ["uri", "https://example.com"],
  ["uuid", "123e4567-e89b-42d3-a456-426614174000"],
]);

function sampleText(node: SchemaIR): string {
  const format = node.kind === "string" ? node.format : undefined;
  return FORMATTED.get(format ?? "") ?? "…";
}

function sampleNode(node: SchemaIR, schema: ArgumentSchema, depth: number): JsonValue {
  const [example] = schema.annotation(node, "examples") ?? [];
  const stated = example ?? schema.annotation(node, "default");
  if (stated !== undefined) return stated;
  const { types, literals } = schema.accepted(node);
  const [literal] = literals.values();
  if (literal !== undefined) return literal;
  if (types.has("string")) return sampleText(node);
  if (types.has("number")) return 1;
  if (types.has("boolean")) return true;
  if (depth > DEEPEST) return types.has("object") ? {} : null;
  if (types.has("object")) return sampleMembers(node, schema, depth);
  const item = types.has("array") ? schema.item(node, 0) : undefined;
  return types.has("array") ? (item === undefined ? [] : [sampleNode(item, schema, depth + 1)]) : null;
}

import { findInexactNumbers } from "../../../../core/exact-json.js";
import { type McpCodegenError, codeOf } from "../../../../core/errors.js";
import { isJsonArray, type JsonObject, type JsonValue, canonicalJson } from "../../../../core/json.js";
import { nearestName } from "../../../../core/nearest-name.js";
import { parseJson } from "../../../../files/parse-json.js";
import { quoteForShell } from "../../../../report/layout.js";
import { usageError } from "../../../command-spec.js";
import { isAccepted, readText, takesOnly, type ArgumentSchema } from "./argument-schema.js";

/** What a word says of an argument: JSON, or a text, which the schema decides how to read. */
type Value = { readonly json: JsonValue } | { readonly text: string };

/** `--name`, `--name=text`, `name=text` or `name:=json`. */
const WORD = /^(--)?(.*?)(?:(:?)=(.*))?$/s;

/**
 * Reads the words after a tool's name as arguments: `--name value`, `name=value` and `name:=json`. They replace those of
 * `base`. The schema decides how to read each text; the result is not validated.
 *
 * @throws McpCodegenError `USAGE` for a word that cannot be read
 */
export function readFlags(
  words: readonly string[],
  schema: ArgumentSchema,
  base: JsonObject = {},
): JsonObject {
  const all = new Map<string, { readonly argument: ArgumentSchema; readonly values: Value[] }>();
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? "";
    const [, dashes, flag = "", colon, text] = WORD.exec(word) ?? [];
    if (dashes === undefined ? text === undefined || flag === "" : word === "--")
      throw refuse(
        word,
        "is not the value of a flag: write each value directly after its flag, or key=value",
      );
    const negated = text === undefined ? findNegated(flag, schema) : undefined;
    const name = negated ?? flag;
    // A part of an argument, such as `filter.name`, counts only if it is declared.
    const argument = findWhole(name, schema) === undefined ? schema.property(name) : undefined;
    if (argument === undefined) throw refuse(`--${flag}`, explainUnknown(flag, schema));
    const values = all.get(name)?.values ?? [];
    all.set(name, { argument, values });
    const next = words[at + 1];
    if (text !== undefined) values.push(colon === ":" ? { json: readJson(name, text) } : { text });
    else if (negated !== undefined) values.push({ json: false });
    else if (next !== undefined && mayFollow(next, argument)) {
      values.push({ text: next });
      at += 1;
    } else if (isAccepted(true, argument.accepted)) values.push({ json: true });
    else throw refuse(`--${flag}`, "needs a value");
  }
  const args = new Map(Object.entries(base));
  for (const [name, { argument, values }] of all) args.set(name, readValues(name, values, argument));
  // No key of an entry has a special meaning.
  return Object.fromEntries(args);
}

function refuse(word: string, problem: string): McpCodegenError {
  return usageError(`${word} ${problem}`.replace(/(?<!\?)$/, "."));
}

/** Returns the argument that a name with dots names a part of. */
function findWhole(name: string, schema: ArgumentSchema): string | undefined {
  const [head = ""] = name.split(".", 1);
  const isPart = head !== name && !schema.names.has(name) && schema.property(head) !== undefined;
  return isPart ? head : undefined;
}

/** Returns the boolean argument that `--no-name` sets to false. */
function findNegated(flag: string, schema: ArgumentSchema): string | undefined {
  const name = flag.replace(/^no-/, "");
  if (name === flag || schema.names.has(flag) || !schema.names.has(name)) return undefined;
  const argument = schema.property(name);
  return argument !== undefined && isAccepted(false, argument.accepted) ? name : undefined;
}

/** Whether the word after a flag is its value: one that begins with `--` has to be written with `=`. */
function mayFollow(word: string, { accepted }: ArgumentSchema): boolean {
  return !word.startsWith("--") && (!takesOnly("boolean", accepted) || word === "true" || word === "false");
}

/** Longer names are not compared: they are not typing mistakes. */
const LONGEST = 100;

function explainUnknown(name: string, schema: ArgumentSchema): string {
  const whole = findWhole(name, schema);
  if (whole !== undefined)
    return `names a part of an argument: write all of it as JSON, ${quoteForShell(`${whole}:={…}`)}`;
  const nearest = name.length > LONGEST ? undefined : nearestName(name, schema.names);
  return `is not a flag of this tool${nearest === undefined ? "" : `; did you mean --${nearest}?`}`;
}

function readJson(name: string, text: string): JsonValue {
  const parsed = parseJson(text);
  if (!("value" in parsed)) throw refuse(`--${name}`, `takes JSON after ":=": ${parsed.problem.reason}`);
  return assertExact(name, text, parsed.value);
}

/** Reads all values of an argument: a list takes several, of items and of lists. */
function readValues(name: string, values: readonly Value[], schema: ArgumentSchema): JsonValue {
  const read = (value: Value, { accepted }: ArgumentSchema): JsonValue =>
    "json" in value ? value.json : assertExact(name, value.text, readText(value.text, accepted));
  const isList = schema.accepted.types.has("array");
  if (values.length > 1 && !isList) throw refuse(`--${name}`, "is given more than once, but takes one value");
  const items: JsonValue[] = [];
  for (const value of values) {
    const whole = read(value, schema);
    if (values.length === 1 && (!isList || "json" in value || isAccepted(whole, schema.accepted)))
      return whole;
    if (isJsonArray(whole)) {
      items.push(...whole);
      continue;
    }
    const item = schema.item(items.length);
    if (item === undefined) throw refuse(`--${name}`, `takes at most ${items.length} values`);
    items.push(read(value, item));
  }
  return items;
}

/** Returns a value that was read from a text, unless the text has a number that JavaScript cannot hold. */
function assertExact(name: string, text: string, value: JsonValue): JsonValue {
  const [lossy] = typeof value === "string" ? [] : findInexactNumbers(text);
  if (lossy === undefined) return value;
  throw refuse(`--${name}`, `cannot send ${lossy.token} without losing precision`);
}

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
    const form = forms.find((candidate) => readBack(candidate, schema) === wanted);
    if (form === undefined) rest.push([name, value]);
    return form ?? [];
  });
  return { input: rest.length > 0 ? Object.fromEntries(rest) : undefined, words };
}

/** Returns the canonical JSON of the arguments; undefined for words that cannot be read. */
function readBack(words: readonly string[], schema: ArgumentSchema): string | undefined {
  try {
    return canonicalJson(readFlags(words, schema));
  } catch (error) {
    if (codeOf(error) !== "USAGE") throw error;
    return undefined;
  }
}

import { findInexactNumbers } from "../../../../core/exact-json.js";
import { type McpCodegenError, codeOf } from "../../../../core/errors.js";
import { type JsonObject, type JsonValue } from "../../../../core/json.js";
import { isSameJson } from "../../../../core/json-pointer.js";
import { nearestName } from "../../../../core/nearest-name.js";
import { parseJson } from "../../../../files/parse-json.js";
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
    const [, dashes, name = "", colon, text] = WORD.exec(word) ?? [];
    if (dashes === undefined ? text === undefined || name === "" : word === "--")
      throw refuse(
        word,
        "is not the value of a flag: write each value directly after its flag, or key=value",
      );
    const argument = schema.property(name);
    if (argument === undefined) throw refuse(`--${name}`, explainUnknown(name, schema));
    const values = all.get(name)?.values ?? [];
    all.set(name, { argument, values });
    const next = words[at + 1];
    if (text !== undefined) values.push(colon === ":" ? { json: readJson(name, text) } : { text });
    else if (next !== undefined && mayFollow(next, argument)) {
      values.push({ text: next });
      at += 1;
    } else if (isAccepted(true, argument.accepted)) values.push({ json: true });
    else throw refuse(`--${name}`, "needs a value");
  }
  const args = new Map(Object.entries(base));
  for (const [name, { argument, values }] of all) args.set(name, readValues(name, values, argument));
  // No key of an entry has a special meaning.
  return Object.fromEntries(args);
}

function refuse(word: string, problem: string): McpCodegenError {
  return usageError(`${word} ${problem}`.replace(/(?<!\?)$/, "."));
}

/** Whether the word after a flag is its value: one that begins with `--` has to be written with `=`. */
function mayFollow(word: string, { accepted }: ArgumentSchema): boolean {
  return !word.startsWith("--") && (!takesOnly("boolean", accepted) || word === "true" || word === "false");
}

function explainUnknown(name: string, schema: ArgumentSchema): string {
  const nearest = nearestName(name.split(".", 1)[0] ?? "", schema.names);
  return `is not a flag of this tool${nearest === undefined ? "" : `; did you mean --${nearest}?`}`;
}

function readJson(name: string, text: string): JsonValue {
  const parsed = parseJson(text);
  if (!("value" in parsed)) throw refuse(`--${name}`, `takes JSON after ":=": ${parsed.problem.reason}`);
  return assertExact(name, text, parsed.value);
}

/** Reads all values of an argument: a list takes several, one for each item. */
function readValues(name: string, values: readonly Value[], schema: ArgumentSchema): JsonValue {
  const read = (value: Value, { accepted }: ArgumentSchema): JsonValue =>
    "json" in value ? value.json : assertExact(name, value.text, readText(value.text, accepted));
  const isList = schema.accepted.types.has("array");
  const [first, other] = values;
  if (first !== undefined && other === undefined) {
    const whole = read(first, schema);
    if (!isList || "json" in first || isAccepted(whole, schema.accepted)) return whole;
  } else if (!isList) throw refuse(`--${name}`, "is given more than once, but takes one value");
  return values.map((value, at) => read(value, schema.item(at)));
}

/** Returns a value that was read from a text, unless the text has a number that JavaScript cannot hold. */
function assertExact(name: string, text: string, value: JsonValue): JsonValue {
  const [lossy] = typeof value === "string" ? [] : findInexactNumbers(text);
  if (lossy === undefined) return value;
  throw refuse(`--${name}`, `cannot send ${lossy.token} without losing precision`);
}

/** Prints arguments as words that `readFlags` reads back; undefined if one of them needs `--input`. */
export function printArgumentWords(args: JsonObject, schema: ArgumentSchema): readonly string[] | undefined {
  const words: string[] = [];
  for (const [name, value] of Object.entries(args)) {
    const json = JSON.stringify(value);
    const forms = [`${name}=${typeof value === "string" ? value : json}`, `${name}:=${json}`];
    const form = forms.find((word) => isReadAs({ [name]: value }, word, schema));
    if (form === undefined) return undefined;
    words.push(form);
  }
  return words;
}

function isReadAs(args: JsonObject, word: string, schema: ArgumentSchema): boolean {
  try {
    return isSameJson(readFlags([word], schema), args);
  } catch (error) {
    if (codeOf(error) !== "USAGE") throw error;
    return false;
  }
}

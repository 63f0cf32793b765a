import { groupBy } from "../../../../core/collections.js";
import { findInexactNumbers } from "../../../../core/exact-json.js";
import { isJsonArray, type JsonObject, type JsonValue, tryParseJson } from "../../../../core/json.js";
import { nearestName } from "../../../../core/nearest-name.js";
import { parseJson } from "../../../../files/parse-json.js";
import { quoteForShell } from "../../../../report/layout.js";
import { readValue, usageError } from "../../../command-spec.js";
import {
  flagOf,
  GLOBAL_OPTIONS,
  type GlobalOptions,
  type OptionTable,
  type OptionValues,
} from "../../../options.js";
import { CALL_FLAGS } from "../spec.js";
import {
  describeAccepted,
  explainLossy,
  isAccepted,
  isSwitch,
  type ReadText,
  readText,
} from "./accepted-values.js";
import type { ArgumentSchema } from "./argument-schema.js";

/** A problem with a word of the command line; `flag` is that word. */
interface FlagProblem {
  readonly flag: string;
  readonly message: string;
}

type ReadFlags = { readonly args: JsonObject } | { readonly problems: readonly FlagProblem[] };

/** An argument from the command line. */
interface GivenArgument {
  readonly name: string;
  readonly schema: ArgumentSchema;
  /** Absent for a flag without a value. */
  readonly text?: string | undefined;
  /** The value of `key:=json` and of `--no-key`, which the schema does not change. */
  readonly json?: JsonValue | undefined;
}

/**
 * Reads the words after a tool's name as arguments: `--name value`, `name=value` and `name:=json`. They replace those of
 * `base`. The schema decides how to read each text; the result is not validated.
 */
export function readFlags(
  words: readonly string[],
  schema: ArgumentSchema,
  base: JsonObject = {},
): ReadFlags {
  const read = readWords(words, schema);
  const groups = groupBy(
    read.filter((item) => "name" in item),
    ({ name }) => name,
  );
  const values = [...groups].map(([name, group]) => ({ name, ...readGroup(group) }));
  const problems = [
    ...read.filter((item) => "message" in item),
    ...values.flatMap((value) =>
      "problem" in value ? [{ flag: `--${value.name}`, message: value.problem }] : [],
    ),
  ];
  if (problems.length > 0) return { problems };
  const entries = values.flatMap((value) => ("value" in value ? [[value.name, value.value] as const] : []));
  // No key of an entry has a special meaning.
  return { args: Object.fromEntries([...Object.entries(base), ...entries]) };
}

function readWords(
  words: readonly string[],
  schema: ArgumentSchema,
): readonly (GivenArgument | FlagProblem)[] {
  const read: (GivenArgument | FlagProblem)[] = [];
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? "";
    const isFlag = word.startsWith("--") && word !== "--";
    const body = isFlag ? word.slice(2) : word;
    const end = body.indexOf("=");
    const name = end < 0 ? body : body.slice(0, end);
    const text = end < 0 ? undefined : body.slice(end + 1);
    if (!isFlag) {
      read.push(
        readAssignment(name, text, schema) ?? {
          flag: word,
          message: "is not the value of a flag: write each value directly after its flag, or key=value",
        },
      );
      continue;
    }
    const next = words[at + 1];
    const takesNext = text === undefined && next?.startsWith("--") === false && takesWord(name, next, schema);
    read.push(readFlag(name, takesNext ? next : text, schema));
    if (takesNext) at += 1;
  }
  return read;
}

/** Reads `name=value` as `--name=value`, and `name:=json`, whose value is JSON. Returns undefined for any other word. */
function readAssignment(
  name: string,
  text: string | undefined,
  schema: ArgumentSchema,
): GivenArgument | FlagProblem | undefined {
  if (text === undefined || name === "" || name === ":") return undefined;
  if (!name.endsWith(":")) return readFlag(name, text, schema);
  const read = readFlag(name.slice(0, -1), text, schema);
  if ("message" in read) return read;
  const parsed = parseJson(text);
  if (!("value" in parsed)) return { flag: `${name}=`, message: `takes JSON: ${parsed.problem.reason}` };
  const [lossy] = findInexactNumbers(text);
  if (lossy !== undefined) return { flag: `--${read.name}`, message: explainLossy(lossy) };
  return { ...read, json: parsed.value };
}

function readFlag(
  name: string,
  text: string | undefined,
  schema: ArgumentSchema,
): GivenArgument | FlagProblem {
  const negated = text === undefined ? findNegated(name, schema) : undefined;
  if (negated !== undefined) return negated;
  const property = findProperty(name, schema);
  if (property !== undefined) return { name, schema: property, text };
  const flag = `--${name}`;
  const [head = "", ...keys] = name.split(".", MOST_KEYS);
  const { types } = schema.property(head)?.accepted ?? { types: new Set() };
  if (keys.length > 0 && (types.has("object") || types.has("array"))) {
    const part = keys.reduceRight<JsonValue>(
      (inner, key) => (/^\d+$/.test(key) ? [inner] : Object.fromEntries([[key, inner]])),
      text === undefined ? true : guessValue(text),
    );
    const json = `${quoteForShell(`${head}:`)}=${quoteForShell(JSON.stringify(part))}`;
    return { flag, message: `names a part of an argument: write ${json} instead` };
  }
  const nearest = name.length > LONGEST ? undefined : nearestName(name, schema.names);
  const hint = nearest === undefined ? "" : `; did you mean --${nearest}?`;
  return { flag, message: `is not a flag of this tool${hint}` };
}

/** Returns the JSON of a text without a schema; the text itself if it has none, or a number that would lose digits. */
function guessValue(text: string): JsonValue {
  const value = tryParseJson(text);
  return value === undefined || findInexactNumbers(text).length > 0 ? text : value;
}

/** Longer names are not compared: they are not typing mistakes. */
const LONGEST = 100;

/** More keys of a name with dots are left out of the hint. */
const MOST_KEYS = 20;

/** Returns the schema of an argument. A name with a dot has to be declared, since it was the name of a part before. */
function findProperty(name: string, schema: ArgumentSchema): ArgumentSchema | undefined {
  const [head = "", ...keys] = name.split(".", 2);
  const isPart = keys.length > 0 && !schema.names.has(name) && schema.property(head) !== undefined;
  return isPart ? undefined : schema.property(name);
}

/** Returns the boolean argument that `--no-name` sets to false. */
function findNegated(flag: string, schema: ArgumentSchema): GivenArgument | undefined {
  const name = flag.replace(/^no-/, "");
  if (name === flag || schema.names.has(flag) || !schema.names.has(name)) return undefined;
  const property = schema.property(name);
  return property !== undefined && isAccepted(false, property.accepted)
    ? { name, schema: property, json: false }
    : undefined;
}

/** Whether the word after a flag is its value. A value that begins with `--` has to be written with `=`. */
function takesWord(name: string, word: string, schema: ArgumentSchema): boolean {
  if (findNegated(name, schema) !== undefined) return false;
  const property = findProperty(name, schema);
  // The value of an unknown flag is not reported as a second problem.
  return property === undefined || !isSwitch(property.accepted) || word === "true" || word === "false";
}

function readGroup([first, ...others]: readonly [GivenArgument, ...GivenArgument[]]): ReadText {
  const { schema } = first;
  const isList = schema.accepted.types.has("array");
  if (others.length > 0 && !isList) return { problem: "is given more than once, but takes one value" };
  if (others.length === 0) {
    const whole = readGiven(first, schema);
    if ("value" in whole || !isList) return whole;
  }
  const items: JsonValue[] = [];
  for (const argument of [first, ...others]) {
    const list = readGiven(argument, schema);
    if ("value" in list && isJsonArray(list.value)) {
      items.push(...list.value);
      continue;
    }
    const item = schema.item(items.length);
    if (item === undefined) return { problem: `takes at most ${items.length} values` };
    const read = readGiven(argument, item);
    if ("problem" in read) return read;
    items.push(read.value);
  }
  return { value: items };
}

function readGiven({ text, json }: GivenArgument, { accepted }: ArgumentSchema): ReadText {
  if (json !== undefined) return { value: json };
  if (text !== undefined) return readText(text, accepted);
  if (isAccepted(true, accepted)) return { value: true };
  return { problem: `needs a value: ${describeAccepted(accepted)}` };
}

/** The options of `call` that follow the tool's name. */
interface OwnOptions {
  readonly isHelp: boolean;
  readonly options: OptionValues<typeof CALL_FLAGS> & GlobalOptions;
  /** The remaining words, which are the tool's flags. */
  readonly words: readonly string[];
}

/** Options that must precede the tool's name, since they decide which tool it names. */
const BEFORE = ["config", "envFile"] as const;

/**
 * Separates the options of the command from the tool's flags after the tool's name. A flag that is a parameter of the tool
 * is the tool's.
 *
 * @throws McpCodegenError `USAGE`
 */
export function extractOwnOptions(words: readonly string[], schema: ArgumentSchema): OwnOptions {
  const table: OptionTable = { ...GLOBAL_OPTIONS, ...CALL_FLAGS, help: { help: "print help" } };
  const rows = Object.entries(table).filter(([name, spec]) => !schema.names.has(flagOf(name, spec).slice(2)));
  const { options, words: left } = extractOptions(words, Object.fromEntries(rows));
  const { help, ...values } = options as OwnOptions["options"] & { readonly help?: boolean };
  const early = BEFORE.find((name) => values[name] !== undefined);
  if (early !== undefined) {
    const flag = flagOf(early, GLOBAL_OPTIONS[early]);
    throw usageError(
      `${flag} must precede the name of the tool.`,
      `For example: npx mcp-codegen call ${flag} … <tool>.`,
    );
  }
  const isHelp = help === true || (words.length === 1 && words[0] === "-h");
  return { isHelp, options: values, words: left };
}

/**
 * Separates the options of a table from other words.
 *
 * @throws McpCodegenError `USAGE` for an option without its value
 */
export function extractOptions<T extends OptionTable>(
  words: readonly string[],
  table: T,
): { readonly options: OptionValues<T>; readonly words: readonly string[] } {
  const byFlag = new Map(
    Object.entries(table).map(([name, spec]) => [flagOf(name, spec), { name, ...spec }]),
  );
  const values = new Map<string, unknown>();
  const left: string[] = [];
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? "";
    const [flag = ""] = word.split("=", 1);
    const option = byFlag.get(flag);
    if (option === undefined) {
      left.push(word);
      continue;
    }
    const { name, ...spec } = option;
    const isWhole = word.length > flag.length;
    if (spec.value === undefined) {
      if (isWhole) throw usageError(`${flag} takes no value.`);
      values.set(name, spec.isNegative !== true);
      continue;
    }
    const text = isWhole ? word.slice(flag.length + 1) : words[(at += 1)];
    if (text === undefined) throw usageError(`${flag} needs a value.`);
    values.set(name, readValue(flag, text, spec, values.get(name)));
  }
  // Each value was read by the table, so it has its type.
  return { options: Object.fromEntries(values) as OptionValues<T>, words: left };
}

import { groupBy } from "../../../../core/collections.js";
import { findInexactNumbers } from "../../../../core/exact-json.js";
import { isJsonArray, type JsonObject, type JsonValue } from "../../../../core/json.js";
import type { SchemaIR } from "../../../../core/schema-ir.js";
import { nearestName } from "../../../../core/words/words.js";
import { parseJson } from "../../../../files/parse-json.js";
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
import {
  type ArgumentPath,
  type DeadEnd,
  findPlace,
  type FlagTarget,
  joinFlagName,
  layValues,
  splitFlagName,
  splitFlag,
} from "./flag-paths.js";

/** A problem with a word of the command line; `flag` is that word. */
interface FlagProblem {
  readonly flag: string;
  readonly message: string;
}

type ReadFlags = { readonly args: JsonObject } | { readonly problems: readonly FlagProblem[] };

/** A flag from the command line; `text` is absent without a value. */
interface GivenFlag extends FlagTarget {
  readonly flag: string;
  readonly text?: string | undefined;
  /** The value of `key:=json`, which the schema does not change. */
  readonly json?: JsonValue | undefined;
  readonly isNegated: boolean;
}

/**
 * Reads the words after a tool's name as arguments, and sets them in `base`. The schema decides how to read each text
 * and where it belongs; the result is not validated.
 */
export function readFlags(
  words: readonly string[],
  schema: ArgumentSchema,
  base: JsonObject = {},
): ReadFlags {
  const read = readWords(words, schema);
  const groups = groupBy(
    read.filter((one) => "path" in one),
    ({ path }) => JSON.stringify(path),
  );
  const values = [...groups.values()].map((group) => readGroup(group, schema));
  const { args, obstacles } = layValues(
    base,
    values.filter((one) => "value" in one),
  );
  const problems = [
    ...[...read, ...values].filter((one) => "message" in one),
    ...obstacles.map(({ path, message }) => ({ flag: `--${joinFlagName(path)}`, message })),
  ];
  return problems.length > 0 ? { problems } : { args };
}

/** Deeper than any realistic flag, and far below the limit of the call stack. */
const DEEPEST = 256;

function readWords(words: readonly string[], schema: ArgumentSchema): readonly (GivenFlag | FlagProblem)[] {
  const read: (GivenFlag | FlagProblem)[] = [];
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? "";
    if (!word.startsWith("--") || word === "--") {
      read.push(
        readAssignment(word, schema) ?? {
          flag: word,
          message: "is not the value of a flag: write each value directly after its flag, or key=value",
        },
      );
      continue;
    }
    const flag = readFlag(word, schema);
    const next = words[at + 1];
    const takesNext = next !== undefined && !next.startsWith("--") && takesWord(flag, next, schema);
    read.push(takesNext && "path" in flag ? { ...flag, text: next } : flag);
    if (takesNext) at += 1;
  }
  return read;
}

/** Reads `key=value` as `--key=value`, and `key:=json`, whose value is JSON. Returns undefined for any other word. */
function readAssignment(word: string, schema: ArgumentSchema): GivenFlag | FlagProblem | undefined {
  const { name, text } = splitFlag(`--${word}`);
  if (text === undefined || name === "" || name === ":") return undefined;
  if (!name.endsWith(":")) return readFlag(`--${word}`, schema);
  const read = readFlag(`--${name.slice(0, -1)}=${text}`, schema);
  if ("message" in read) return read;
  const parsed = parseJson(text);
  if ("value" in parsed) {
    const [lossy] = findInexactNumbers(text);
    if (lossy !== undefined) return { flag: `--${name.slice(0, -1)}`, message: explainLossy(lossy) };
    return { ...read, json: parsed.value };
  }
  return { flag: word.slice(0, name.length + 1), message: `takes JSON: ${parsed.problem.reason}` };
}

function readFlag(word: string, schema: ArgumentSchema): GivenFlag | FlagProblem {
  const { name, text } = splitFlag(word);
  const flag = `--${name}`;
  const keys = splitFlagName(name);
  if (keys.length > DEEPEST) return { flag: "--…", message: `is nested more than ${DEEPEST} levels deep` };
  const place = findPlace(keys, schema);
  const negated = text === undefined ? findNegated(name, schema) : undefined;
  if (negated !== undefined && !isDeclared(keys, schema)) return { flag, isNegated: true, ...negated };
  if ("within" in place) return { flag, message: describeDeadEnd(keys, place, schema) };
  return { flag, isNegated: false, ...place, text };
}

function describeDeadEnd(keys: readonly string[], end: DeadEnd, schema: ArgumentSchema): string {
  const { path, within } = end;
  if (path.length > 0 && schema.members(within).size === 0)
    return `names a part of --${joinFlagName(path)}, which takes ${describeAccepted(schema.accepted(within))}`;
  const nearest = nearestFlag(keys, end, schema);
  return `is not a flag of this tool${nearest === undefined ? "" : `; did you mean --${nearest}?`}`;
}

function nearestFlag(
  keys: readonly string[],
  { path, within }: DeadEnd,
  schema: ArgumentSchema,
): string | undefined {
  // A name with an unescaped dot was split into keys, so compare all of it.
  const rest = keys.slice(path.length).join(".");
  if (rest.length > LONGEST) return undefined;
  const known = [...schema.members(within).keys()];
  const nearest = nearestName(rest, known) ?? nearestName(keys[path.length] ?? "", known);
  return nearest === undefined ? undefined : joinFlagName([...path, nearest]);
}

/** Longer names are not compared: they are not typing mistakes. */
const LONGEST = 100;

function findNegated(name: string, schema: ArgumentSchema): FlagTarget | undefined {
  if (!name.startsWith("no-")) return undefined;
  const keys = splitFlagName(name.slice("no-".length));
  const place = findPlace(keys, schema);
  if ("within" in place || !isDeclared(keys, schema)) return undefined;
  return isAccepted(false, schema.accepted(place.schema)) ? place : undefined;
}

function isDeclared(keys: readonly string[], schema: ArgumentSchema): boolean {
  const parent = findPlace(keys.slice(0, -1), schema);
  return "schema" in parent && schema.members(parent.schema).has(keys.at(-1) ?? "");
}

/** Whether the word after a flag is its value. A value that begins with `--` has to be written with `=`. */
function takesWord(flag: GivenFlag | FlagProblem, word: string, schema: ArgumentSchema): boolean {
  // The value of an unknown flag is not reported as a second problem.
  if ("message" in flag) return !flag.flag.includes("=");
  if (flag.isNegated || flag.text !== undefined) return false;
  return !isSwitch(schema.accepted(flag.schema)) || word === "true" || word === "false";
}

type Assigned = { readonly path: ArgumentPath; readonly value: JsonValue } | FlagProblem;

function readGroup(
  [first, ...others]: readonly [GivenFlag, ...GivenFlag[]],
  schema: ArgumentSchema,
): Assigned {
  const { flag, path } = first;
  const accepted = schema.accepted(first.schema);
  const isList = accepted.types.has("array");
  if (others.length > 0 && !isList) return { flag, message: "is given more than once, but takes one value" };
  if (others.length === 0) {
    const whole = readGiven(first, first.schema, schema);
    if ("value" in whole) return { path, value: whole.value };
    if (!isList) return { flag, message: whole.problem };
  }
  const items: JsonValue[] = [];
  for (const given of [first, ...others]) {
    const list = readGiven(given, first.schema, schema);
    if ("value" in list && isJsonArray(list.value)) {
      items.push(...list.value);
      continue;
    }
    const node = schema.item(first.schema, items.length);
    if (node === undefined) return { flag, message: `takes at most ${items.length} values` };
    const item = readGiven(given, node, schema);
    if ("problem" in item) return { flag, message: item.problem };
    items.push(item.value);
  }
  return { path, value: items };
}

function readGiven({ text, json, isNegated }: GivenFlag, node: SchemaIR, schema: ArgumentSchema): ReadText {
  if (json !== undefined) return { value: json };
  const accepted = schema.accepted(node);
  if (text !== undefined) return readText(text, accepted);
  if (isNegated) return { value: false };
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
  const parameters = schema.members(schema.root);
  const table: OptionTable = { ...GLOBAL_OPTIONS, ...CALL_FLAGS, help: { help: "print help" } };
  const own = Object.entries(table).filter(([name, spec]) => !parameters.has(flagOf(name, spec).slice(2)));
  const { options, words: left } = extractOptions(words, Object.fromEntries(own));
  const { help, ...given } = options as OwnOptions["options"] & { readonly help?: boolean };
  const early = BEFORE.find((name) => given[name] !== undefined);
  if (early !== undefined) {
    const flag = flagOf(early, GLOBAL_OPTIONS[early]);
    throw usageError(
      `${flag} must precede the name of the tool.`,
      `For example: npx mcp-codegen call ${flag} … <tool>.`,
    );
  }
  const isHelp = help === true || (words.length === 1 && words[0] === "-h");
  return { isHelp, options: given, words: left };
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
  const given = new Map<string, unknown>();
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
      given.set(name, spec.isNegative !== true);
      continue;
    }
    const text = isWhole ? word.slice(flag.length + 1) : words[(at += 1)];
    if (text === undefined) throw usageError(`${flag} needs a value.`);
    given.set(name, readValue(flag, text, spec, given.get(name)));
  }
  // Each value was read by the table, so it has its type.
  return { options: Object.fromEntries(given) as OptionValues<T>, words: left };
}

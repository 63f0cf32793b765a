import { nearestName } from "../../config/did-you-mean.js";
import type { JsonObject, JsonValue } from "../../contract/json.js";
import type { SchemaIR } from "../../contract/schema-ir.js";
import { isAccepted, isSwitch } from "./accepted.js";
import type { ArgumentSchema } from "./argument-schema.js";
import { layValues, type ArgumentPath } from "./draft.js";
import { findPlace, type DeadEnd, type Place } from "./find-place.js";
import { joinFlagName, splitFlag, splitFlagName } from "./flag-names.js";
import { describeAccepted, readText } from "./read-text.js";

/** What is wrong with a command line: `flag` as it is written, or another word of it. */
export interface FlagProblem {
  readonly flag: string;
  readonly message: string;
}

export type ReadFlags =
  { readonly args: JsonObject } | { readonly problems: readonly [FlagProblem, ...FlagProblem[]] };

/** A flag as it was given: `text` is absent for one that stands alone. */
interface Given extends Place {
  readonly flag: string;
  readonly text?: string;
  readonly isNegated: boolean;
}

/**
 * The words after a tool's name as its arguments, laid over those of `base`. Whether the schema accepts them is not judged:
 * only what a text stands for, and where it belongs, comes from there.
 */
export function readFlags(
  words: readonly string[],
  schema: ArgumentSchema,
  base: JsonObject = {},
): ReadFlags {
  const read = readWords(words, schema);
  const problems = read.filter((one) => "message" in one);
  const groups = groupByPath(read.filter((one) => "path" in one));
  const values = groups.map((group) => readGroup(group, schema));
  problems.push(...values.filter((one) => "message" in one));
  const laid = layValues(
    base,
    values.filter((one) => "value" in one),
  );
  if ("obstacles" in laid)
    problems.push(
      ...laid.obstacles.map(({ path, message }) => ({ flag: `--${joinFlagName(path)}`, message })),
    );
  const [first, ...rest] = problems;
  if (first !== undefined) return { problems: [first, ...rest] };
  return { args: "args" in laid ? laid.args : {} };
}

/** Deeper than any schema leads somebody who types, and far from the end of the call stack. */
const DEEPEST = 256;

function readWords(words: readonly string[], schema: ArgumentSchema): readonly (Given | FlagProblem)[] {
  const read: (Given | FlagProblem)[] = [];
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? "";
    if (!word.startsWith("--") || word === "--") {
      read.push({
        flag: word,
        message: "is not the value of a flag: write each value directly after its flag",
      });
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

function readFlag(word: string, schema: ArgumentSchema): Given | FlagProblem {
  const { name, text } = splitFlag(word);
  const flag = `--${name}`;
  const keys = splitFlagName(name);
  if (keys.length > DEEPEST) return { flag: "--…", message: `is nested more than ${DEEPEST} levels deep` };
  const place = findPlace(keys, schema);
  const negated = text === undefined ? findNegated(name, schema) : undefined;
  if (negated !== undefined && !isDeclared(keys, schema)) return { flag, isNegated: true, ...negated };
  if ("within" in place) return { flag, message: describeDeadEnd(keys, place, schema) };
  return { flag, isNegated: false, ...place, ...(text !== undefined && { text }) };
}

function describeDeadEnd(keys: readonly string[], end: DeadEnd, schema: ArgumentSchema): string {
  const { path, within } = end;
  if (path.length > 0 && schema.members(within).size === 0)
    return `names a part of --${joinFlagName(path)}, which takes ${describeAccepted(schema.accepted(within))}`;
  const nearest = nearestFlag(keys, end, schema);
  return `is not a flag of this tool${nearest === undefined ? "" : `; did you mean --${nearest}?`}`;
}

/** The flag that an unknown one most likely stands for. */
function nearestFlag(
  keys: readonly string[],
  { path, within }: DeadEnd,
  schema: ArgumentSchema,
): string | undefined {
  // Whoever forgot that a dot leads inside wrote the whole of a name.
  const rest = keys.slice(path.length).join(".");
  if (rest.length > LONGEST) return undefined;
  const known = [...schema.members(within).keys()];
  const nearest = nearestName(rest, known) ?? nearestName(keys[path.length] ?? "", known);
  return nearest === undefined ? undefined : joinFlagName([...path, nearest]);
}

/** Nobody types a longer name by mistake. */
const LONGEST = 100;

/** What `--no-flag` switches off. */
function findNegated(name: string, schema: ArgumentSchema): Place | undefined {
  if (!name.startsWith("no-")) return undefined;
  const keys = splitFlagName(name.slice("no-".length));
  const place = findPlace(keys, schema);
  if ("within" in place || !isDeclared(keys, schema)) return undefined;
  return isAccepted(false, schema.accepted(place.schema)) ? place : undefined;
}

/** Whether the schema names the last of the keys. */
function isDeclared(keys: readonly string[], schema: ArgumentSchema): boolean {
  const parent = findPlace(keys.slice(0, -1), schema);
  return "schema" in parent && schema.members(parent.schema).has(keys.at(-1) ?? "");
}

/** Whether the word behind a flag is its value. What begins with `--` is the next flag, unless it is written with `=`. */
function takesWord(flag: Given | FlagProblem, word: string, schema: ArgumentSchema): boolean {
  // What follows a flag that is none is not to be complained of as well.
  if ("message" in flag) return !flag.flag.includes("=");
  if (flag.isNegated || flag.text !== undefined) return false;
  return !isSwitch(schema.accepted(flag.schema)) || word === "true" || word === "false";
}

function groupByPath(all: readonly Given[]): readonly (readonly [Given, ...Given[]])[] {
  const groups = new Map<string, [Given, ...Given[]]>();
  for (const given of all) {
    const key = JSON.stringify(given.path);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [given]);
    else group.push(given);
  }
  return [...groups.values()];
}

type Assigned = { readonly path: ArgumentPath; readonly value: JsonValue } | FlagProblem;

/** The value of a flag from all times that it was given. */
function readGroup([first, ...others]: readonly [Given, ...Given[]], schema: ArgumentSchema): Assigned {
  const { flag, path } = first;
  const accepted = schema.accepted(first.schema);
  const isList = accepted.types.has("array");
  if (others.length > 0 && !isList) return { flag, message: "is given more than once, but takes one value" };
  if (others.length === 0) {
    const whole = readGiven(first, first.schema, schema);
    if ("value" in whole || !isList) return named(flag, path, whole);
  }
  const items: JsonValue[] = [];
  for (const given of [first, ...others]) {
    const list = readGiven(given, first.schema, schema);
    if ("value" in list && Array.isArray(list.value)) {
      items.push(...(list.value as readonly JsonValue[]));
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

function named(flag: string, path: ArgumentPath, read: ReturnType<typeof readText>): Assigned {
  return "value" in read ? { path, value: read.value } : { flag, message: read.problem };
}

function readGiven(
  { text, isNegated }: Given,
  node: SchemaIR,
  schema: ArgumentSchema,
): ReturnType<typeof readText> {
  const accepted = schema.accepted(node);
  if (text !== undefined) return readText(text, accepted);
  if (isNegated) return { value: false };
  if (isAccepted(true, accepted)) return { value: true };
  return { problem: `needs a value: ${describeAccepted(accepted)}` };
}

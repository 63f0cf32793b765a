import { groupBy } from "../../../../core/collections.js";
import {
  findOwn,
  isJsonArray,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  objectOrEmpty,
} from "../../../../core/json.js";
import type { SchemaIR } from "../../../../core/schema-ir.js";
import type { ArgumentSchema } from "./argument-schema.js";

/**
 * Splits the name of a flag into keys: `meta.key` is `key` in `meta`. A backslash escapes the next character, so
 * `odd\.name` is one key.
 */
export function splitFlagName(name: string): readonly string[] {
  const keys = [""];
  for (let at = 0; at < name.length; at += 1) {
    const character = name.charAt(at);
    if (character === ".") keys.push("");
    else {
      const isEscape = character === "\\" && at + 1 < name.length;
      if (isEscape) at += 1;
      keys.push(`${keys.pop() ?? ""}${name.charAt(at)}`);
    }
  }
  return keys;
}

export function joinFlagName(keys: readonly (string | number)[]): string {
  return keys.map((key) => String(key).replace(/[\\.=]/g, "\\$&")).join(".");
}

/** Splits a word that begins with `--` at its first unescaped `=`. */
export function splitFlag(word: string): { readonly name: string; readonly text?: string } {
  const body = word.slice(2);
  for (let at = 0; at < body.length; at += 1) {
    if (body[at] === "\\") at += 1;
    else if (body[at] === "=") return { name: body.slice(0, at), text: body.slice(at + 1) };
  }
  return { name: body };
}

/** The path that a flag's keys lead to, and its schema. */
export interface FlagTarget {
  readonly path: ArgumentPath;
  readonly schema: SchemaIR;
}

/** The first key that does not exist: the schema that lacks it, and the path to that schema. */
export interface DeadEnd {
  readonly path: ArgumentPath;
  readonly within: SchemaIR;
}

/** Follows a flag's keys into a schema. A number is an array index if the value may be an array. */
export function findPlace(keys: readonly string[], schema: ArgumentSchema): FlagTarget | DeadEnd {
  const path: (string | number)[] = [];
  let node = schema.root;
  for (const key of keys) {
    // Arguments are always an object, so the first key is never an index.
    const step = path.length > 0 && isItemIndex(key, node, schema) ? Number(key) : key;
    const inner = typeof step === "number" ? schema.item(node, step) : schema.property(node, step);
    if (inner === undefined) return { path, within: node };
    path.push(step);
    node = inner;
  }
  return { path, schema: node };
}

/** Whether a key is an array index and not a declared property. */
export function isItemIndex(key: string, node: SchemaIR, schema: ArgumentSchema): boolean {
  return (
    /^(?:0|[1-9]\d{0,6})$/.test(key) &&
    schema.accepted(node).types.has("array") &&
    !schema.members(node).has(key)
  );
}

/** The keys and indexes from the arguments to a part of them. */
export type ArgumentPath = readonly (string | number)[];

/** Why a value cannot be set: its parent is not an object or a list, or a list has a gap. */
interface Obstacle {
  readonly path: ArgumentPath;
  readonly message: string;
}

interface PlacedValue {
  readonly path: ArgumentPath;
  readonly value: JsonValue;
}

/** Sets values in the arguments, each at its path: `meta.key` changes a given `meta`. */
export function layValues(
  base: JsonObject,
  values: readonly PlacedValue[],
): { readonly args: JsonObject; readonly obstacles: readonly Obstacle[] } {
  const obstacles: Obstacle[] = [];
  const args = layInside(base, values, 0, obstacles);
  findGaps(args, [], obstacles);
  return { args: objectOrEmpty(args), obstacles };
}

/** Returns a part of the arguments with these values, whose paths lead to it. Adds an obstacle if it cannot have them. */
function layInside(
  whole: JsonValue | undefined,
  values: readonly PlacedValue[],
  depth: number,
  obstacles: Obstacle[],
): JsonValue {
  const given = values.findLast(({ path }) => path.length === depth)?.value ?? whole;
  const deeper = values.filter(({ path }) => path.length > depth);
  const groups = groupBy(deeper, ({ path }) => path[depth] ?? "");
  const keys = [...groups.keys()];
  const part = given ?? (typeof keys[0] === "number" ? [] : {});
  const misfit = keys.find((key) => !(typeof key === "number" ? isJsonArray(part) : isJsonObject(part)));
  if (misfit !== undefined) {
    const wanted = typeof misfit === "number" ? "a list" : "an object";
    const path = values[0]?.path.slice(0, depth) ?? [];
    obstacles.push({ path, message: `is not ${wanted}, so its parts cannot be set` });
  }
  if (keys.length === 0 || misfit !== undefined) return given ?? null;
  const inner = Array.from(groups, ([key, own]) => {
    const before = isJsonArray(part) ? part[Number(key)] : findOwn(part, String(key));
    return [key, layInside(before, own, depth + 1, obstacles)] as const;
  });
  // No key of an entry has a special meaning.
  if (isJsonObject(part)) return Object.fromEntries([...Object.entries(part), ...inner]);
  const list = isJsonArray(part) ? part.slice() : [];
  // Not spread: a gap stays one, however high the number is.
  for (const [key, value] of inner) list[Number(key)] = value;
  return list;
}

function findGaps(value: JsonValue, path: ArgumentPath, obstacles: Obstacle[]): void {
  if (typeof value !== "object" || value === null) return;
  const isList = isJsonArray(value);
  const entries = Object.entries<JsonValue>(value);
  for (const [key, item] of entries) findGaps(item, [...path, isList ? Number(key) : key], obstacles);
  const gap = isList ? entries.findIndex(([key], index) => key !== String(index)) : -1;
  if (gap >= 0) obstacles.push({ path: [...path, gap], message: "is missing: a list cannot have gaps" });
}

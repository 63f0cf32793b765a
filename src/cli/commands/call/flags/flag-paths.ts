import {
  getOwn,
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

/** Sets values in the arguments, each at its path. Sets shallow paths first, so that `meta.key` changes a given `meta`. */
export function layValues(
  base: JsonObject,
  values: readonly { readonly path: ArgumentPath; readonly value: JsonValue }[],
): { readonly args: JsonObject; readonly obstacles: readonly Obstacle[] } {
  const obstacles: Obstacle[] = [];
  let args: JsonValue = base;
  for (const { path, value } of [...values].sort((a, b) => a.path.length - b.path.length))
    args = setAt(args, path, 0, value, obstacles);
  findGaps(args, [], obstacles);
  return { args: objectOrEmpty(args), obstacles };
}

/** Returns a copy with the value at the rest of the path. Adds an obstacle if a part is not what its key is for. */
function setAt(
  whole: JsonValue | undefined,
  path: ArgumentPath,
  depth: number,
  value: JsonValue,
  obstacles: Obstacle[],
): JsonValue {
  const key = path[depth];
  if (key === undefined) return value;
  const wanted = typeof key === "number" ? "a list" : "an object";
  const message = `is not ${wanted}, so its parts cannot be set`;
  const fail = (part: JsonValue): JsonValue => {
    obstacles.push({ path: path.slice(0, depth), message });
    return part;
  };
  if (typeof key === "number") {
    const list = whole ?? [];
    if (!isJsonArray(list)) return fail(list);
    // Not spread: a gap stays one, however high the number is.
    const copy = list.slice();
    copy[key] = setAt(list[key], path, depth + 1, value, obstacles);
    return copy;
  }
  const object = whole ?? {};
  if (!isJsonObject(object)) return fail(object);
  const inner = setAt(getOwn(object, key), path, depth + 1, value, obstacles);
  // No key of an entry has a special meaning.
  return Object.fromEntries([...Object.entries(object), [key, inner]]);
}

function findGaps(value: JsonValue, path: ArgumentPath, obstacles: Obstacle[]): void {
  if (isJsonObject(value))
    for (const [key, item] of Object.entries(value)) findGaps(item, [...path, key], obstacles);
  if (!isJsonArray(value)) return;
  value.forEach((item, index) => {
    findGaps(item, [...path, index], obstacles);
  });
  const gap = value.findIndex((_, index) => !Object.hasOwn(value, index));
  if (gap >= 0) obstacles.push({ path: [...path, gap], message: "is missing: a list cannot have gaps" });
}

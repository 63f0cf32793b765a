import { isJsonObject, type JsonObject, type JsonValue } from "../../../../core/json.js";
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

/** A mutable object or array. A map holds the items, so no key has a special meaning. */
interface Container {
  readonly isList: boolean;
  readonly items: Map<string | number, Container | Leaf>;
}

interface Leaf {
  readonly value: JsonValue;
}

/** Why a value cannot be set: its parent is not an object or a list, or a list has a gap. */
interface Obstacle {
  readonly path: ArgumentPath;
  readonly message: string;
}

/** Sets values in the arguments, each at its path. Sets shallow paths first, so that `meta.key` changes a given `meta`. */
export function layValues(
  base: JsonObject,
  values: readonly { readonly path: ArgumentPath; readonly value: JsonValue }[],
): { readonly args: JsonObject } | { readonly obstacles: readonly Obstacle[] } {
  const root = openObject(base);
  const ordered = [...values].sort((a, b) => a.path.length - b.path.length);
  const obstacles = ordered.flatMap(({ path, value }) => lay(root, path, value) ?? []);
  const gaps = findGaps(root, []);
  if (obstacles.length > 0 || gaps.length > 0) return { obstacles: [...obstacles, ...gaps] };
  return { args: closeObject(root) };
}

function lay(root: Container, path: ArgumentPath, value: JsonValue): Obstacle | undefined {
  let holder = root;
  for (const [depth, key] of path.slice(0, -1).entries()) {
    const isList = typeof path[depth + 1] === "number";
    const inner = holder.items.get(key) ?? { isList, items: new Map() };
    const opened = "items" in inner ? inner : open(inner.value);
    if (opened?.isList !== isList) {
      const wanted = isList ? "a list" : "an object";
      return { path: path.slice(0, depth + 1), message: `is not ${wanted}, so its parts cannot be set` };
    }
    holder.items.set(key, opened);
    holder = opened;
  }
  const last = path.at(-1);
  if (last !== undefined) holder.items.set(last, { value });
  return undefined;
}

function open(value: JsonValue): Container | undefined {
  if (isJsonObject(value)) return openObject(value);
  return isList(value)
    ? { isList: true, items: new Map(value.map((item, at) => [at, { value: item }])) }
    : undefined;
}

function openObject(value: JsonObject): Container {
  return {
    isList: false,
    items: new Map(Object.entries(value).map(([key, item]) => [key, { value: item }])),
  };
}

function findGaps({ isList, items }: Container, path: ArgumentPath): readonly Obstacle[] {
  const within = [...items].flatMap(([key, item]) => ("items" in item ? findGaps(item, [...path, key]) : []));
  if (!isList) return within;
  for (let index = 0; index < items.size; index += 1)
    if (!items.has(index))
      return [...within, { path: [...path, index], message: "is missing: a list cannot have gaps" }];
  return within;
}

function closeObject({ items }: Container): JsonObject {
  return Object.fromEntries([...items].map(([key, item]) => [String(key), close(item)]));
}

function close(item: Container | Leaf): JsonValue {
  if ("value" in item) return item.value;
  if (!item.isList) return closeObject(item);
  return Array.from({ length: item.items.size }, (_, index) => {
    const inner = item.items.get(index);
    return inner === undefined ? null : close(inner);
  });
}

function isList(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value);
}

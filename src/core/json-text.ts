import { messageOf } from "./errors.js";
import { DEEPEST_LOCKABLE } from "./limits.js";
import { joinPointer, type KeyPath, splitPointer } from "./json-pointer.js";
import { isJsonArray, type JsonValue } from "./json.js";

const TOKEN = /["{}[\],:]|-?\d[\d.eE+-]*|true|false|null/g;

interface JsonToken {
  readonly token: string;
  readonly at: number;
}

/**
 * Yields the tokens of a JSON text, as they are written. The text must be JSON.
 * A regular expression finds no string: on one of ten million characters it would exhaust the stack.
 */
function* jsonTokens(text: string): Generator<JsonToken, undefined> {
  const pattern = new RegExp(TOKEN);
  for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
    if (match[0] === '"') {
      const end = endOfString(text, match.index);
      yield { token: text.slice(match.index, end), at: match.index };
      pattern.lastIndex = end;
    } else yield { token: match[0], at: match.index };
  }
}

function endOfString(text: string, start: number): number {
  for (let quote = text.indexOf('"', start + 1); quote !== -1; quote = text.indexOf('"', quote + 1)) {
    let escapes = 0;
    while (text[quote - escapes - 1] === "\\") escapes += 1;
    if (escapes % 2 === 0) return quote + 1;
  }
  return text.length;
}

/** A value in a JSON text, or the key of one. */
interface JsonPart {
  readonly isKey: boolean;
  /** The keys and indexes that lead to it, valid until the next part. */
  readonly path: readonly (string | number)[];
  /** As it is written; of an object or array only the opening bracket. */
  readonly token: string;
  readonly at: number;
  /** Where it begins, the key of a value included, and where it ends. */
  readonly start: number;
  readonly end: number;
}

/** Yields the keys and values of a JSON text, an object or array after its parts. Not recursive, since values may be nested deeply. */
export function* jsonParts(text: string): Generator<JsonPart, undefined> {
  const path: (string | number)[] = [];
  // With the place of the current key; undefined before a key, and in an array.
  const open: {
    readonly token: string;
    readonly at: number;
    readonly start: number;
    key?: number | undefined;
  }[] = [];
  for (const { token, at } of jsonTokens(text)) {
    const inside = open.at(-1);
    const start = inside?.key ?? at;
    const end = at + token.length;
    const last = path.at(-1);
    if (token === "{" || token === "[") {
      open.push({ token, at, start });
      path.push(token === "[" ? 0 : "");
    } else if (token === "}" || token === "]") {
      open.pop();
      path.pop();
      if (inside !== undefined) yield { ...inside, isKey: false, path, end };
    } else if (token === ",") {
      if (typeof last === "number") path[path.length - 1] = last + 1;
      else if (inside !== undefined) inside.key = undefined;
    } else if (inside?.token === "{" && inside.key === undefined) {
      inside.key = at;
      path[path.length - 1] = JSON.parse(token) as string;
      yield { isKey: true, path, token, at, start, end };
    } else if (token !== ":") yield { isKey: false, path, token, at, start, end };
  }
}

/** The end of a key: inside a string, every quote is escaped. */
const KEY_END = /(?<!\\)(?:\\\\)*"\s*:/g;

/**
 * Returns the path of the first repeated key in a JSON text. `value` is what `JSON.parse` returned for it, without an error
 * for such a key. Only if the text has more keys than the value is it read again, since that takes five times as long.
 */
export function findRepeatedKey(text: string, value: JsonValue): KeyPath | undefined {
  const pattern = new RegExp(KEY_END);
  let count = 0;
  while (pattern.test(text)) count += 1;
  return count === countKeys(value) ? undefined : locateRepeatedKey(text);
}

/** Not recursive, since values may be nested deeply. */
function countKeys(root: JsonValue): number {
  let count = 0;
  const open = [root];
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    if (typeof value !== "object" || value === null) continue;
    if (!isJsonArray(value)) count += Object.keys(value).length;
    for (const item of Object.values(value)) if (typeof item === "object") open.push(item);
  }
  return count;
}

function locateRepeatedKey(text: string): KeyPath | undefined {
  /** The keys of the open objects, by depth. */
  const keys: Set<unknown>[] = [];
  for (const { isKey, path } of jsonParts(text)) {
    keys.length = path.length;
    if (!isKey) continue;
    const ofObject = (keys[path.length - 1] ??= new Set());
    if (ofObject.has(path.at(-1))) return [...path];
    ofObject.add(path.at(-1));
  }
  return undefined;
}

/** A region of a text. Lines and columns count from 1, columns in UTF-16 code units; the end is exclusive. */
export interface Region {
  readonly startLine: number;
  readonly startColumn: number;
  readonly endLine: number;
  readonly endColumn: number;
}

/**
 * Returns the regions of JSON Pointers (RFC 6901) in a JSON text, found in one pass: a member from its key, an item
 * from its first character. A pointer to a missing value has the region of its nearest ancestor.
 */
export function locateInJson(text: string, pointers: readonly string[]): ReadonlyMap<string, Region> {
  const places = findPlaces(text, new Set(pointers.flatMap(withAncestors)));
  const locate = createLocator(text);
  return new Map(
    pointers.map((pointer) => {
      const nearest = withAncestors(pointer).find((ancestor) => places.has(ancestor)) ?? "";
      const [start, end] = places.get(nearest) ?? [0, 0];
      const { line: startLine, column: startColumn } = locate(start);
      const { line: endLine, column: endColumn } = locate(end);
      return [pointer, { startLine, startColumn, endLine, endColumn }];
    }),
  );
}

function withAncestors(pointer: string): readonly string[] {
  const steps = pointer.split("/");
  return steps.map((_, index) => steps.slice(0, steps.length - index).join("/"));
}

/** Returns where each wanted value begins and ends. */
function findPlaces(
  text: string,
  wanted: ReadonlySet<string>,
): ReadonlyMap<string, readonly [start: number, end: number]> {
  // Making the pointer of each value would take most of the time.
  const last = new Set([...wanted].map((pointer) => splitPointer(pointer).at(-1)));
  const places = new Map<string, readonly [number, number]>();
  for (const { isKey, path, start, end } of jsonParts(text)) {
    if (isKey || !last.has(path.at(-1)?.toString())) continue;
    const pointer = joinPointer("", ...path);
    if (wanted.has(pointer)) places.set(pointer, [start, end]);
  }
  return places;
}

/** A position in a text. Lines and columns count from 1, columns in UTF-16 code units. */
export interface TextPlace {
  readonly line: number;
  readonly column: number;
}

/** Returns a function that finds the place of an offset in a text. */
export function createLocator(text: string): (offset: number) => TextPlace {
  const starts = [0];
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  return (offset) => {
    let low = 0;
    let high = starts.length;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if ((starts[middle] ?? 0) <= offset) low = middle;
      else high = middle;
    }
    return { line: low + 1, column: offset - (starts[low] ?? 0) + 1 };
  };
}

/** Why a value cannot be written as JSON without loss, and where. `undefined` counts as absent; `toJSON` is called. */
export function findUnwritable(value: unknown): string | undefined {
  try {
    return find(value, "", new Set(), new WeakSet());
  } catch (error) {
    // A getter or "toJSON" of the value.
    return `its value cannot be read: ${messageOf(error)}`;
  }
}

function find(
  value: unknown,
  pointer: string,
  above: Set<object>,
  checked: WeakSet<object>,
): string | undefined {
  const at = pointer === "" ? "it is" : `at ${JSON.stringify(pointer)} it is`;
  if (typeof value === "bigint") return `${at} a BigInt`;
  if (typeof value === "symbol" || typeof value === "function") return `${at} a ${typeof value}`;
  if (typeof value === "number" && !Number.isFinite(value)) return `${at} ${value}`;
  if (typeof value !== "object") return undefined;
  if (value === null || checked.has(value)) return undefined;
  if (above.has(value)) return `${at} a value that contains itself`;
  if (above.size >= DEEPEST_LOCKABLE) return `it is nested over ${DEEPEST_LOCKABLE} levels deep`;
  above.add(value);
  const repeated = findIn(value, pointer, at, above, checked);
  above.delete(value);
  checked.add(value);
  return repeated;
}

function findIn(
  value: object,
  pointer: string,
  at: string,
  above: Set<object>,
  checked: WeakSet<object>,
): string | undefined {
  if ("toJSON" in value && typeof value.toJSON === "function") {
    const json: unknown = Reflect.apply(value.toJSON, value, []);
    return json === value ? undefined : find(json, pointer, above, checked);
  }
  const kind = Object.prototype.toString.call(value).slice(8, -1);
  if (!Array.isArray(value) && kind !== "Object") return `${at} a value of type ${kind}`;
  for (const [key, item] of Object.entries(value) as [string, unknown][]) {
    const repeated = find(item, joinPointer(pointer, key), above, checked);
    if (repeated !== undefined) return repeated;
  }
  return undefined;
}

import { messageOf } from "./errors.js";
import { DEEPEST_LOCKABLE } from "./limits.js";
import { joinPointer, type KeyPath } from "./json-pointer.js";
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
export function* jsonTokens(text: string): Generator<JsonToken, undefined> {
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
  const open: { readonly keys: Set<string>; step: string | number }[] = [];
  let string = "";
  for (const { token } of jsonTokens(text)) {
    const inside = open.at(-1);
    if (token === "{" || token === "[") open.push({ keys: new Set(), step: token === "[" ? 0 : "" });
    else if (token === "}" || token === "]") open.pop();
    else if (token.startsWith('"')) string = token;
    else if (token === "," && typeof inside?.step === "number") inside.step += 1;
    else if (token === ":" && inside !== undefined) {
      inside.step = JSON.parse(string) as string;
      if (inside.keys.has(inside.step)) return open.map(({ step }) => step);
      inside.keys.add(inside.step);
    }
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

interface OpenValue {
  /** Undefined if neither the value nor a part of it is wanted. */
  readonly pointer: string | undefined;
  /** Where the value begins, its key included. */
  readonly start: number;
  /** The index of the current item of an array, or the current key of an object. */
  step: string | number;
  /** Where the current key begins; undefined before a key, and in an array. */
  key?: number | undefined;
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

/** Returns where each wanted value begins and ends. Not recursive, since values may be nested deeply. */
function findPlaces(
  text: string,
  wanted: ReadonlySet<string>,
): ReadonlyMap<string, readonly [start: number, end: number]> {
  const places = new Map<string, readonly [number, number]>();
  const open: OpenValue[] = [];
  const begin = (at: number, step: string | number): OpenValue => {
    const parent = open.at(-1);
    const start = parent?.key ?? at;
    if (parent === undefined) return { pointer: "", start, step };
    const pointer = parent.pointer === undefined ? undefined : joinPointer(parent.pointer, parent.step);
    return { pointer: pointer !== undefined && wanted.has(pointer) ? pointer : undefined, start, step };
  };
  const end = ({ pointer, start }: OpenValue, at: number): void => {
    if (pointer !== undefined) places.set(pointer, [start, at]);
  };
  for (const { token, at } of jsonTokens(text)) {
    const parent = open.at(-1);
    const after = at + token.length;
    if (token === "{" || token === "[") open.push(begin(at, token === "[" ? 0 : ""));
    else if (token === "}" || token === "]") {
      if (parent !== undefined) end(parent, after);
      open.pop();
    } else if (token === ",") {
      if (typeof parent?.step === "number") parent.step += 1;
      else if (parent !== undefined) parent.key = undefined;
    } else if (typeof parent?.step === "string" && parent.key === undefined) {
      parent.key = at;
      if (parent.pointer !== undefined) parent.step = JSON.parse(token) as string;
    } else if (token !== ":") end(begin(at, ""), after);
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

import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from "./json.js";

/** The most bytes that are read from one source: 17 times the largest known lock, and half of what a string can hold. */
export const READ_LIMIT: number = 256 * 1024 * 1024;

/** The most that a configuration may raise it to. A string in Node.js ends below 512 MiB. */
export const HIGHEST_READ_LIMIT: number = 500 * 1024 * 1024;

/** A list in pages that holds more characters has no end. The largest known list has 15 million. */
export const LIST_LIMIT: number = 64 * 1024 * 1024;

/** Searching a larger file for names would fill the memory. Instructions for agents have some kilobytes. */
export const AGENT_FILE_LIMIT: number = 4 * 1024 * 1024;

/** A limit as messages name it, such as `256 MiB`. */
export function formatLimit(bytes: number): string {
  const size = bytes / 1024 / 1024;
  return size >= 1 ? `${Math.round(size * 10) / 10} MiB` : `${bytes} bytes`;
}

/** Real definitions have less than 30 levels. Functions may recurse into a definition of this depth. */
export const DEEPEST_USABLE = 200;

/** Digesting, formatting and writing JSON recurse, so deeper definitions are not locked, and deeper values are refused. */
export const DEEPEST_LOCKABLE = 1_000;

/** Returns how many arrays and objects are nested, without recursion. Stops just past `limit`. */
export function measureDepth(value: JsonValue, limit: number): number {
  let depth = 0;
  for (const level of levelsOf(value)) {
    if (depth > limit || !level.some(isContainer)) break;
    depth += 1;
  }
  return depth;
}

/** Yields the values at each level of nesting, the value itself first. Not recursive, since values may be nested deeply. */
export function* levelsOf(value: JsonValue): Generator<readonly JsonValue[], undefined> {
  for (let level: readonly JsonValue[] = [value]; level.length > 0;) {
    yield level;
    const next: JsonValue[] = [];
    for (const item of level)
      if (isContainer(item)) for (const inner of Object.values(item)) next.push(inner);
    level = next;
  }
}

function isContainer(value: JsonValue): value is JsonObject | readonly JsonValue[] {
  return isJsonArray(value) || isJsonObject(value);
}

/** A definition that takes more characters in the lock is not locked. The largest known lock has 15 million. */
export const LARGEST_LOCKABLE: number = 16 * 1024 * 1024;

/** At least how many characters a value takes in a lock, with the indentation of its lines. Stops just past `limit`. */
export function measureInLock(value: JsonValue, limit: number): number {
  let size = 0;
  let depth = 1;
  for (const level of levelsOf(value)) {
    if (size > limit) break;
    for (const item of level) {
      size += 2 * depth + (typeof item === "string" ? item.length : 1);
      if (isJsonObject(item)) for (const key of Object.keys(item)) size += key.length;
    }
    depth += 1;
  }
  return size;
}

/** The longest time of a timer, in milliseconds: a longer one ends at once. */
export const LONGEST_WAIT = 2 ** 31 - 1;

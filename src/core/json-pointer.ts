import { getOwn, isJsonArray, isJsonObject, type JsonValue } from "./json.js";

/** A JSON Pointer (RFC 6901) with one more step. */
export function joinPointer(pointer: string, ...steps: readonly (string | number)[]): string {
  let joined = pointer;
  for (const step of steps) {
    joined += `/${typeof step === "string" && ESCAPED.test(step) ? escapeStep(step) : step}`;
  }
  return joined;
}

/** Few steps have to be escaped, and pointers are made by the hundred thousand. */
const ESCAPED = /[~/]/;

function escapeStep(step: string): string {
  return step.replaceAll("~", "~0").replaceAll("/", "~1");
}

/** The steps of a JSON Pointer, unescaped. */
export function splitPointer(pointer: string): readonly string[] {
  const steps = pointer.split("/").slice(1);
  return pointer.includes("~")
    ? steps.map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"))
    : steps;
}

/** Decodes the fragment of a reference; returns it unchanged if it is not encoded: a bare "%" is not an escape. */
export function decodeFragment(fragment: string): string {
  if (!fragment.includes("%")) return fragment;
  try {
    return decodeURIComponent(fragment);
  } catch {
    return fragment;
  }
}

/** Returns the value that a JSON Pointer points at, of own keys only; undefined if there is none. */
export function findAt(root: JsonValue, pointer: string): JsonValue | undefined {
  let value: JsonValue | undefined = root;
  for (const step of splitPointer(pointer)) {
    if (isJsonObject(value)) value = getOwn(value, step);
    else if (isJsonArray(value) && /^(0|[1-9]\d*)$/.test(step)) value = value[Number(step)];
    else return undefined;
  }
  return value;
}

/** The keys and indices that lead from the root of a document to a value. */
export type KeyPath = readonly (string | number)[];

/** A place in a JSON document as people write it: `servers.shop.tools["get-post"].digest`, `args[0]`. */
export function formatKeyPath(path: KeyPath): string {
  return path
    .map((key, index) => {
      if (typeof key === "number" || !/^[A-Za-z_$][\w$]*$/.test(key)) return `[${JSON.stringify(key)}]`;
      return index === 0 ? key : `.${key}`;
    })
    .join("");
}

/**
 * Whether two values are the same JSON, regardless of the order of keys; two absent values are equal. Does not serialize
 * the values: two locks hold megabytes of definitions, nearly all of them equal.
 */
export function isSameJson(before: JsonValue | undefined, after: JsonValue | undefined): boolean {
  if (before === after) return true;
  // A lock stores a number outside JavaScript's range as null.
  if (typeof before === "number" || typeof after === "number") return !isSpelled(before) && !isSpelled(after);
  if (isJsonObject(before)) {
    if (!isJsonObject(after)) return false;
    const keys = Object.keys(before);
    if (keys.length !== Object.keys(after).length) return false;
    for (const key of keys) {
      const valueBefore = key === "__proto__" ? getOwn(before, key) : before[key];
      // An inherited value is never JSON, except that of `__proto__`.
      const valueAfter = key === "__proto__" ? getOwn(after, key) : after[key];
      if (!isSameJson(valueBefore, valueAfter) || (valueAfter === undefined && !Object.hasOwn(after, key)))
        return false;
    }
    return true;
  }
  if (!isJsonArray(before) || !isJsonArray(after)) return false;
  return before.length === after.length && before.every((item, index) => isSameJson(item, after[index]));
}

function isSpelled(value: JsonValue | undefined): boolean {
  return value !== null && !(typeof value === "number" && !Number.isFinite(value));
}

/** A value before and after. */
export interface JsonPair {
  readonly before: JsonValue | undefined;
  readonly after: JsonValue | undefined;
}

/** A difference of two values, and the JSON Pointer to them. */
export interface Difference extends JsonPair {
  readonly at: string;
}

/** Returns the deepest place that contains the whole difference, through objects that differ in one key. */
export function narrowDifference({ at, before, after }: Difference): Difference {
  if (!isJsonObject(before) || !isJsonObject(after)) return { at, before, after };
  const keys = keysOfBoth(before, after);
  const [key, ...others] = keys.filter((name) => !isSameJson(getOwn(before, name), getOwn(after, name)));
  if (key === undefined || others.length > 0) return { at, before, after };
  const inner = { before: getOwn(before, key), after: getOwn(after, key) };
  return narrowDifference({ at: joinPointer(at, key), ...inner });
}

/** Returns the keys of two objects, each once, sorted. */
export function keysOfBoth(before: object, after: object): readonly string[] {
  return [...new Set([...Object.keys(before), ...Object.keys(after)])].sort();
}

/** Returns a text with one space for each run of white space, and none around it; empty for an absent text. */
export function foldSpace(value: JsonValue | undefined): JsonValue {
  return typeof value === "string" ? value.replace(/\s+/g, " ").trim() : (value ?? "");
}

/** Whether two texts for people and models have the same words. Other values are compared as JSON. */
export function hasSameWords(before: JsonValue | undefined, after: JsonValue | undefined): boolean {
  return before === after || isSameJson(foldSpace(before), foldSpace(after));
}

import { isJsonObject } from "./json.js";

/** A predicate for `z.custom()`: whether a value equals this one as JSON, in any order of keys. */
export function equals(expected: unknown): (value: unknown) => boolean {
  return (value) => isEqual(value, expected);
}

/** Whether two JSON values are equal. A key that holds `undefined` counts as absent. */
export function isEqual(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (Array.isArray(a) && Array.isArray(b))
    return a.length === b.length && a.every((item, index) => isEqual(item, b[index]));
  if (!isJsonObject(a) || !isJsonObject(b)) return false;
  const keys = definedKeys(a);
  return (
    keys.length === definedKeys(b).length &&
    keys.every((key) => Object.hasOwn(b, key) && isEqual(a[key], b[key]))
  );
}

function definedKeys(value: { readonly [key: string]: unknown }): readonly string[] {
  return Object.keys(value).filter((key) => value[key] !== undefined);
}

import { isObject, keysOf } from "../validation/check.js";

/** A predicate for `z.custom()`: whether a value is equal to this one as JSON, whatever the order of its keys. */
export function equals(expected: unknown): (value: unknown) => boolean {
  return (value) => isEqual(value, expected);
}

/** Equality of JSON values. */
export function isEqual(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((item, index) => isEqual(item, b[index]));
  }
  if (!isObject(a) || !isObject(b)) return false;
  const keys = keysOf(a);
  return (
    keys.length === keysOf(b).length && keys.every((key) => Object.hasOwn(b, key) && isEqual(a[key], b[key]))
  );
}

import type { JsonValue } from "../../../contract/json.js";

/** A PHP value that a literal can have. */
export type PhpValue = null | boolean | number | string | PhpArray;

/** The values by key, in order. An integer key is a number. */
export type PhpArray = ReadonlyMap<string | number, PhpValue>;

/** Returns an array of these entries. An entry without a key gets the next number. */
export function arrayOf(
  entries: readonly (readonly [key: PhpValue | undefined, value: PhpValue])[],
): PhpArray {
  const array = new Map<string | number, PhpValue>();
  let next = 0;
  for (const [key, value] of entries) {
    const at = key === undefined ? next : keyOf(key);
    if (typeof at === "number" && at >= next) next = at + 1;
    array.set(at, value);
  }
  return array;
}

/** Merges arrays like `array_merge()`: string keys are overwritten, numbers are renumbered. */
export function mergeArrays(arrays: readonly PhpArray[]): PhpArray {
  return arrayOf(
    arrays.flatMap((array) =>
      [...array].map(([key, value]) => [typeof key === "number" ? undefined : key, value] as const),
    ),
  );
}

/** Converts a value like `json_encode()`: an array with the keys 0, 1, 2 … is a list. */
export function toJson(value: PhpValue): JsonValue {
  if (!(value instanceof Map)) return value as Exclude<PhpValue, PhpArray>;
  const array: PhpArray = value;
  const isList = [...array.keys()].every((key, index) => key === index);
  return isList
    ? [...array.values()].map(toJson)
    : Object.fromEntries([...array].map(([key, item]) => [String(key), toJson(item)]));
}

function keyOf(key: PhpValue): string | number {
  if (typeof key === "number") return Math.trunc(key);
  if (typeof key === "boolean") return Number(key);
  if (typeof key !== "string") return "";
  return /^(?:0|-?[1-9]\d{0,14})$/.test(key) ? Number(key) : key;
}

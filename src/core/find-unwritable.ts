import { joinPointer } from "./json-pointer.js";

/** Deeper values are refused: writing them as JSON may exhaust the stack. */
const DEEPEST = 1_000;

/**
 * Why a value cannot be written as JSON without loss, with its place; undefined if it can be. `undefined` counts as absent,
 * and an object with `toJSON`, such as a date, as what that returns.
 */
export function findUnwritable(value: unknown): string | undefined {
  try {
    return find(value, "", new Set(), new WeakSet());
  } catch (error) {
    // A getter or "toJSON" of the value.
    return `its value cannot be read: ${error instanceof Error ? error.message : String(error)}`;
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
  if (above.size >= DEEPEST) return `it is nested over ${DEEPEST} levels deep`;
  above.add(value);
  const found = findIn(value, pointer, at, above, checked);
  above.delete(value);
  checked.add(value);
  return found;
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
    const found = find(item, joinPointer(pointer, key), above, checked);
    if (found !== undefined) return found;
  }
  return undefined;
}

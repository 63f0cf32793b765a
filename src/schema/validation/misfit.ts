import { isJsonObject } from "../../core/json.js";
import type { JsonTypeName } from "./json-schema.js";
import { describeOptions, type RefusedKeys } from "./schema.js";

/** The most issues to collect: a list may have one for each item. */
export const MOST_MISFITS = 100;

/** An issue in the form and wording of Zod's issues, so that `explainIssue` handles both. */
export interface Misfit {
  readonly code: "custom" | "invalid_type" | "invalid_value";
  readonly message: string;
  readonly path: PropertyKey[];
  /** The type that was expected, with the code "invalid_type". */
  readonly expected?: string;
  /** The values that were expected, with the code "invalid_value". */
  readonly values?: readonly unknown[];
  /** The keys that a closed object refuses. */
  readonly keys?: readonly string[];
  readonly refused?: RefusedKeys;
  /** The issues of each branch of a union. */
  readonly errors?: readonly (readonly Misfit[])[];
}

export function misfitAt(path: readonly PropertyKey[], message: string): Misfit {
  return { code: "custom", message, path: [...path] };
}

export function describeTypeMisfit(types: readonly JsonTypeName[], value: unknown): Misfit {
  const isFraction = typeof value === "number" && types.length === 1;
  const names = types.map((type) => (type === "integer" ? (isFraction ? "int" : "number") : type));
  const expected = [...new Set(names)].join(" or ");
  const message = `Invalid input: expected ${expected}, received ${typeNameOf(value)}`;
  return { ...misfitAt([], message), code: "invalid_type", expected };
}

export function describeValueMisfit(values: readonly unknown[]): Misfit {
  return { ...misfitAt([], describeOptions(values)), code: "invalid_value", values };
}

export function isOfType(value: unknown, type: JsonTypeName): boolean {
  if (type === "null") return value === null;
  if (type === "array") return Array.isArray(value);
  if (type === "object") return isJsonObject(value);
  return type === "integer" ? Number.isInteger(value) : typeof value === type;
}

function typeNameOf(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}

export function describeNotAllowed(key: string | number): Misfit {
  return misfitAt([key], "Nothing in the schema allows this");
}

export function describeRefused(key: string | number): Misfit {
  const misfit = describeNotAllowed(key);
  return typeof key === "number" ? misfit : { ...misfit, refused: { up: 1, keys: [[key]] } };
}

export function describeUnknown(keys: readonly string[]): Misfit {
  const shown = keys.map((key) => JSON.stringify(key)).join(", ");
  return { ...misfitAt([], `Unrecognized ${keys.length === 1 ? "key" : "keys"}: ${shown}`), keys };
}

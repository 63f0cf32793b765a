import { describeOptions } from "./explain-issue.js";
import type { JsonTypeName } from "./json-schema.js";

/** A wrong list has as many issues as items; the first of them say enough. */
export const MOST_MISFITS = 100;

/** What is wrong with a value, in the words and the form of Zod's issues, so that both are explained alike. */
export interface Misfit {
  readonly code: "custom" | "invalid_type" | "invalid_value";
  readonly message: string;
  readonly path: PropertyKey[];
  /** The type that was expected, with the code "invalid_type". */
  readonly expected?: string;
  /** The values that were expected, with the code "invalid_value". */
  readonly values?: readonly unknown[];
  /** What each branch of a union has against the value. */
  readonly errors?: readonly (readonly Misfit[])[];
}

export function misfitAt(path: readonly PropertyKey[], message: string): Misfit {
  return { code: "custom", message, path: [...path] };
}

export function describeType(types: readonly JsonTypeName[], value: unknown): Misfit {
  const isFraction = typeof value === "number" && types.length === 1;
  const names = types.map((type) => (type === "integer" ? (isFraction ? "int" : "number") : type));
  const expected = [...new Set(names)].join(" or ");
  const message = `Invalid input: expected ${expected}, received ${typeNameOf(value)}`;
  return { ...misfitAt([], message), code: "invalid_type", expected };
}

export function describeValues(values: readonly unknown[]): Misfit {
  return { ...misfitAt([], describeOptions(values)), code: "invalid_value", values };
}

function typeNameOf(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}

export function describeUnknown(keys: readonly string[]): string {
  return `Unrecognized ${keys.length === 1 ? "key" : "keys"}: ${keys.map((key) => JSON.stringify(key)).join(", ")}`;
}

import type { Change } from "../contract/change.js";
import type { JsonValue } from "../contract/json.js";
import { findHeaderAnnotations } from "../contract/parameter-headers.js";
import { makeChange } from "./finding.js";
import { isEqual } from "./is-equal.js";

/**
 * Reports parameters whose values clients now send in an HTTP header, in another one, or no longer in one. New parameters
 * count, and so do keywords at places where the specification does not allow them. Names of headers are compared without
 * case, as in HTTP.
 */
export function diffParameterHeaders(
  before: JsonValue,
  after: JsonValue,
  { pointer, ...where }: { readonly server: string; readonly tool: string; readonly pointer: string },
): readonly Change[] {
  const [old, now] = [headersOf(before), headersOf(after)];
  return [...new Set([...old.keys(), ...now.keys()])].flatMap((at): readonly Change[] => {
    const details = { before: old.get(at), after: now.get(at) };
    if (isEqual(foldCase(details.before), foldCase(details.after))) return [];
    const rule = !old.has(at) ? "added" : now.has(at) ? "changed" : "removed";
    return [makeChange(`parameter-header-${rule}`, { ...where, path: pointer + at }, details)];
  });
}

function headersOf(schema: JsonValue): ReadonlyMap<string, JsonValue> {
  return new Map(findHeaderAnnotations(schema).map(({ at, value }) => [at, value]));
}

function foldCase(value: JsonValue | undefined): JsonValue | undefined {
  return typeof value === "string" ? value.toLowerCase() : value;
}

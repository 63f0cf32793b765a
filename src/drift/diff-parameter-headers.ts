import type { Change } from "../contract/change.js";
import { getOwn, isJsonObject, type JsonValue } from "../contract/json.js";
import { isEqual } from "./is-equal.js";
import { makeChange } from "./make-change.js";
import { mapKeyword } from "../contract/subschemas.js";

/** The keyword that names the HTTP header for a parameter's value (MCP specification 2026-07-28, SEP-2243). */
export const HEADER_KEYWORD = "x-mcp-header";

/**
 * Reports parameters whose values clients now send in an HTTP header, or no longer send in one. A renamed header counts as
 * a new header. New parameters count, and so do keywords at places where the specification does not allow them.
 */
export function diffParameterHeaders(
  before: JsonValue,
  after: JsonValue,
  { pointer, ...where }: { readonly server: string; readonly tool: string; readonly pointer: string },
): readonly Change[] {
  const [old, now] = [findHeaders(before), findHeaders(after)];
  return [...new Set([...old.keys(), ...now.keys()])].flatMap((at): readonly Change[] => {
    const details = { before: old.get(at), after: now.get(at) };
    if (isEqual(details.before, details.after)) return [];
    const rule = now.has(at) ? "parameter-header-added" : "parameter-header-removed";
    return [makeChange(rule, { ...where, path: pointer + at }, details)];
  });
}

/** Returns the value of every header keyword of a schema, by JSON Pointer. */
function findHeaders(schema: JsonValue): ReadonlyMap<string, JsonValue> {
  const headers = new Map<string, JsonValue>();
  const open: { readonly schema: JsonValue; readonly at: string }[] = [{ schema, at: "" }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { schema: node, at } = next;
    if (!isJsonObject(node)) continue;
    const header = getOwn(node, HEADER_KEYWORD);
    if (header !== undefined) headers.set(`${at}/${HEADER_KEYWORD}`, header);
    for (const [keyword, value] of Object.entries(node)) {
      mapKeyword(keyword, value, at, (inner, place) => {
        open.push({ schema: inner, at: place });
        return inner;
      });
    }
  }
  return headers;
}

import { byCodeUnit, isJsonObject, type JsonValue } from "./json.js";

/**
 * Serializes without white space and with keys sorted by code unit, so that equal values give equal text whatever
 * order a server wrote its keys in.
 */
export function canonicalJson(value: JsonValue): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  if (!isJsonObject(value)) return JSON.stringify(value);
  const entries = Object.entries(value).sort(([a], [b]) => byCodeUnit(a, b));
  return `{${entries.map(([key, item]) => `${JSON.stringify(key)}:${canonicalJson(item)}`).join(",")}}`;
}

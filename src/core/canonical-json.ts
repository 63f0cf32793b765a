import { byCodeUnit, isJsonObject, type JsonValue } from "./json.js";

/**
 * Serializes without white space and with keys sorted by code unit, so that equal values give equal text whatever
 * order a server wrote its keys in.
 */
export function canonicalJson(value: JsonValue): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  if (!isJsonObject(value)) return JSON.stringify(value);
  const members: string[] = [];
  // Without a comparison function, sort() is by code unit, and several times as fast: locks hold megabytes.
  for (const key of Object.keys(value).sort()) {
    const item = value[key];
    if (item !== undefined) members.push(`${JSON.stringify(key)}:${canonicalJson(item)}`);
  }
  return `{${members.join(",")}}`;
}

/** Returns the values in the order of their canonical JSON. */
export function sortCanonically(values: readonly JsonValue[]): readonly JsonValue[] {
  return values
    .map((value) => [canonicalJson(value), value] as const)
    .sort(([a], [b]) => byCodeUnit(a, b))
    .map(([, value]) => value);
}

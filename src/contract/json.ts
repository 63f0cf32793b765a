/** What `JSON.parse` can return. Everything that travels between stages is made of this. */
export type JsonValue = null | boolean | number | string | readonly JsonValue[] | JsonObject;

/** A JSON object. Keys come from servers: read them with {@link getOwn}, never with a bare index. */
export interface JsonObject {
  readonly [key: string]: JsonValue;
}

/** Whether a value is a plain JSON object: neither `null` nor an array. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The value of an own key, so that a key named `constructor` never reads the prototype. */
export function getOwn<T>(object: { readonly [key: string]: T }, key: string): T | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

/** Orders strings by UTF-16 code unit: the same on every machine, whatever its locale. */
export function byCodeUnit(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** The same keys with other values; a key such as `__proto__` stays one. */
export function mapEntries<From, To>(
  entries: { readonly [key: string]: From },
  convert: (value: From, key: string) => To,
): { readonly [key: string]: To } {
  return Object.fromEntries(Object.entries(entries).map(([key, value]) => [key, convert(value, key)]));
}

/** A value that `JSON.parse` can return. Everything that travels between stages consists of these. */
export type JsonValue = null | boolean | number | string | readonly JsonValue[] | JsonObject;

/** A JSON object. Keys come from servers: read them with {@link getOwn}, never with a bare index. */
export interface JsonObject {
  readonly [key: string]: JsonValue;
}

/** Whether a value is a plain JSON object: neither `null` nor an array. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** As `Array.isArray`, which does not narrow to readonly arrays. */
export function isJsonArray(value: unknown): value is readonly JsonValue[] {
  return Array.isArray(value);
}

/** The value of an own key, so that a key named `constructor` never reads the prototype. */
export function getOwn<T>(object: { readonly [key: string]: T }, key: string): T | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

/** The value of an own key of an object; undefined for any other value. */
export function findOwn(value: unknown, key: string): JsonValue | undefined {
  return isJsonObject(value) ? getOwn(value, key) : undefined;
}

/** The text of an own key of an object; undefined for any other value. */
export function findText(value: unknown, key: string): string | undefined {
  const text = findOwn(value, key);
  return typeof text === "string" ? text : undefined;
}

/** Returns an object, or an empty one in place of any other value. */
export function objectOrEmpty(value: unknown): JsonObject {
  return isJsonObject(value) ? value : {};
}

/** Returns an array, or an empty one in place of any other value. */
export function listOrEmpty(value: unknown): readonly JsonValue[] {
  return isJsonArray(value) ? value : [];
}

/** A JSON object with a name, which tools and abilities require. */
export interface NamedObject extends JsonObject {
  readonly name: string;
}

export function isNamedObject(value: unknown): value is NamedObject {
  const name = findOwn(value, "name");
  return typeof name === "string" && name !== "";
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

/** Returns an object without these keys. */
export function withoutKeys<T>(
  object: { readonly [key: string]: T },
  ...keys: readonly string[]
): { readonly [key: string]: T } {
  return Object.fromEntries(Object.entries(object).filter(([key]) => !keys.includes(key)));
}

/** Returns `base` with the keys of `over` that are defined: programs pass optional values on as they are. */
export function mergeDefined<A extends object, B extends object = Partial<A>>(
  base: A,
  over: B | undefined,
): A & Partial<B> {
  const defined = Object.entries(over ?? {}).filter(([, value]) => value !== undefined);
  return Object.assign({}, base, Object.fromEntries(defined) as Partial<B>);
}

/** A predicate for `z.custom()`: whether a value equals this one as JSON, in any order of keys. */
export function equals(expected: unknown): (value: unknown) => boolean {
  return (value) => isEqual(value, expected);
}

/** Whether two JSON values are equal. A key that holds `undefined` counts as absent. */
export function isEqual(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (Array.isArray(a) && Array.isArray(b))
    return a.length === b.length && a.every((item, index) => isEqual(item, b[index]));
  if (!isJsonObject(a) || !isJsonObject(b)) return false;
  const keys = definedKeys(a);
  return (
    keys.length === definedKeys(b).length &&
    keys.every((key) => Object.hasOwn(b, key) && isEqual(a[key], b[key]))
  );
}

/** Returns the keys of an object without those that hold `undefined`, which is not JSON and is never sent. */
export function definedKeys(value: { readonly [key: string]: unknown }): readonly string[] {
  return Object.keys(value).filter((key) => value[key] !== undefined);
}

/** Returns the parsed text, or undefined for a text that is not JSON. */
export function tryParseJson(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}

/** PHP writes an empty object as an empty list. */
export function isEmptyList(value: unknown): value is readonly [] {
  return Array.isArray(value) && value.length === 0;
}

/** Serializes without white space and with keys sorted by code unit, so that equal values give equal text. */
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

/** Whether JavaScript compiles a pattern with these flags. */
export function compilesPattern(pattern: string, flags: "u" | ""): boolean {
  try {
    return new RegExp(pattern, flags) instanceof RegExp;
  } catch {
    return false;
  }
}

import { getOwn, isJsonObject, type JsonObject, type JsonValue } from "../contract/json.js";

/** Defaults inside each other in a recursive schema would never end. */
const DEEPEST = 64;
/** Nor would two that each hold both: more than this is no input of a person's making. */
const MOST = 10_000;
/** How far into a value is looked to tell which of several schemas it may fit. */
const DEEPEST_LOOK = 4;

/**
 * The value with every absent optional key that has a `default` in the schema, at every depth: in nested objects, in
 * items of lists and values of maps, behind local `$ref`, in every member of `allOf`, in what a present key brings in by
 * `dependentSchemas`, and in the one branch of `anyOf` or `oneOf` that the value may fit. Where several branches remain,
 * or a condition or the pattern of a name would have to be judged, nothing is filled. A required key is never filled. Nothing is
 * copied where nothing is filled.
 */
export function fillDefaults(value: unknown, schema: unknown): unknown {
  return isJsonObject(schema) ? fill(value, schema, { root: schema, left: MOST }, 0) : value;
}

interface Filling {
  readonly root: JsonObject;
  /** How many more defaults may be filled in. */
  left: number;
}

function fill(value: unknown, schema: JsonObject, filling: Filling, depth: number): unknown {
  if (depth > DEEPEST || typeof value !== "object" || value === null) return value;
  const parts = collectParts(schema, filling.root, value);
  return isList(value)
    ? fillItems(value, parts, filling, depth)
    : fillProperties(new Map<string, unknown>(Object.entries(value)), value, parts, filling, depth);
}

/** The schemas that judge the same value, the schema itself first. With a value, branches that are decided by it too. */
function collectParts(schema: JsonObject, root: JsonObject, value?: object): readonly JsonObject[] {
  const parts = new Set([schema]);
  // What is added on the way is visited as well.
  for (const part of parts) {
    const found = [
      followRef(part, root),
      ...listOf(getOwn(part, "allOf")),
      ...(value === undefined ? [] : findDecided(part, root, value)),
    ];
    for (const one of found) if (isJsonObject(one)) parts.add(one);
  }
  return [...parts];
}

function findDecided(part: JsonObject, root: JsonObject, value: object): readonly (JsonValue | undefined)[] {
  const branches = ["anyOf", "oneOf"].flatMap((keyword) => {
    const possible = listOf(getOwn(part, keyword)).filter((one) => mayFit(value, one, root, 0));
    return possible.length === 1 ? possible : [];
  });
  const dependents = getOwn(part, "dependentSchemas");
  if (!isJsonObject(dependents)) return branches;
  const brought = Object.keys(value).filter((key) => Object.hasOwn(dependents, key));
  return [...branches, ...brought.map((key) => getOwn(dependents, key))];
}

function fillProperties(
  given: Map<string, unknown>,
  value: object,
  parts: readonly JsonObject[],
  filling: Filling,
  depth: number,
): unknown {
  const required = new Set(parts.flatMap((part) => listOf(getOwn(part, "required"))));
  const changed = new Set<string>();
  const put = (key: string, schema: JsonObject): void => {
    const present = given.get(key);
    // Draft 3's `required: true` on the property itself, as WordPress writes it.
    const isRequired = required.has(key) || getOwn(schema, "required") === true;
    const start = present === undefined && !isRequired ? takeDefault(schema, filling) : present;
    if (start === undefined) return;
    const next = fill(start, schema, filling, depth + 1);
    if (next === present) return;
    given.set(key, next);
    changed.add(key);
  };
  for (const part of parts) {
    const properties = getOwn(part, "properties");
    const named = isJsonObject(properties) ? properties : {};
    for (const [key, schema] of Object.entries(named)) if (isJsonObject(schema)) put(key, schema);
    const others = getOwn(part, "additionalProperties");
    // Which keys a pattern takes from the others is not looked at.
    if (!isJsonObject(others) || Object.hasOwn(part, "patternProperties")) continue;
    for (const key of Object.keys(value)) if (!Object.hasOwn(named, key)) put(key, others);
  }
  return changed.size > 0 ? Object.fromEntries(given) : value;
}

function fillItems(
  value: readonly unknown[],
  parts: readonly JsonObject[],
  filling: Filling,
  depth: number,
): unknown {
  const filled = parts.reduce<readonly unknown[]>((list, part) => {
    const items = getOwn(part, "items");
    // Until 2019-09 a tuple is a list under `items`.
    const tuple = listOf(Array.isArray(items) ? items : getOwn(part, "prefixItems"));
    const rest = Array.isArray(items) ? getOwn(part, "additionalItems") : items;
    return list.map((item, index) => {
      const schema = index < tuple.length ? tuple[index] : rest;
      return isJsonObject(schema) ? fill(item, schema, filling, depth + 1) : item;
    });
  }, value);
  return filled.every((item, index) => item === value[index]) ? value : filled;
}

function takeDefault(schema: JsonObject, filling: Filling): JsonValue | undefined {
  const value = filling.left > 0 ? defaultOf(schema, filling.root) : undefined;
  if (value !== undefined) filling.left -= 1;
  return value;
}

function defaultOf(schema: JsonObject, root: JsonObject): JsonValue | undefined {
  const stating = collectParts(schema, root).find((part) => Object.hasOwn(part, "default"));
  const value = stating && getOwn(stating, "default");
  if (value === undefined) return undefined;
  // PHP writes an empty object as an empty array.
  const isEmptyArray = Array.isArray(value) && value.length === 0;
  return isEmptyArray && getOwn(schema, "type") === "object" ? {} : structuredClone(value);
}

/** Whether nothing that is easily seen speaks against a value fitting a schema. */
function mayFit(value: unknown, schema: JsonValue | undefined, root: JsonObject, depth: number): boolean {
  if (schema === false) return false;
  if (!isJsonObject(schema) || depth > DEEPEST_LOOK) return true;
  if (!isOfType(value, getOwn(schema, "type")) || !isAmong(value, schema)) return false;
  if (![followRef(schema, root), ...listOf(getOwn(schema, "allOf"))].every((one) => mayFit(value, one, root, depth + 1))) return false; // prettier-ignore
  const alternatives = [getOwn(schema, "anyOf"), getOwn(schema, "oneOf")].filter((one) => one !== undefined);
  if (!alternatives.every((one) => listOf(one).some((branch) => mayFit(value, branch, root, depth + 1)))) return false; // prettier-ignore
  return !isRecord(value) || mayHold(value, schema, root, depth);
}

/** Whether an object has the keys that a schema asks for, and none that it forbids or that hold the wrong thing. */
function mayHold(
  value: { readonly [key: string]: unknown },
  schema: JsonObject,
  root: JsonObject,
  depth: number,
): boolean {
  const required = listOf(getOwn(schema, "required"));
  const isPresent = (key: string): boolean => Object.hasOwn(value, key) && value[key] !== undefined;
  if (!required.every((key) => typeof key !== "string" || isPresent(key))) return false;
  const properties = getOwn(schema, "properties");
  const named = isJsonObject(properties) ? properties : {};
  const isClosed = getOwn(schema, "additionalProperties") === false && !Object.hasOwn(schema, "patternProperties"); // prettier-ignore
  return Object.keys(value).every((key) =>
    Object.hasOwn(named, key) ? mayFit(value[key], named[key], root, depth + 1) : !isClosed,
  );
}

function isOfType(value: unknown, type: JsonValue | undefined): boolean {
  const types = typeof type === "string" ? [type] : listOf(type);
  if (types.length === 0) return true;
  const own = value === null ? "null" : Array.isArray(value) ? "array" : typeof value;
  return types.some((one) => one === own || (one === "integer" && Number.isInteger(value)));
}

// Structures are left to whoever validates.
function isAmong(value: unknown, schema: JsonObject): boolean {
  if (typeof value === "object" && value !== null) return true;
  const values = Object.hasOwn(schema, "const") ? [getOwn(schema, "const")] : getOwn(schema, "enum");
  return !Array.isArray(values) || values.some((one) => one === value);
}

/** What a local `$ref` points at; undefined when there is none that can be followed. */
function followRef(schema: JsonObject, root: JsonObject): JsonValue | undefined {
  const ref = getOwn(schema, "$ref");
  if (typeof ref !== "string" || !ref.startsWith("#")) return undefined;
  const fragment = ref.slice(1);
  return fragment === "" || fragment.startsWith("/")
    ? findPointer(root, fragment)
    : findAnchor(root, fragment);
}

function findPointer(root: JsonValue, pointer: string): JsonValue | undefined {
  let at: JsonValue | undefined = root;
  for (const part of pointer.split("/").slice(1)) {
    const key = decodePart(part);
    if (isJsonObject(at)) at = getOwn(at, key);
    else if (isList(at)) at = at[Number(key)];
    else return undefined;
  }
  return at;
}

/** The schema that calls itself so, by `$anchor` or, until draft 7, by `$id`. */
function findAnchor(root: JsonValue, name: string): JsonObject | undefined {
  const open: JsonValue[] = [root];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    if (isJsonObject(at) && (getOwn(at, "$anchor") === name || getOwn(at, "$id") === `#${name}`)) return at;
    if (typeof at === "object" && at !== null) for (const inner of Object.values(at)) open.push(inner);
  }
  return undefined;
}

function decodePart(part: string): string {
  try {
    return decodeURIComponent(part).replaceAll("~1", "/").replaceAll("~0", "~");
  } catch {
    return part;
  }
}

function listOf(value: JsonValue | undefined): readonly JsonValue[] {
  return isList(value) ? value : [];
}

function isList<T>(value: T | readonly T[]): value is readonly T[];
function isList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value);
}

function isRecord(value: unknown): value is { readonly [key: string]: unknown } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

import { getOwn, isJsonObject, type JsonObject, type JsonValue } from "../contract/json.js";

/** Defaults inside each other in a recursive schema would never end. */
const DEEPEST = 64;

/**
 * The value with every absent optional key that has a `default` in the schema, at every depth: in nested objects, in
 * array items, behind local `$ref` and in every branch of `allOf`. Branches of `anyOf` and `oneOf` are left alone, since
 * which one holds is not decided yet. Nothing is copied where nothing is filled.
 */
export function fillDefaults(value: unknown, schema: unknown): unknown {
  return isJsonObject(schema) ? fill(value, schema, schema, 0) : value;
}

function fill(value: unknown, schema: JsonObject, root: JsonObject, depth: number): unknown {
  if (depth > DEEPEST || typeof value !== "object" || value === null) return value;
  const branches = [followRef(schema, root), ...listOf(getOwn(schema, "allOf"))].filter(isJsonObject);
  let filled: unknown = value;
  for (const branch of branches) {
    filled = Array.isArray(filled)
      ? fillItems(filled, branch, root, depth)
      : fillProperties(filled, branch, root, depth);
  }
  if (branches[0] !== schema) return fillDirectly(filled, schema, root, depth);
  return filled;
}

/** Keywords beside a `$ref` apply as well (draft 2019-09 and later). */
function fillDirectly(value: unknown, schema: JsonObject, root: JsonObject, depth: number): unknown {
  return Array.isArray(value)
    ? fillItems(value, schema, root, depth)
    : fillProperties(value, schema, root, depth);
}

function fillProperties(value: unknown, schema: JsonObject, root: JsonObject, depth: number): unknown {
  const properties = getOwn(schema, "properties");
  if (!isJsonObject(properties) || typeof value !== "object" || value === null) return value;
  const given = new Map<string, unknown>(Object.entries(value));
  const required = listOf(getOwn(schema, "required"));
  let isFilled = false;
  for (const [key, property] of Object.entries(properties)) {
    if (!isJsonObject(property)) continue;
    const present = given.get(key);
    const start =
      present === undefined && !isRequired(key, property, required) ? defaultOf(property, root) : present;
    if (start === undefined) continue;
    const next = fill(start, property, root, depth + 1);
    if (next === present) continue;
    given.set(key, next);
    isFilled = true;
  }
  return isFilled ? Object.fromEntries(given) : value;
}

function fillItems(value: readonly unknown[], schema: JsonObject, root: JsonObject, depth: number): unknown {
  const items = getOwn(schema, "items");
  const tuple = listOf(getOwn(schema, "prefixItems") ?? (Array.isArray(items) ? items : undefined));
  const filled = value.map((item, index) => {
    const itemSchema = tuple[index] ?? items;
    return isJsonObject(itemSchema) ? fill(item, itemSchema, root, depth + 1) : item;
  });
  return filled.every((item, index) => item === value[index]) ? value : filled;
}

/** The names in `required`, or draft 3's `required: true` on the property itself, as WordPress writes it. */
function isRequired(key: string, property: JsonObject, required: readonly JsonValue[]): boolean {
  return required.includes(key) || getOwn(property, "required") === true;
}

function defaultOf(property: JsonObject, root: JsonObject): JsonValue | undefined {
  const value = getOwn(property, "default") ?? getOwn(followRef(property, root), "default");
  if (value === undefined) return undefined;
  // PHP writes an empty object as an empty array.
  const isEmptyArray = Array.isArray(value) && value.length === 0;
  return isEmptyArray && getOwn(property, "type") === "object" ? {} : structuredClone(value);
}

/** What a local `$ref` points at; the schema itself when it has none that can be followed. */
function followRef(schema: JsonObject, root: JsonObject): JsonObject {
  let at = schema;
  for (let steps = 0; steps < DEEPEST; steps += 1) {
    const ref = getOwn(at, "$ref");
    if (typeof ref !== "string" || !ref.startsWith("#")) return at;
    const target = findPointer(root, ref.slice(1));
    if (!isJsonObject(target)) return at;
    at = target;
  }
  return schema;
}

function findPointer(root: JsonValue, pointer: string): JsonValue | undefined {
  let at: JsonValue | undefined = root;
  for (const part of pointer.split("/").slice(1)) {
    const key = decodePart(part);
    if (isJsonObject(at)) at = getOwn(at, key);
    else if (isArray(at)) at = at[Number(key)];
    else return undefined;
  }
  return at;
}

function decodePart(part: string): string {
  try {
    return decodeURIComponent(part).replaceAll("~1", "/").replaceAll("~0", "~");
  } catch {
    return part;
  }
}

function listOf(value: JsonValue | undefined): readonly JsonValue[] {
  return isArray(value) ? value : [];
}

function isArray(value: JsonValue | undefined): value is readonly JsonValue[] {
  return Array.isArray(value);
}

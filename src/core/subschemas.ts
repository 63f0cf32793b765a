import { getOwn, isEmptyList, isJsonObject, mapEntries, type JsonObject, type JsonValue } from "./json.js";
import { findKeyword, keywordsWith } from "./keywords.js";
import { decodeFragment, findAt, joinPointer } from "./json-pointer.js";

/** The keywords that hold schemas: those with one, a list and a map. */
const HOLDERS: readonly string[] = (["one", "list", "map"] as const).flatMap((holder) =>
  keywordsWith(({ holds }) => holds === holder),
);

/** Returns the replacement of a schema; undefined removes the entry of a map. */
type MapSchema = (schema: JsonValue, pointer: string, name?: string) => JsonValue | undefined;

/** Returns the value of a keyword with its schemas mapped. The value of a keyword without schemas is returned unchanged. */
export function mapKeyword(keyword: string, value: JsonValue, pointer: string, map: MapSchema): JsonValue {
  const holder = holderOf(keyword);
  const at = joinPointer(pointer, keyword);
  if (holder === undefined) return value;
  // Before 2020-12, `items` may be a list.
  if (holder !== "map" && Array.isArray(value) && (holder === "list" || value.length > 0)) {
    const list: readonly JsonValue[] = value;
    return list.map((schema, index) => map(schema, joinPointer(at, index)) ?? schema);
  }
  if (holder === "one") return map(value, at) ?? value;
  return holder === "map" && isJsonObject(value) ? mapSchemas(keyword, value, at, map) : value;
}

function mapSchemas(keyword: string, value: JsonObject, at: string, map: MapSchema): JsonObject {
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, schema]): readonly [string, JsonValue][] => {
      // An entry of `dependencies` may be a list of names.
      if (keyword === "dependencies" && Array.isArray(schema) && schema.length > 0) return [[name, schema]];
      const mapped = map(schema, joinPointer(at, name), name);
      return mapped === undefined ? [] : [[name, mapped]];
    }),
  );
}

/** A schema with the schemas right below it converted. Everything else stays as it is, in its order. */
export function mapSubschemas(
  schema: JsonObject,
  convert: (subschema: JsonObject, keyword: string) => JsonObject,
): JsonObject {
  return mapEntries(schema, (value, keyword) =>
    mapKeyword(keyword, value, "", (inner) => (isJsonObject(inner) ? convert(inner, keyword) : inner)),
  );
}

/** The schemas right below a schema with their JSON Pointers, by keyword in one order. */
export function subschemasOf(
  schema: JsonObject,
  pointer: string,
): readonly (readonly [subschema: JsonValue, pointer: string])[] {
  const pairs: [JsonValue, string][] = [];
  for (const keyword of HOLDERS) {
    const value = getOwn(schema, keyword);
    if (value === undefined) continue;
    mapKeyword(keyword, value, pointer, (subschema, at) => {
      pairs.push([subschema, at]);
      return subschema;
    });
  }
  return pairs;
}

/** Returns all schemas in a schema, by their JSON Pointers. */
export function listSchemas(root: JsonValue): ReadonlyMap<string, JsonObject> {
  const schemas = new Map<string, JsonObject>();
  const open: (readonly [JsonValue, string])[] = [[root, ""]];
  for (let entry = open.pop(); entry !== undefined; entry = open.pop()) {
    const [schema, pointer] = entry;
    if (!isJsonObject(schema)) continue;
    schemas.set(pointer, schema);
    open.push(...subschemasOf(schema, pointer));
  }
  return schemas;
}

/** Whether a value is a schema: an object, or one of the schemas `true` and `false`. */
export function isSubschema(value: unknown): value is JsonObject | boolean {
  return typeof value === "boolean" || isJsonObject(value);
}

/** Whether a value can be read as a schema: PHP writes an empty one as an empty list. */
export function isSchema(value: JsonValue): value is JsonObject | boolean | readonly [] {
  return isSubschema(value) || isEmptyList(value);
}

/** How a keyword holds schemas; undefined for a keyword without schemas. */
export function holderOf(keyword: string): "one" | "list" | "map" | undefined {
  return findKeyword(keyword)?.holds;
}

/** The JSON Pointer that a schema's `$ref` has in the same document; undefined for an anchor or another document. */
export function pointerOfRef(schema: JsonObject): string | undefined {
  const ref = getOwn(schema, "$ref");
  if (typeof ref !== "string" || !ref.startsWith("#")) return undefined;
  const pointer = decodeFragment(ref.slice(1));
  return pointer === "" || pointer.startsWith("/") ? pointer : undefined;
}

/** Returns the schema that the `$ref` of a schema leads to; undefined without one that leads somewhere in the document. */
export function referredBy(schema: JsonValue | undefined, root: JsonValue): JsonValue | undefined {
  const pointer = isJsonObject(schema) ? pointerOfRef(schema) : undefined;
  return pointer === undefined ? undefined : findAt(root, pointer);
}

/** More references than lead from one schema to the next anywhere. */
const MOST_HOPS = 16;

/** A schema in a document, and the JSON Pointer to it. */
export interface PlacedSchema {
  readonly schema: JsonValue;
  readonly pointer: string;
}

/** Follows `$ref` to the schema that has none, or one that leads nowhere; undefined for a circle. */
export function followReferences(schema: JsonValue, root: JsonValue): JsonValue | undefined {
  return followToPlace({ schema, pointer: "" }, root)?.schema;
}

/** As {@link followReferences}, with the place of the schema. */
export function followToPlace(place: PlacedSchema, root: JsonValue): PlacedSchema | undefined {
  let current = place;
  for (let hop = 0; hop < MOST_HOPS; hop += 1) {
    const pointer = isJsonObject(current.schema) ? pointerOfRef(current.schema) : undefined;
    const schema = pointer === undefined ? undefined : findAt(root, pointer);
    if (pointer === undefined || schema === undefined) return current;
    current = { schema, pointer };
  }
  return undefined;
}

const REFERENCES: ReadonlySet<string> = new Set(["$ref", "$dynamicRef", "$recursiveRef"]);

/** Returns the references in a schema at any depth; an empty text for one that is not a text. */
export function referencesIn(schema: JsonValue): readonly string[] {
  const references: string[] = [];
  const open: JsonValue[] = [schema];
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    if (typeof value !== "object" || value === null) continue;
    for (const [key, item] of Object.entries(value)) {
      if (REFERENCES.has(key)) references.push(typeof item === "string" ? item : "");
      open.push(item);
    }
  }
  return references;
}

import { isJsonObject, type JsonObject, type JsonValue } from "../contract/json.js";
import { joinPointer } from "../contract/json-pointer.js";

/** How a keyword holds schemas: one, a list of them, a map of them, or any of these by the look of its value. */
const HOLDERS: ReadonlyMap<string, "one" | "list" | "map"> = new Map([
  ...[
    "additionalItems", "additionalProperties", "contains", "contentSchema", "else", "if", "items", "not",
    "propertyNames", "then", "unevaluatedItems", "unevaluatedProperties",
  ].map((keyword) => [keyword, "one"] as const),
  ...["allOf", "anyOf", "oneOf", "prefixItems"].map((keyword) => [keyword, "list"] as const),
  ...[
    "$defs", "definitions", "dependencies", "dependentSchemas", "patternProperties", "properties",
  ].map((keyword) => [keyword, "map"] as const),
]); // prettier-ignore

/** Another value in the place of a schema; undefined to leave out the entry of a map. */
export type MapSchema = (schema: JsonValue, pointer: string, name?: string) => JsonValue | undefined;

/** The value of a keyword with the schemas in it mapped; any other keyword's value as it is. */
export function mapKeyword(keyword: string, value: JsonValue, pointer: string, map: MapSchema): JsonValue {
  const holder = HOLDERS.get(keyword);
  const at = joinPointer(pointer, keyword);
  if (holder === undefined) return value;
  // Before 2020-12, `items` may be a list.
  if (holder !== "map" && Array.isArray(value) && (holder === "list" || value.length > 0)) {
    const list: readonly JsonValue[] = value;
    return list.map((schema, index) => map(schema, joinPointer(at, index)) ?? schema);
  }
  if (holder === "one") return map(value, at) ?? value;
  return holder === "map" && isJsonObject(value) ? mapEntries(keyword, value, at, map) : value;
}

function mapEntries(keyword: string, value: JsonObject, at: string, map: MapSchema): JsonObject {
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, schema]): readonly [string, JsonValue][] => {
      // An entry of `dependencies` may be a list of names.
      if (keyword === "dependencies" && Array.isArray(schema) && schema.length > 0) return [[name, schema]];
      const mapped = map(schema, joinPointer(at, name), name);
      return mapped === undefined ? [] : [[name, mapped]];
    }),
  );
}

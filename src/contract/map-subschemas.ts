import { isJsonObject, mapEntries, type JsonObject, type JsonValue } from "./json.js";

const MAPS = ["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"];
const SCHEMAS = ["items", "additionalProperties", "contains", "propertyNames", "not", "if", "then", "else"];
const LISTS = ["allOf", "anyOf", "oneOf", "prefixItems", "items"];

/** Whether a keyword holds schemas by name. */
export function isSchemaMap(keyword: string): boolean {
  return MAPS.includes(keyword);
}

/** A schema with the schemas right below it converted. Everything else stays as it is, in its order. */
export function mapSubschemas(
  schema: JsonObject,
  convert: (subschema: JsonObject, keyword: string) => JsonObject,
): JsonObject {
  return mapEntries(schema, (value, keyword): JsonValue => {
    const convertValue = (inner: JsonValue): JsonValue =>
      isJsonObject(inner) ? convert(inner, keyword) : inner;
    if (isSchemaMap(keyword) && isJsonObject(value)) return mapEntries(value, convertValue);
    if (LISTS.includes(keyword) && Array.isArray(value))
      return (value as readonly JsonValue[]).map(convertValue);
    return SCHEMAS.includes(keyword) ? convertValue(value) : value;
  });
}

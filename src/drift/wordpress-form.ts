import { getOwn, isJsonObject, type JsonObject, type JsonValue } from "../contract/json.js";
import type { ToolSnapshot } from "../contract/snapshot.js";

/**
 * A tool of a WordPress as the specification would write it: WordPress's dialect is draft 4 with a `required` at single
 * properties, keys of its own that only PHP reads, and PHP's arrays, which are lists or objects as it happens. Two tools
 * that WordPress takes for the same are the same in this form.
 */
export function wordpressForm(tool: ToolSnapshot): ToolSnapshot {
  const schemas = (["inputSchema", "outputSchema"] as const).flatMap((key) => {
    const schema = getOwn(tool, key);
    return schema === undefined ? [] : [[key, standardSchema(schema)] as const];
  });
  return { ...tool, ...Object.fromEntries(schemas) };
}

/**
 * Keys of PHP and of the REST API that say nothing about which values there are. WordPress 7.1 publishes schemas without
 * them: `wp_prepare_json_schema_for_client()` in wp-includes/json-schema.php, whose other rules are those of this file.
 */
const OF_PHP = new Set(["sanitize_callback", "validate_callback", "arg_options", "context", "readonly"]);
const SCHEMAS_BY_NAME = new Set(["properties", "patternProperties", "definitions", "$defs", "dependencies"]);
const LISTS_OF_SCHEMAS = new Set(["anyOf", "oneOf", "allOf"]);
const SCHEMAS = new Set(["items", "additionalItems", "additionalProperties", "not"]);
const LISTS = new Set(["enum", "required", "type"]);

function standardSchema(value: JsonValue): JsonValue {
  if (isEmptyList(value)) return {};
  if (!isJsonObject(value)) return value;
  const entries = Object.entries(value).flatMap(
    ([key, member]): readonly (readonly [string, JsonValue])[] => {
      if (OF_PHP.has(key) || (key === "required" && typeof member === "boolean")) return [];
      if (key === "default" && isEmptyList(member) && getOwn(value, "type") === "object") return [[key, {}]];
      return [[key, standardMember(key, member)]];
    },
  );
  const schema: JsonObject = Object.fromEntries(entries);
  return withBounds({ ...schema, ...requiredOf(value) });
}

function standardMember(key: string, value: JsonValue): JsonValue {
  if (SCHEMAS_BY_NAME.has(key)) {
    // Names that are numbers make a list of it.
    const named = Array.isArray(value) ? Object.fromEntries(value.entries()) : value;
    return isJsonObject(named)
      ? Object.fromEntries(Object.entries(named).map(([name, schema]) => [name, standardSchema(schema)]))
      : value;
  }
  if (LISTS_OF_SCHEMAS.has(key)) {
    const list = isJsonObject(value) ? Object.values(value) : value;
    return Array.isArray(list) ? list.map(standardSchema) : value;
  }
  if (SCHEMAS.has(key)) {
    return Array.isArray(value) && value.length > 0 ? value.map(standardSchema) : standardSchema(value);
  }
  // A list with names or gaps.
  return LISTS.has(key) && isJsonObject(value) ? Object.values(value) : value;
}

/** WordPress asks single properties where there is no list. */
function requiredOf(schema: JsonObject): { readonly required?: JsonValue } {
  const [listed, properties] = [getOwn(schema, "required"), getOwn(schema, "properties")];
  if ((typeof listed === "object" && listed !== null) || !isJsonObject(properties)) return {};
  const names = Object.entries(properties).flatMap(([name, property]) =>
    isJsonObject(property) && getOwn(property, "required") === true ? [name] : [],
  );
  return names.length === 0 ? {} : { required: names };
}

/** Draft 4 says beside a bound whether it is exclusive. */
function withBounds(schema: JsonObject): JsonObject {
  const pairs = [
    ["minimum", "exclusiveMinimum"],
    ["maximum", "exclusiveMaximum"],
  ] as const;
  return pairs.reduce((current: JsonObject, [bound, exclusive]) => {
    const { [bound]: limit, [exclusive]: isExclusive, ...rest } = current;
    if (typeof isExclusive !== "boolean") return current;
    if (limit === undefined) return rest;
    return { ...rest, [isExclusive ? exclusive : bound]: limit };
  }, schema);
}

function isEmptyList(value: JsonValue): boolean {
  return Array.isArray(value) && value.length === 0;
}

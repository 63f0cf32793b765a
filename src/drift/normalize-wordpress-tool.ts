import {
  getOwn,
  isEmptyList,
  isJsonArray,
  isJsonObject,
  type JsonObject,
  type JsonValue,
} from "../core/json.js";
import type { LockedServer } from "../core/lockfile.js";
import { requiredInside } from "../core/model-schema.js";
import type { ServerSnapshot, ToolSnapshot } from "../core/snapshot.js";
import { findKeyword } from "../core/keywords.js";
import { mapKeyword } from "../core/subschemas.js";
import { isSameJson } from "../core/json-pointer.js";

/**
 * Returns a WordPress tool with its schemas in standard JSON Schema. WordPress uses draft 4 with a boolean `required` on
 * properties, keys that only PHP reads, and PHP arrays, which become lists or objects depending on their keys. Two tools
 * that WordPress treats as equal are equal in this form.
 */
export function normalizeWordPressTool(tool: ToolSnapshot): ToolSnapshot {
  return mapSchemas(tool, standardSchema);
}

/**
 * Returns a tool, normalized, as WordPress 7.1 publishes it: with only the keywords of draft 4. WordPress does not
 * validate others.
 */
export function publishTool(tool: ToolSnapshot): ToolSnapshot {
  return mapSchemas(tool, publishedSchema);
}

/**
 * Returns two lists of normalized tools as WordPress publishes them. PHP code and sites before WordPress 7.1 have
 * keywords that later sites omit: if only one of two tools has such keywords, they are removed.
 */
export function asPublished(
  toolsBefore: readonly ToolSnapshot[],
  toolsAfter: readonly ToolSnapshot[],
  before: LockedServer | ServerSnapshot,
  after: ServerSnapshot,
): readonly [readonly ToolSnapshot[], readonly ToolSnapshot[]] {
  // PHP code and the tools of the adapter have all keywords.
  const areOfPhp = before.wordpress?.projected === true && after.wordpress?.projected === true;
  if (areOfPhp || [before, after].some(({ wordpress }) => wordpress?.route === "tools"))
    return [toolsBefore, toolsAfter];
  const isPublished = (tool: ToolSnapshot): boolean => isSameJson(tool, publishTool(tool));
  const like = (tools: readonly ToolSnapshot[], others: readonly ToolSnapshot[]): readonly ToolSnapshot[] => {
    const byName = new Map(others.map((tool) => [tool.name, tool]));
    return tools.map((tool) => {
      const other = byName.get(tool.name);
      return other !== undefined && isPublished(other) ? publishTool(tool) : tool;
    });
  };
  return [like(toolsBefore, toolsAfter), like(toolsAfter, toolsBefore)];
}

function mapSchemas(tool: ToolSnapshot, map: (schema: JsonValue) => JsonValue): ToolSnapshot {
  const schemas = (["inputSchema", "outputSchema"] as const).flatMap((key) => {
    const schema = getOwn(tool, key);
    return schema === undefined ? [] : [[key, map(schema)] as const];
  });
  return { ...tool, ...Object.fromEntries(schemas) };
}

function publishedSchema(value: JsonValue): JsonValue {
  if (!isJsonObject(value)) return value;
  const entries = Object.entries(value).filter(([key]) => PUBLISHED.has(key));
  return Object.fromEntries(entries.map(([key, member]) => [key, mapMember(key, member, publishedSchema)]));
}

/**
 * Keys of PHP and of the REST API that do not restrict values. WordPress 7.1 publishes schemas without them. The rules of
 * this file are those of `wp_prepare_json_schema_for_client()` in wp-includes/json-schema.php.
 */
const OF_PHP = new Set(["sanitize_callback", "validate_callback", "arg_options", "context", "readonly"]);
/** `wp_get_json_schema_allowed_keywords( 'draft-04' )` */
const PUBLISHED: ReadonlySet<string> = new Set([
  "$schema",
  "id",
  "$ref",
  "title",
  "description",
  "default",
  "type",
  "format",
  "enum",
  "definitions",
  "properties",
  "additionalProperties",
  "patternProperties",
  "minProperties",
  "maxProperties",
  "required",
  "items",
  "additionalItems",
  "minItems",
  "maxItems",
  "uniqueItems",
  "dependencies",
  "minimum",
  "maximum",
  "exclusiveMinimum",
  "exclusiveMaximum",
  "multipleOf",
  "minLength",
  "maxLength",
  "pattern",
  "anyOf",
  "oneOf",
  "allOf",
  "not",
]);

function standardSchema(value: JsonValue): JsonValue {
  if (isEmptyList(value)) return {};
  if (!isJsonObject(value)) return value;
  const entries = Object.entries(value).flatMap(
    ([key, member]): readonly (readonly [string, JsonValue])[] => {
      if (OF_PHP.has(key) || (key === "required" && typeof member === "boolean")) return [];
      if (key === "default" && isEmptyList(member) && getOwn(value, "type") === "object") return [[key, {}]];
      return [[key, mapMember(key, member, standardSchema)]];
    },
  );
  const schema: JsonObject = Object.fromEntries(entries);
  return withBounds({ ...schema, ...requiredOf(value) });
}

function mapMember(key: string, value: JsonValue, map: (schema: JsonValue) => JsonValue): JsonValue {
  const { holds, form } = findKeyword(key) ?? {};
  // PHP writes a map with the keys 0, 1, 2… as a list, and a list with gaps as an object.
  const isMap = holds === "map" && isJsonArray(value);
  const isList = (holds === "list" || form === "list") && isJsonObject(value);
  const shaped = isMap ? Object.fromEntries(value.entries()) : isList ? Object.values(value) : value;
  return mapKeyword(key, shaped, "", map);
}

/** WordPress reads `required: true` of a property if the object has no `required` list. */
function requiredOf(schema: JsonObject): { readonly required?: JsonValue } {
  const listed = getOwn(schema, "required");
  if (typeof listed === "object" && listed !== null) return {};
  const names = requiredInside(schema);
  return names.length === 0 ? {} : { required: names };
}

/** In draft 4, `exclusiveMinimum` and `exclusiveMaximum` are booleans beside the bound. */
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

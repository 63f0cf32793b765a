import { getOwn, isJsonObject, type JsonObject, type JsonValue } from "../../core/json.js";

const SCHEMAS = ["inputSchema", "outputSchema"];
const DEFINITIONS = ["$defs", "definitions"];

/**
 * Returns a function that returns an entry of a list with the definitions of earlier entries in place of equal ones. Generators
 * repeat all definitions in each tool: 200 tools may have half a megabyte of them 200 times.
 */
export function createDefinitionSharing(): (entry: JsonValue) => JsonValue {
  const values = new Map<string, JsonValue>();
  const share = (value: JsonValue, create: () => JsonValue): JsonValue => {
    const text = JSON.stringify(value);
    const shared = values.get(text) ?? create();
    values.set(text, shared);
    return shared;
  };
  const shareAll = (definitions: JsonValue): JsonValue =>
    share(definitions, () => mapMembers(definitions, (definition) => share(definition, () => definition)));
  return (entry) => mapMembers(entry, (schema) => mapMembers(schema, shareAll, DEFINITIONS), SCHEMAS);
}

/** Returns an object with other values of its members, or of those with these keys; any other value unchanged. */
function mapMembers(
  value: JsonValue,
  map: (member: JsonValue) => JsonValue,
  keys?: readonly string[],
): JsonValue {
  if (!isJsonObject(value)) return value;
  const mapped: JsonObject = Object.fromEntries(
    (keys ?? Object.keys(value)).flatMap((key) => {
      const member = getOwn(value, key);
      return member === undefined ? [] : [[key, map(member)]];
    }),
  );
  return Object.keys(mapped).length === 0 ? value : { ...value, ...mapped };
}

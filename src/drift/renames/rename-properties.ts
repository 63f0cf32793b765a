import { isJsonObject, type JsonValue } from "../../contract/json.js";
import { joinPointer } from "../../contract/json-pointer.js";
import type { PropertyRename } from "./find-property-renames.js";

/** Returns the schema with its properties under their new names. */
export function renameProperties(schema: JsonValue, renames: readonly PropertyRename[]): JsonValue {
  return renames.length === 0 ? schema : renameBelow(schema, renames, "");
}

function renameBelow(schema: JsonValue, renames: readonly PropertyRename[], at: string): JsonValue {
  if (Array.isArray(schema)) {
    const items: readonly JsonValue[] = schema;
    return items.map((item, index) => renameBelow(item, renames, joinPointer(at, index)));
  }
  if (!isJsonObject(schema)) return schema;
  const own = new Map(renames.filter(({ site }) => site === at).map(({ before, after }) => [before, after]));
  const isSite = own.size > 0;
  return Object.fromEntries(
    Object.entries(schema).map(([key, value]): [string, JsonValue] => {
      const below = renameBelow(value, renames, joinPointer(at, key));
      if (isSite && key === "properties" && isJsonObject(below)) {
        return [
          key,
          Object.fromEntries(Object.entries(below).map(([name, item]) => [own.get(name) ?? name, item])),
        ];
      }
      if (isSite && key === "required" && Array.isArray(below)) {
        const names: readonly JsonValue[] = below;
        return [key, names.map((name) => (typeof name === "string" ? (own.get(name) ?? name) : name))];
      }
      return [key, below];
    }),
  );
}

import { getOwn, isJsonObject, type JsonObject, type JsonValue } from "../../contract/json.js";
import { isBounded } from "../../schema/assert-bounded.js";
import { joinPointer } from "../../contract/json-pointer.js";

/** An object with more added or removed names counts as a different object. */
const MAX_NAMES = 40;

/** An object in two schemas with both removed and added properties. */
export interface RenameSite {
  /** JSON Pointer of the schema of the object, in both documents. */
  readonly pointer: string;
  readonly removed: readonly (readonly [name: string, schema: JsonValue])[];
  readonly added: readonly (readonly [name: string, schema: JsonValue])[];
}

/**
 * Returns the objects at the same place in both schemas in which a property may have a new name. Returns none for a schema
 * with references into `properties`, because the references would have no target under the new name.
 */
export function findSites(before: JsonValue, after: JsonValue): readonly RenameSite[] {
  // The comparison reports schemas that are too deep for recursive functions.
  if (!isBounded(before) || !isBounded(after) || refersToProperties(before)) return [];
  return sitesBelow(before, after, "");
}

function sitesBelow(before: JsonValue, after: JsonValue, at: string): readonly RenameSite[] {
  if (Array.isArray(before) && Array.isArray(after)) {
    const [old, now]: readonly (readonly JsonValue[])[] = [before, after];
    // Lists of different lengths, such as unions, have no common places.
    if (old?.length !== now?.length) return [];
    return (old ?? []).flatMap((item, index) => {
      const other = now?.[index];
      return other === undefined ? [] : sitesBelow(item, other, joinPointer(at, index));
    });
  }
  if (!isJsonObject(before) || !isJsonObject(after)) return [];
  const below = Object.entries(before).flatMap(([key, item]) => {
    const other = DATA.has(key) ? undefined : getOwn(after, key);
    return other === undefined ? [] : sitesBelow(item, other, joinPointer(at, key));
  });
  // Below "properties" is a map of schemas instead of a schema.
  return at.endsWith("/properties") ? below : [...siteAt(before, after, at), ...below];
}

/** Keywords with values instead of schemas, and keywords in which renames are not searched. */
const DATA = new Set(["enum", "const", "default", "examples", "required", "not", "if"]);

function siteAt(before: JsonObject, after: JsonObject, pointer: string): readonly RenameSite[] {
  const [old, now] = [getOwn(before, "properties"), getOwn(after, "properties")];
  if (!isJsonObject(old) || !isJsonObject(now)) return [];
  const removed = Object.entries(old).filter(([name]) => !Object.hasOwn(now, name));
  const added = Object.entries(now).filter(([name]) => !Object.hasOwn(old, name));
  const isOther = removed.length > MAX_NAMES || added.length > MAX_NAMES;
  return isOther || removed.length === 0 || added.length === 0 ? [] : [{ pointer, removed, added }];
}

function refersToProperties(value: JsonValue): boolean {
  if (Array.isArray(value)) return (value as readonly JsonValue[]).some(refersToProperties);
  if (!isJsonObject(value)) return false;
  return Object.entries(value).some(
    ([key, item]) =>
      (key === "$ref" && typeof item === "string" && item.includes("/properties/")) ||
      refersToProperties(item),
  );
}

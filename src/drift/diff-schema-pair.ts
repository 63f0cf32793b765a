import { getOwn, isJsonObject, type JsonValue } from "../contract/json.js";
import { DEFAULT_DIALECT } from "../schema/dialect.js";
import { findAt, joinPointer } from "../contract/json-pointer.js";
import { diffSchemas, type SchemaPlace } from "./diff-schemas.js";
import type { Finding } from "./finding.js";
import { isEqual } from "./is-equal.js";
import { makeChange, withoutWire } from "./make-change.js";
import { findPropertyRenames, type PropertyRename } from "./renames/find-property-renames.js";
import { renameProperties } from "./renames/rename-properties.js";

/**
 * Returns what differs between two schemas. A renamed property is reported once, and then compared under its new name.
 * Witnesses are searched in the schemas as they are.
 */
export function diffSchemaPair(
  oldSchema: JsonValue,
  newSchema: JsonValue,
  place: SchemaPlace,
): readonly Finding[] {
  const [before, after] =
    place.side === "input" ? [ofArguments(oldSchema), ofArguments(newSchema)] : [oldSchema, newSchema];
  if (isEqual(before, after)) return [];
  const renames = findPropertyRenames(before, after, place.evidence);
  if (renames.length === 0) return diffSchemas(before, after, place);
  const renamed = renameProperties(before, renames);
  const asIs = (schema: JsonValue): JsonValue => (schema === renamed ? before : schema);
  return [
    ...renames.map((rename) => tellRename(rename, before, after, place)),
    ...diffSchemas(renamed, after, place).map((finding): Finding => {
      const { request } = finding;
      if (request === undefined) return finding;
      return {
        ...finding,
        request: { ...request, accepts: asIs(request.accepts), rejects: asIs(request.rejects) },
      };
    }),
  ];
}

/** An input schema for objects alone: arguments are an object (specification 2025-11-25, `tools/call`), written out or not. */
function ofArguments(schema: JsonValue): JsonValue {
  if (schema === true) return { type: "object" };
  // Before 2019-09, nothing beside a reference counts.
  if (!isJsonObject(schema) || Object.hasOwn(schema, "$ref")) return schema;
  const type = getOwn(schema, "type");
  const allowsObjects = type === undefined || (Array.isArray(type) && type.includes("object"));
  return allowsObjects ? { ...schema, type: "object" } : schema;
}

function tellRename(
  { site, ...rename }: PropertyRename,
  before: JsonValue,
  after: JsonValue,
  { pointer, side, reading, ...place }: SchemaPlace,
): Finding {
  const [old, now] = [rename.before, rename.after].map((name) => joinPointer(site, "properties", name));
  const path = pointer + (now ?? "");
  const schemas =
    side === "input" ? { accepts: before, rejects: after } : { accepts: after, rejects: before };
  // What is missed breaks first; where nothing is, what is too much does.
  const [missed, known] = side === "input" ? [rename.after, now] : [rename.before, old];
  const isMissed = isRequired(schemas.rejects, site, missed);
  const at = (isMissed ? known : side === "input" ? old : now) ?? "";
  const change = makeChange(`${side}-property-renamed`, { ...place, path }, rename);
  // Where neither is so, the old name is passed over, and only the types of callers break.
  if (!isMissed && findAt(schemas.rejects, joinPointer(site, "additionalProperties")) !== false)
    return { change: withoutWire(change) };
  return {
    change,
    request: {
      ...schemas,
      at,
      rule: "property-renamed",
      names: [rename.before, rename.after],
      formats: reading.formats,
      dialect: reading.dialect ?? DEFAULT_DIALECT,
    },
    unwitnessed: "breaking",
  };
}

function isRequired(schema: JsonValue, site: string, name: string): boolean {
  const names = findAt(schema, joinPointer(site, "required"));
  return Array.isArray(names) && names.includes(name);
}

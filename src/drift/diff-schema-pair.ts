import { getOwn, isJsonObject, type JsonValue } from "../contract/json.js";
import { DEFAULT_DIALECT } from "../schema/dialect.js";
import { findAt, joinPointer } from "../contract/json-pointer.js";
import { diffSchemas, type SchemaPlace } from "./diff-schemas.js";
import { type Finding, makeChange, withoutWire } from "./finding.js";
import { isEqual } from "./is-equal.js";
import {
  findPropertyRenames,
  type PropertyRename,
  renameProperties,
} from "./renames/find-property-renames.js";

/**
 * Returns the findings between two schemas. A renamed property is reported once, and then compared under its new name. The
 * search for witnesses uses the original schemas.
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
    ...renames.map((rename) => reportRename(rename, before, after, place)),
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

/** Returns an input schema limited to objects, because arguments are an object (specification 2025-11-25, `tools/call`). */
function ofArguments(schema: JsonValue): JsonValue {
  if (schema === true) return { type: "object" };
  // Before 2019-09, validators ignore keywords beside a reference.
  if (!isJsonObject(schema) || Object.hasOwn(schema, "$ref")) return schema;
  const type = getOwn(schema, "type");
  const allowsObjects = type === undefined || (Array.isArray(type) && type.includes("object"));
  return allowsObjects ? { ...schema, type: "object" } : schema;
}

function reportRename(
  { site, ...rename }: PropertyRename,
  before: JsonValue,
  after: JsonValue,
  { pointer, side, reading, ...place }: SchemaPlace,
): Finding {
  const [old, now] = [rename.before, rename.after].map((name) => joinPointer(site, "properties", name));
  const path = pointer + (now ?? "");
  const schemas =
    side === "input" ? { accepts: before, rejects: after } : { accepts: after, rejects: before };
  // The new schema may require one name, or else reject the other name.
  const [missed, known] = side === "input" ? [rename.after, now] : [rename.before, old];
  const isMissed = isRequired(schemas.rejects, site, missed);
  const at = (isMissed ? known : side === "input" ? old : now) ?? "";
  const change = makeChange(`${side}-property-renamed`, { ...place, path }, rename);
  // Otherwise the old name is ignored, and only the types of callers break.
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

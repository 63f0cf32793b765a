import { joinPointer } from "../../contract/json-pointer.js";
import { isJsonObject, type JsonValue } from "../../contract/json.js";
import { findSites, NO_EVIDENCE, type RenameEvidence, type RenameSite } from "./rename-evidence.js";
import { scoreProperties } from "./score-properties.js";

/** A property with a new name. */
export interface PropertyRename {
  /** JSON Pointer of the object's schema, in both documents. */
  readonly site: string;
  readonly before: string;
  readonly after: string;
  /** From 0 to 1. */
  readonly confidence: number;
}

/** The least confidence of a rename. Otherwise a removal and an addition are reported. */
const LEAST = 0.7;
/** The least confidence if all other candidates are worse by at least the lead. */
const [CLEAR_LEAST, CLEAR_LEAD] = [0.65, 0.3];
/** The least lead of the best candidate over the next one. */
const LEAD = 0.15;

/**
 * Returns the renamed properties of all objects that are at the same place in both schemas. Properties are matched by name,
 * schema and description, and by the renames in other tools of the server. A schema with references into `properties` has
 * no renames, because the references would have no target under the new name.
 */
export function findPropertyRenames(
  before: JsonValue,
  after: JsonValue,
  evidence: RenameEvidence = NO_EVIDENCE,
): readonly PropertyRename[] {
  return findSites(before, after).flatMap((site) => renamesIn(site, evidence));
}

function renamesIn(
  { pointer: site, removed, added }: RenameSite,
  evidence: RenameEvidence,
): readonly PropertyRename[] {
  const pairs = removed.flatMap((was) =>
    added.map((is) => ({ was: was[0], is: is[0], score: scoreProperties(was, is, evidence(was[0], is[0])) })),
  );
  return pairs.flatMap(({ was, is, score: confidence }): readonly PropertyRename[] => {
    const rivals = pairs.filter((pair) => (pair.was === was) !== (pair.is === is));
    const lead = confidence - Math.max(0, ...rivals.map((rival) => rival.score));
    const isClear = lead >= LEAD && confidence >= (lead >= CLEAR_LEAD ? CLEAR_LEAST : LEAST);
    if (!isClear) return [];
    return [{ site, before: was, after: is, confidence: Math.round(confidence * 100) / 100 }];
  });
}

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

import { joinPointer } from "../../contract/json-pointer.js";
import { getOwn, isJsonArray, isJsonObject, type JsonObject, type JsonValue } from "../../contract/json.js";
import { isBounded } from "../../schema/assert-bounded.js";
import { areOpposed, partsOfName } from "./similarity.js";

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
  if (isJsonArray(value)) return value.some(refersToProperties);
  if (!isJsonObject(value)) return false;
  return Object.entries(value).some(
    ([key, item]) =>
      (key === "$ref" && typeof item === "string" && item.includes("/properties/")) ||
      refersToProperties(item),
  );
}

/** The evidence from the tools of a server that one property name replaces another, from 0 (none) to 1. */
export type RenameEvidence = (was: string, is: string) => number;

export const NO_EVIDENCE: RenameEvidence = () => 0;

/** The least share of the tools that lose a word and get the same other word. */
const LEAST_SHARE = 0.75;

/** The schemas of one tool, before and after. */
export type SchemaPair = readonly [before: JsonValue, after: JsonValue];

/** The words in the names of a server's tools and properties. */
interface UsedWords {
  readonly before: ReadonlySet<string>;
  readonly after: ReadonlySet<string>;
}

/**
 * Collects evidence from words that many tools replace in the same way: if many tools lose `ref` and get `target`, then
 * `startRef` is probably now `startTarget`. One tool alone is not evidence. Neither is a lost word that the server still
 * uses, or a new word that it used before: `card_id` and `dashboard_id` differ if the server has cards and dashboards.
 */
export function gatherEvidence(tools: readonly (readonly SchemaPair[])[], used: UsedWords): RenameEvidence {
  const [together, lost] = [new Map<string, number>(), new Map<string, number>()];
  for (const pairs of tools) {
    const sites = pairs.flatMap(([before, after]) => findSites(before, after));
    const candidates = sites.flatMap(({ removed, added }) =>
      removed.flatMap(([was]) => added.map(([is]) => replacedWords(was, is))),
    );
    const own = new Map(candidates.map(([was, is]) => [keyOf(was, is), was.join(" ")]));
    for (const key of own.keys()) count(together, key);
    for (const word of new Set(own.values())) count(lost, word);
  }
  return (was, is) => {
    const [removed, added] = replacedWords(was, is);
    const tools = together.get(keyOf(removed, added)) ?? 0;
    const share = tools / (lost.get(removed.join(" ")) ?? 1);
    const isUsed =
      removed.some((word) => used.after.has(word)) || added.some((word) => used.before.has(word));
    if (tools < 2 || share < LEAST_SHARE || isUsed || areOpposed(removed, added)) return 0;
    return share * (1 - 1 / tools);
  };
}

function count(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

function keyOf(removed: readonly string[], added: readonly string[]): string {
  return JSON.stringify([removed, added]);
}

type Words = readonly string[];

/** Returns the words in which two names differ; all words if one name contains all words of the other. */
function replacedWords(was: string, is: string): readonly [removed: Words, added: Words] {
  const [old, now] = [partsOfName(was), partsOfName(is)];
  const [removed, added] = [
    old.filter((word) => !now.includes(word)),
    now.filter((word) => !old.includes(word)),
  ];
  return removed.length === 0 || added.length === 0 ? [old, now] : [removed, added];
}

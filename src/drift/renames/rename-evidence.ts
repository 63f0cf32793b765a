import { joinPointer } from "../../core/json-pointer.js";
import {
  canonicalJson,
  getOwn,
  isJsonArray,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  objectOrEmpty,
  findText,
  withoutKeys,
} from "../../core/json.js";
import { referencesIn } from "../../core/subschemas.js";
import { isBounded } from "../../schema/raw/dialect.js";
import {
  alikeOf,
  areOpposed,
  diceOf,
  meanOf,
  partsOfName,
  spellingOf,
  wordsOfName,
  wordsOfText,
} from "./similarity.js";

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
  if (isJsonArray(before) && isJsonArray(after)) {
    // Lists of different lengths, such as unions, have no common places.
    if (before.length !== after.length) return [];
    return before.flatMap((item, index) => {
      const other = after[index];
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
  const propertiesBefore = getOwn(before, "properties");
  const propertiesAfter = getOwn(after, "properties");
  if (!isJsonObject(propertiesBefore) || !isJsonObject(propertiesAfter)) return [];
  const removed = Object.entries(propertiesBefore).filter(([name]) => !Object.hasOwn(propertiesAfter, name));
  const added = Object.entries(propertiesAfter).filter(([name]) => !Object.hasOwn(propertiesBefore, name));
  const isOther = removed.length > MAX_NAMES || added.length > MAX_NAMES;
  return isOther || removed.length === 0 || added.length === 0 ? [] : [{ pointer, removed, added }];
}

function refersToProperties(schema: JsonValue): boolean {
  return referencesIn(schema).some((reference) => reference.includes("/properties/"));
}

/** The evidence from the tools of a server that one property name replaces another. Each is from 0 (none) to 1. */
export interface Evidence {
  /** Other tools replace the same words, which counts if the descriptions agree. */
  readonly words: number;
  /**
   * Other tools replace the same name, and the server uses neither the old name now nor the new one before. It is 1 if a
   * tool shows without any other that both are the same property.
   */
  readonly name: number;
}

export type RenameEvidence = (before: string, after: string) => Evidence;

const NONE: Evidence = { words: 0, name: 0 };
export const NO_EVIDENCE: RenameEvidence = () => NONE;

/** The least share of the tools that lose a word and get the same other word. */
const LEAST_SHARE = 0.75;

/** The schemas of one tool, before and after. */
export type SchemaVersions = readonly [before: JsonValue, after: JsonValue];

/** The vocabulary of a list of tools: the words in the names of its tools and properties, and the names of properties. */
interface UsedNames {
  readonly words: ReadonlySet<string>;
  readonly properties: ReadonlySet<string>;
}

/** The least number of tools that replace a whole name. */
const LEAST_NAMED = 3;

/** Words that do not say what a property is about. */
const GENERIC: ReadonlySet<string> = new Set(
  "code count data id index key list name number path slug string text title type uri url uuid value".split(
    " ",
  ),
);

/**
 * Collects evidence from names and words that many tools replace in the same way: if many tools lose `ref` and get `target`,
 * then `startRef` is probably now `startTarget`. One tool alone is not evidence. Neither is a lost word that the server still
 * uses, or a new word that it used before: `card_id` and `dashboard_id` differ if the server has cards and dashboards.
 */
export function gatherEvidence(
  tools: readonly (readonly SchemaVersions[])[],
  readNames: () => { readonly before: UsedNames; readonly after: UsedNames },
): RenameEvidence {
  // Few lists need them, and a large one has many.
  let read: ReturnType<typeof readNames> | undefined;
  const words = createTally();
  const names = createTally();
  // The names that one tool alone shows to be the same property.
  const shown = new Set<string>();
  for (const pairs of tools) {
    const sites = pairs.flatMap(([before, after]) => findSites(before, after));
    const candidates = sites.flatMap(({ removed, added }) =>
      removed.flatMap((before) => added.map((after) => [before, after] as const)),
    );
    words.add(candidates.map(([[before], [after]]) => replacedWords(before, after)));
    names.add(candidates.map(([[before], [after]]) => [[before], [after]]));
    for (const [before, after] of candidates)
      if (scoreProperties(before, after, NONE) >= LEAST_SHOWN) shown.add(keyOf([before[0]], [after[0]]));
  }
  return (before, after) => {
    const [removed, added] = replacedWords(before, after);
    if (areOpposed(removed, added)) return NONE;
    const used = (read ??= readNames());
    const isUsedWord =
      removed.some((word) => used.after.words.has(word)) || added.some((word) => used.before.words.has(word));
    const isUsedName = used.after.properties.has(before) || used.before.properties.has(after);
    const share = isUsedName ? 0 : names.shareOf([before], [after], LEAST_NAMED);
    const isShown = share > 0 && shown.has(keyOf([before], [after]));
    return {
      words: isUsedWord ? 0 : words.shareOf(removed, added, 2),
      name: isShown ? 1 : haveOneSubject(before, after) ? share : 0,
    };
  };
}

/** The least score of a rename that needs no other tool. */
const LEAST_SHOWN = 0.7;

/** Counts in how many tools something is replaced by something else. */
function createTally() {
  const together = new Map<string, number>();
  const lost = new Map<string, number>();
  return {
    /** Adds the replacements that one tool may have made. */
    add: (candidates: readonly (readonly [removed: Words, added: Words])[]): void => {
      const ownWords = new Map(candidates.map(([before, after]) => [keyOf(before, after), before.join(" ")]));
      for (const key of ownWords.keys()) count(together, key);
      for (const word of new Set(ownWords.values())) count(lost, word);
    },
    shareOf: (removed: Words, added: Words, least: number): number => {
      const tools = together.get(keyOf(removed, added)) ?? 0;
      const share = tools / (lost.get(removed.join(" ")) ?? 1);
      return tools < least || share < LEAST_SHARE ? 0 : share * (1 - 1 / tools);
    },
  };
}

/** Whether two names are about the same thing, and not about different values of it: `clusterName` and `meshCluster`. */
function haveOneSubject(before: string, after: string): boolean {
  const wordsBefore = wordsOfName(before);
  const wordsAfter = wordsOfName(after);
  const areGeneric = [
    wordsBefore.filter((word) => !wordsAfter.includes(word)),
    wordsAfter.filter((word) => !wordsBefore.includes(word)),
  ].every((words) => words.some((word) => GENERIC.has(word)));
  return !areGeneric && wordsBefore.some((word) => wordsAfter.includes(word) && !GENERIC.has(word));
}

function count(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

function keyOf(removed: readonly string[], added: readonly string[]): string {
  return JSON.stringify([removed, added]);
}

type Words = readonly string[];

/** Returns the words in which two names differ; all words if one name contains all words of the other. */
function replacedWords(before: string, after: string): readonly [removed: Words, added: Words] {
  const wordsBefore = partsOfName(before);
  const wordsAfter = partsOfName(after);
  const removed = wordsBefore.filter((word) => !wordsAfter.includes(word));
  const added = wordsAfter.filter((word) => !wordsBefore.includes(word));
  return removed.length === 0 || added.length === 0 ? [wordsBefore, wordsAfter] : [removed, added];
}

/** The factor for names that each have their own word: `start_time` is not a new name for `end_time`. */
const REPLACED = 0.75;
/** The least score for the same words, such as `issueNumber` and `issue_number`. */
const SAME_WORDS = 0.85;
/** The least score for the same schema with the same description. */
const SAME_MEANING = 0.8;
/** The score of an abbreviation, such as `q` of `query`. */
const ABBREVIATED = 0.6;
/** The factor for similar words, compared with equal words. */
const ALIKE = 0.9;
/** The least similarity of spelling that counts. */
const LEAST_SPELLING = 0.7;
/** The similarity of names that are only spelled differently, such as `color` and `colour`. */
const ALMOST_SPELLED = 0.8;
/** The least score for a rename that other tools make too, and that one of them shows without the others. */
const SHOWN = 0.75;
/** The weight of other tools that rename a property in the same way. */
const EVIDENCE = 0.45;

/** The similarity of the descriptions, without the words of the names, that this evidence requires. */
const LEAST_MEANING = 0.45;

/** Returns how likely a property was renamed, from 0 to 1. `evidence` is the evidence from other tools. */
export function scoreProperties(
  [nameBefore, schemaBefore]: readonly [name: string, schema: JsonValue],
  [nameAfter, schemaAfter]: readonly [name: string, schema: JsonValue],
  evidence: Evidence,
): number {
  if (areOpposed(partsOfName(nameBefore), partsOfName(nameAfter))) return 0;
  const before = describe(schemaBefore);
  const after = describe(schemaAfter);
  const isSameSchema = before.schema === after.schema;
  const schema = isSameSchema ? 1 : before.type === after.type ? 0.7 : 0;
  const description = diceOf(before.words, after.words);
  const mean = meanOf([[0.45, scoreName(nameBefore, nameAfter)], [0.15, schema], [0.4, description]]); // prettier-ignore
  const hasSameMeaning = isSameSchema && before.words.length > 1 && before.description === after.description;
  const hasSameWords = partsOfName(nameBefore).join() === partsOfName(nameAfter).join();
  const alone = isAboutAnother(nameBefore, nameAfter) ? mean * REPLACED : mean;
  const isMeant =
    evidence.words > 0 && (meaning(before, after, [nameBefore, nameAfter]) ?? 0) >= LEAST_MEANING;
  const support = Math.max(evidence.name, isMeant ? evidence.words : 0);
  const together =
    schema === 0 || support === 0 ? 0 : Math.max(mean + EVIDENCE * support, evidence.name === 1 ? SHOWN : 0);
  return Math.min(
    0.99,
    Math.max(alone, together, hasSameMeaning ? SAME_MEANING : 0, hasSameWords ? SAME_WORDS : 0),
  );
}

/**
 * Returns the similarity of two descriptions without the words of the names: "The id of the collection" and "The id of the
 * base" have no other word in common. Undefined if both only repeat their names.
 */
function meaning(before: Described, after: Described, names: readonly string[]): number | undefined {
  const ofNames = names.flatMap((name) => wordsOfName(name));
  const [left, right] = [before, after].map(({ words }) => words.filter((word) => !ofNames.includes(word)));
  return diceOf(left ?? [], right ?? []);
}

function isAboutAnother(before: string, after: string): boolean {
  const lacks = (words: readonly string[], others: readonly string[]): boolean =>
    words.some((word) => !others.some((other) => other.startsWith(word) || word.startsWith(other)));
  const wordsBefore = partsOfName(before);
  const wordsAfter = partsOfName(after);
  if (!lacks(wordsBefore, wordsAfter) || !lacks(wordsAfter, wordsBefore)) return false;
  return spellingOf(before.toLowerCase(), after.toLowerCase()) < ALMOST_SPELLED;
}

function scoreName(before: string, after: string): number {
  const [shorter, longer] = before.length < after.length ? [before, after] : [after, before];
  const spelling = spellingOf(before.toLowerCase(), after.toLowerCase());
  const hasSeveralWords = partsOfName(before).length > 1 && partsOfName(after).length > 1;
  return Math.max(
    diceOf(wordsOfName(before), wordsOfName(after)) ?? 0,
    hasSeveralWords ? ALIKE * (alikeOf(wordsOfName(before), wordsOfName(after)) ?? 0) : 0,
    longer.toLowerCase().startsWith(shorter.toLowerCase()) ? ABBREVIATED : 0,
    spelling >= LEAST_SPELLING ? spelling : 0,
  );
}

interface Described {
  readonly description: string;
  readonly words: readonly string[];
  readonly type: string;
  readonly schema: string;
}

/** Common words, which do not count in the comparison of descriptions. */
const COMMON: ReadonlySet<string> = new Set(
  "a an the of to for in on at by as from with and or if is are be it this that which optional required".split(
    " ",
  ),
);

function describe(schema: JsonValue): Described {
  const keywords = objectOrEmpty(schema);
  const description = (findText(schema, "description") ?? "").trim();
  return {
    description,
    words: wordsOfText(description).filter((word) => !COMMON.has(word)),
    type: canonicalJson(getOwn(keywords, "type") ?? ""),
    schema: canonicalJson(withoutKeys(keywords, "description", "title", "default", "examples")),
  };
}

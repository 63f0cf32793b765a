import { canonicalJson } from "../../contract/canonical-json.js";
import { getOwn, isJsonObject, type JsonObject, type JsonValue } from "../../contract/json.js";
import { joinPointer } from "../../schema/json-pointer.js";
import { diceOf, meanOf, partsOfName, spellingOf, wordsOfName, wordsOfText } from "./similarity.js";

/** A property that goes on under another name. */
export interface PropertyRename {
  /** JSON Pointer of the schema that has it, in both documents. */
  readonly site: string;
  readonly before: string;
  readonly after: string;
  /** From 0 to 1. */
  readonly confidence: number;
}

/**
 * Below this a removal and an addition are told apart. On the history of one large server the six renamings are at 0.74
 * and above, and the next pair is below 0.5.
 */
const LEAST = 0.7;
/** What is left of a score where each name has a word of its own: `start_time` is no new name for `end_time`. */
const REPLACED = 0.75;
/** How much better than the next the best candidate must be: between two that fit alike nothing is claimed. */
const LEAD = 0.15;
/** The same words, such as `issueNumber` and `issue_number`: few would mean two things by them. */
const SAME_WORDS = 0.85;
/** The same schema with the same description. */
const SAME_MEANING = 0.8;
/** An abbreviation, such as `q` of `query`. */
const ABBREVIATED = 0.6;
/** Names that are spelled less alike than this have nothing in common. */
const LEAST_SPELLING = 0.7;
/** A difference of spelling alone, such as that of `color` and `colour`. */
const ALMOST_SPELLED = 0.8;
/** An object with more names that come and go is another object. */
const MAX_NAMES = 40;

/**
 * The properties that are gone from an object and live on in it under a new name, wherever the two schemas have an
 * object at the same place. Matched on name, schema and description. What has references into `properties` is left
 * alone: such a reference would lead nowhere under the new name.
 */
export function findPropertyRenames(before: JsonValue, after: JsonValue): readonly PropertyRename[] {
  if (refersToProperties(before)) return [];
  return renamesBelow(before, after, "");
}

/** The same schema with its properties under their new names. */
export function renameProperties(schema: JsonValue, renames: readonly PropertyRename[]): JsonValue {
  return renames.length === 0 ? schema : renameBelow(schema, renames, "");
}

function renamesBelow(before: JsonValue, after: JsonValue, at: string): readonly PropertyRename[] {
  if (Array.isArray(before) && Array.isArray(after)) {
    const [old, now]: readonly (readonly JsonValue[])[] = [before, after];
    // In a union with a branch more or less, the branches do not stand at the same places.
    if (old?.length !== now?.length) return [];
    return (old ?? []).flatMap((item, index) => {
      const other = now?.[index];
      return other === undefined ? [] : renamesBelow(item, other, joinPointer(at, index));
    });
  }
  if (!isJsonObject(before) || !isJsonObject(after)) return [];
  const below = Object.entries(before).flatMap(([key, item]) => {
    const other = DATA.has(key) ? undefined : getOwn(after, key);
    return other === undefined ? [] : renamesBelow(item, other, joinPointer(at, key));
  });
  // A property may be called "properties"; what is below that one is no schema that has any.
  return at.endsWith("/properties") ? below : [...renamesIn(before, after, at), ...below];
}

/** Keywords that hold values, not schemas, and those below which a name that goes is no loss. */
const DATA = new Set(["enum", "const", "default", "examples", "required", "not", "if"]);

function renamesIn(before: JsonObject, after: JsonObject, site: string): readonly PropertyRename[] {
  const [old, now] = [getOwn(before, "properties"), getOwn(after, "properties")];
  if (!isJsonObject(old) || !isJsonObject(now)) return [];
  const gone = Object.keys(old).filter((name) => !Object.hasOwn(now, name));
  const come = Object.keys(now).filter((name) => !Object.hasOwn(old, name));
  if (gone.length > MAX_NAMES || come.length > MAX_NAMES) return [];
  const pairs = gone.flatMap((was) =>
    come.map((is) => ({ was, is, score: score(was, is, getOwn(old, was) ?? {}, getOwn(now, is) ?? {}) })),
  );
  return pairs.flatMap(({ was, is, score: confidence }): readonly PropertyRename[] => {
    const rivals = pairs.filter((pair) => (pair.was === was) !== (pair.is === is));
    const isClear = rivals.every((rival) => confidence - rival.score >= LEAD);
    if (confidence < LEAST || !isClear) return [];
    return [{ site, before: was, after: is, confidence: Math.round(confidence * 100) / 100 }];
  });
}

function score(was: string, is: string, before: JsonValue, after: JsonValue): number {
  const [old, now] = [describe(before), describe(after)];
  const isSameSchema = old.schema === now.schema;
  const schema = isSameSchema ? 1 : old.type === now.type ? 0.7 : 0;
  const description = diceOf(old.words, now.words);
  const mean = meanOf([[0.45, scoreName(was, is)], [0.15, schema], [0.4, description]]); // prettier-ignore
  const hasSameMeaning = isSameSchema && old.words.length > 2 && old.description === now.description;
  const hasSameWords = partsOfName(was).join() === partsOfName(is).join();
  const likely = isAboutAnother(was, is) ? mean * REPLACED : mean;
  return Math.min(0.99, Math.max(likely, hasSameMeaning ? SAME_MEANING : 0, hasSameWords ? SAME_WORDS : 0));
}

function isAboutAnother(was: string, is: string): boolean {
  const lacks = (words: readonly string[], others: readonly string[]): boolean =>
    words.some((word) => !others.some((other) => other.startsWith(word) || word.startsWith(other)));
  const [old, now] = [partsOfName(was), partsOfName(is)];
  return (
    lacks(old, now) && lacks(now, old) && spellingOf(was.toLowerCase(), is.toLowerCase()) < ALMOST_SPELLED
  );
}

function scoreName(was: string, is: string): number {
  const [shorter, longer] = was.length < is.length ? [was, is] : [is, was];
  const spelling = spellingOf(was.toLowerCase(), is.toLowerCase());
  return Math.max(
    diceOf(wordsOfName(was), wordsOfName(is)) ?? 0,
    longer.toLowerCase().startsWith(shorter.toLowerCase()) ? ABBREVIATED : 0,
    spelling >= LEAST_SPELLING ? spelling : 0,
  );
}

function describe(schema: JsonValue): {
  readonly description: string;
  readonly words: readonly string[];
  readonly type: string;
  readonly schema: string;
} {
  const keywords = isJsonObject(schema) ? schema : {};
  const description = getOwn(keywords, "description");
  const text = typeof description === "string" ? description.trim() : "";
  const rest = Object.entries(keywords).filter(
    ([key]) => !["description", "title", "default", "examples"].includes(key),
  );
  return {
    description: text,
    words: wordsOfText(text),
    type: canonicalJson(getOwn(keywords, "type") ?? ""),
    schema: canonicalJson(Object.fromEntries(rest)),
  };
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

function refersToProperties(value: JsonValue): boolean {
  if (Array.isArray(value)) return (value as readonly JsonValue[]).some(refersToProperties);
  if (!isJsonObject(value)) return false;
  return Object.entries(value).some(
    ([key, item]) =>
      (key === "$ref" && typeof item === "string" && item.includes("/properties/")) ||
      refersToProperties(item),
  );
}

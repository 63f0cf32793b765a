import { canonicalJson } from "../../contract/canonical-json.js";
import { getOwn, isJsonObject, type JsonValue } from "../../contract/json.js";
import type { Evidence } from "./rename-evidence.js";
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
  [was, before]: readonly [name: string, schema: JsonValue],
  [is, after]: readonly [name: string, schema: JsonValue],
  evidence: Evidence,
): number {
  if (areOpposed(partsOfName(was), partsOfName(is))) return 0;
  const [old, now] = [describe(before), describe(after)];
  const isSameSchema = old.schema === now.schema;
  const schema = isSameSchema ? 1 : old.type === now.type ? 0.7 : 0;
  const description = diceOf(old.words, now.words);
  const mean = meanOf([[0.45, scoreName(was, is)], [0.15, schema], [0.4, description]]); // prettier-ignore
  const hasSameMeaning = isSameSchema && old.words.length > 1 && old.description === now.description;
  const hasSameWords = partsOfName(was).join() === partsOfName(is).join();
  const alone = isAboutAnother(was, is) ? mean * REPLACED : mean;
  const isMeant = evidence.words > 0 && (meaning(old, now, was, is) ?? 0) >= LEAST_MEANING;
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
function meaning(old: Described, now: Described, was: string, is: string): number | undefined {
  const names = [...wordsOfName(was), ...wordsOfName(is)];
  const [left, right] = [old, now].map(({ words }) => words.filter((word) => !names.includes(word)));
  return diceOf(left ?? [], right ?? []);
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
  const hasSeveralWords = partsOfName(was).length > 1 && partsOfName(is).length > 1;
  return Math.max(
    diceOf(wordsOfName(was), wordsOfName(is)) ?? 0,
    hasSeveralWords ? ALIKE * (alikeOf(wordsOfName(was), wordsOfName(is)) ?? 0) : 0,
    longer.toLowerCase().startsWith(shorter.toLowerCase()) ? ABBREVIATED : 0,
    spelling >= LEAST_SPELLING ? spelling : 0,
  );
}

interface Described {
  readonly description: string;
  /** The words of the description that carry meaning. */
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
  const keywords = isJsonObject(schema) ? schema : {};
  const description = getOwn(keywords, "description");
  const text = typeof description === "string" ? description.trim() : "";
  const rest = Object.entries(keywords).filter(
    ([key]) => !["description", "title", "default", "examples"].includes(key),
  );
  return {
    description: text,
    words: wordsOfText(text).filter((word) => !COMMON.has(word)),
    type: canonicalJson(getOwn(keywords, "type") ?? ""),
    schema: canonicalJson(Object.fromEntries(rest)),
  };
}

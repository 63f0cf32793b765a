import { canonicalJson } from "../../contract/canonical-json.js";
import { getOwn, isJsonObject, type JsonValue } from "../../contract/json.js";
import { alikeOf, diceOf, meanOf, partsOfName, spellingOf, wordsOfName, wordsOfText } from "./similarity.js";
import { areOpposed } from "./verbs.js";

/** The factor where each name has a word of its own: `start_time` is not a new name for `end_time`. */
const REPLACED = 0.75;
/** The same words, such as `issueNumber` and `issue_number`: few would mean two things by them. */
const SAME_WORDS = 0.85;
/** The same schema with the same description. */
const SAME_MEANING = 0.8;
/** An abbreviation, such as `q` of `query`. */
const ABBREVIATED = 0.6;
/** Words that are alike count less than words that are the same. */
const ALIKE = 0.9;
/** Names that are spelled less alike than this have nothing in common. */
const LEAST_SPELLING = 0.7;
/** A difference of spelling alone, such as that of `color` and `colour`. */
const ALMOST_SPELLED = 0.8;
/** How much it counts that other tools rename a property in the same way. */
const EVIDENCE = 0.45;

/** How alike the descriptions must be for that, without the words of the names. */
const LEAST_MEANING = 0.45;

/** How likely a property lives on under a new name, from 0 to 1, by the evidence of other tools from 0 to 1. */
export function scoreProperties(
  [was, before]: readonly [name: string, schema: JsonValue],
  [is, after]: readonly [name: string, schema: JsonValue],
  evidence: number,
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
  const isSupported = schema > 0 && evidence > 0 && (meaning(old, now, was, is) ?? 0) >= LEAST_MEANING;
  const together = isSupported ? mean + EVIDENCE * evidence : 0;
  return Math.min(
    0.99,
    Math.max(alone, together, hasSameMeaning ? SAME_MEANING : 0, hasSameWords ? SAME_WORDS : 0),
  );
}

/**
 * How alike two descriptions are without the words of the names: "The id of the collection" and "The id of the base" share
 * nothing else. Undefined when both only repeat their names.
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

/** Words that any description may have: two descriptions that share only these share nothing. */
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

import { editDistance } from "../../core/nearest-name.js";
import { actionsOf, areOpposites, singularOf } from "../../core/words/verbs.js";
import { splitWords } from "../../core/words/words.js";

// Similarities are numbers from 0 (nothing in common) to 1 (equal).

/** Returns the words of a name, each once, in the singular: `listItems`, `list_item` and `list-items` have the same. */
export function wordsOfName(name: string): readonly string[] {
  return [...new Set(partsOfName(name).map(singularOf))];
}

/** Returns the words of a name in lower case, in order, with repetitions. */
export function partsOfName(name: string): readonly string[] {
  return splitWords(name.slice(0, MAX_TEXT));
}

/** A text from a server may have any length; only its start is compared. */
const MAX_TEXT = 4_000;

/** Returns the words of a text in lower case, each once, in the singular. */
export function wordsOfText(text: string): readonly string[] {
  return [...new Set(splitWords(text.slice(0, MAX_TEXT)).map(singularOf))];
}

/** Returns the weight of a word or a property: rare ones have a higher weight. */
export type Weigh = (word: string) => number;

/** Weighs words by the number of lists that contain them (inverse document frequency). */
export function weighByRarity(lists: readonly (readonly string[])[]): Weigh {
  const counts = new Map<string, number>();
  for (const list of lists) for (const word of new Set(list)) counts.set(word, (counts.get(word) ?? 0) + 1);
  return (word) => Math.log(1 + (lists.length + 1) / (counts.get(word) ?? 1));
}

/** Returns the Sørensen–Dice similarity of two sets; undefined if both are empty. */
export function diceOf(
  left: readonly string[],
  right: readonly string[],
  weigh: Weigh = () => 1,
): number | undefined {
  const all = sumOf(left, weigh) + sumOf(right, weigh);
  return all === 0 ? undefined : (2 * sharedOf(left, right, weigh)) / all;
}

/** As {@link diceOf}, for words that are similar instead of equal, such as a word and its abbreviation. */
export function alikeOf(
  left: readonly string[],
  right: readonly string[],
  weigh: Weigh = () => 1,
  isSame: (word: string, other: string) => boolean = areAlike,
): number | undefined {
  const all = sumOf(left, weigh) + sumOf(right, weigh);
  const shared = (words: readonly string[], others: readonly string[]): readonly string[] =>
    words.filter((word) => others.some((other) => isSame(word, other)));
  return all === 0
    ? undefined
    : (sumOf(shared(left, right), weigh) + sumOf(shared(right, left), weigh)) / all;
}

/** Whether two words are the same, or one begins with the other. */
export function areAlike(word: string, other: string): boolean {
  const [shorter, longer] = word.length < other.length ? [word, other] : [other, word];
  return shorter === longer || (shorter.length >= LEAST_ABBREVIATION && longer.startsWith(shorter));
}

const LEAST_ABBREVIATION = 3;

/** Returns the share of `part` that `whole` contains; undefined if `part` is empty. */
export function shareOf(
  part: readonly string[],
  whole: readonly string[],
  weigh: Weigh = () => 1,
): number | undefined {
  const all = sumOf(part, weigh);
  return all === 0 ? undefined : sharedOf(part, whole, weigh) / all;
}

function sharedOf(left: readonly string[], right: readonly string[], weigh: Weigh): number {
  const others = new Set(right);
  return sumOf(
    left.filter((word) => others.has(word)),
    weigh,
  );
}

function sumOf(words: readonly string[], weigh: Weigh): number {
  return words.reduce((sum, word) => sum + weigh(word), 0);
}

/** Returns the weighted mean of the known scores. */
export function meanOf(scores: readonly (readonly [weight: number, score: number | undefined])[]): number {
  let sum = 0;
  let weights = 0;
  for (const [weight, score] of scores) {
    if (score === undefined) continue;
    sum += weight * score;
    weights += weight;
  }
  return weights === 0 ? 0 : sum / weights;
}

/** Names longer than this are not compared letter by letter. */
const MAX_NAME = 64;

/** Returns the similarity of spelling: 1 minus the edit distance divided by the longer length. */
export function spellingOf(left: string, right: string): number {
  const longest = Math.max(left.length, right.length);
  return longest === 0 || longest > MAX_NAME ? 0 : 1 - editDistance(left, right, longest) / longest;
}

/** Returns the actions of a verb, or any other word itself. */
export function kindsOf(word: string): readonly string[] {
  return actionsOf(word) ?? [word];
}

export function isActionVerb(word: string): boolean {
  return actionsOf(word) !== undefined;
}

/** Whether the verbs of two names have different effects, or the names contain opposite words. */
export function areOpposed(before: readonly string[], after: readonly string[]): boolean {
  return haveOtherActions(before, after) || haveOppositeWords(before, after);
}

/** Whether two lists of words have verbs, and none with an action in common. */
export function haveOtherActions(before: readonly string[], after: readonly string[]): boolean {
  const actionsBefore = before.filter(isActionVerb).flatMap(kindsOf);
  const actionsAfter = after.filter(isActionVerb).flatMap(kindsOf);
  if (actionsBefore.length === 0 || actionsAfter.length === 0) return false;
  return !actionsBefore.some((kind) => actionsAfter.includes(kind));
}

/** Whether a word of one name is the opposite of a word that only the other name has. */
export function haveOppositeWords(before: readonly string[], after: readonly string[]): boolean {
  const removed = before.filter((word) => !after.includes(word));
  const added = after.filter((word) => !before.includes(word));
  return removed.some((word) => added.some((other) => areOpposites(word, other)));
}

import { actionsOf, areOpposites, areSynonyms } from "../../vocabulary/verbs.js";
import { areAlike } from "./similarity.js";

/** Returns the actions of a verb, or any other word itself. */
export function kindsOf(word: string): readonly string[] {
  return actionsOf(word) ?? [word];
}

/** Whether two words have the same meaning: one abbreviates the other, or both are synonymous verbs. */
export function areEquivalent(word: string, other: string): boolean {
  return areAlike(word, other) || areSynonyms(word, other);
}

export function isVerb(word: string): boolean {
  return actionsOf(word) !== undefined;
}

/** Whether the verbs of two names have different effects, or the names contain opposite words. */
export function areOpposed(before: readonly string[], after: readonly string[]): boolean {
  const [was, is] = [before, after].map((words) => words.filter(isVerb).flatMap(kindsOf));
  if (was === undefined || is === undefined) return false;
  if (was.length > 0 && is.length > 0 && !was.some((kind) => is.includes(kind))) return true;
  const [removed, added] = [
    before.filter((word) => !after.includes(word)),
    after.filter((word) => !before.includes(word)),
  ];
  return removed.some((word) => added.some((other) => areOpposites(word, other)));
}

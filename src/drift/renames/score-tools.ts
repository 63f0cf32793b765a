import { alikeOf, areAlike, diceOf, meanOf, shareOf } from "./similarity.js";
import type { ServerWords, Traits } from "./tool-traits.js";
import { areOpposed, isVerb, kindsOf, areEquivalent } from "./verbs.js";

/** The least score for names with the same words in another spelling. */
const SAME_WORDS = 0.9;
/** The factor for tools with opposite effects. */
const CONTRADICTED = 0.5;
/** The factor for names that each have their own word. */
const REPLACED = 0.8;
/** The factor if the names of other tools contain one of these words, so that the word distinguishes tools. */
const DISTINGUISHED = 0.65;
/** The similarity of properties and descriptions that makes own words in the names irrelevant. */
const SAME_USE = 0.75;
/** The least share of the topic of a name that the name of a merged tool must contain. */
const LEAST_TOPIC = 0.4;
/** The least share of the rest of that name that the choices of one property must contain. */
const LEAST_OFFERED = 0.5;

/** Returns how likely a tool was renamed, from 0 to 1. */
export function scoreRename(before: Traits, after: Traits, server: ServerWords): number {
  const name = alikeOf(before.name, after.name, server.name, areEquivalent);
  const properties = diceOf(typed(before, after), typed(after, before), server.property);
  const description = diceOf(before.description, after.description, server.description);
  const score = meanOf([[0.4, name], [0.35, properties], [0.25, description]]); // prettier-ignore
  if (contradictsReader(before, after) || areOpposed(before.name, after.name)) return score * CONTRADICTED;
  if (before.spelt === after.spelt) return Math.max(score, SAME_WORDS);
  const [removed, added] = [ownWords(before.name, after.name), ownWords(after.name, before.name)];
  if (removed.length === 0 || added.length === 0) return score;
  // A word that other tools still use, or used before, does not replace another word.
  if (removed.some((word) => server.after.has(word)) || added.some((word) => server.before.has(word)))
    return score * DISTINGUISHED;
  const use = meanOf([[0.5, properties], [0.5, description]]); // prettier-ignore
  return use >= SAME_USE ? score : score * REPLACED;
}

/**
 * Returns how likely a tool was merged into a tool that replaces several, from 0 to 1. The new tool must have the same topic
 * and a property that selects the old tool's action: a tool with many properties resembles every other tool.
 */
export function scoreMerge(before: Traits, after: Traits, server: ServerWords): number {
  const topic = before.name.filter((word) => !isVerb(word));
  const isAbout = topic.some((word) => after.name.includes(word) && !server.common.has(word));
  if (!isAbout || (shareOf(topic, after.name) ?? 0) < LEAST_TOPIC) return 0;
  const rest = before.name.filter((word) => !after.name.includes(word));
  const extra = after.properties.filter((name) => !before.properties.includes(name));
  const [choice] = extra
    .map((property) => after.choices.get(property) ?? [])
    .map((words) => ({ words, offered: shareOf(rest, words) ?? 0 }))
    .sort((a, b) => b.offered - a.offered);
  const { words = [], offered = 0 } = choice ?? {};
  if (rest.length > 0 && offered < LEAST_OFFERED) return 0;
  const known = [...after.name, ...words];
  if (after.isReader === true && before.isReader === false) return 0;
  if (areOpposed(before.name.filter(isVerb), known.filter(isVerb))) return 0;
  const name = shareOf(before.name.flatMap(kindsOf), known.flatMap(kindsOf), server.name);
  const properties = shareOf(before.properties, after.properties, server.property);
  const description = shareOf(before.description, [...after.description, ...known], server.description);
  return meanOf([[0.5, name], [0.3, properties], [0.2, description]]); // prettier-ignore
}

/** The words of a name without a similar word in another name. */
function ownWords(name: readonly string[], other: readonly string[]): readonly string[] {
  return name.filter(
    (word) =>
      !other.some(
        (each) => areAlike(word, each) || kindsOf(each).some((kind) => kindsOf(word).includes(kind)),
      ),
  );
}

/** The names of properties, with their types if the other tool's property has another type. */
function typed(tool: Traits, other: Traits): readonly string[] {
  return tool.properties.map((name) => {
    const [own, others] = [tool.schemas.get(name), other.schemas.get(name)];
    return others === undefined || own === others ? name : `${name}: ${own ?? ""}`;
  });
}

/** Whether one tool only reads and the other does not. */
function contradictsReader(before: Traits, after: Traits): boolean {
  const [was, is] = [before.isReader, after.isReader];
  return was !== undefined && is !== undefined && was !== is;
}

import { alikeOf, areAlike, diceOf, meanOf, shareOf } from "./similarity.js";
import type { ServerWords, Traits } from "./tool-traits.js";
import { areOpposed, isVerb, kindsOf, saySame } from "./verbs.js";

/** The same name but for how it is written. */
const SAME_WORDS = 0.9;
/** What is left of a score where one tool does the opposite of the other. */
const CONTRADICTED = 0.5;
/** What is left of a score where each name has a word of its own. */
const REPLACED = 0.8;
/** The same where one of these words is in the names of other tools, which it tells apart. */
const DISTINGUISHED = 0.65;
/** From here on, properties and descriptions say that two tools are one, even where each name has a word of its own. */
const SAME_USE = 0.75;
/** How much of what a name is about must be in the name of the tool that replaces several. */
const LEAST_TOPIC = 0.4;
/** How much of the rest of that name one property of the new tool must offer. */
const LEAST_OFFERED = 0.5;

/** How likely a tool lives on under a new name, from 0 to 1. */
export function scoreRename(before: Traits, after: Traits, server: ServerWords): number {
  const name = alikeOf(before.name, after.name, server.name, saySame);
  const properties = diceOf(typed(before, after), typed(after, before), server.property);
  const description = diceOf(before.description, after.description, server.description);
  const score = meanOf([[0.4, name], [0.35, properties], [0.25, description]]); // prettier-ignore
  if (contradictsReader(before, after) || areOpposed(before.name, after.name)) return score * CONTRADICTED;
  if (before.spelt === after.spelt) return Math.max(score, SAME_WORDS);
  const [gone, come] = [ownWords(before.name, after.name), ownWords(after.name, before.name)];
  if (gone.length === 0 || come.length === 0) return score;
  // A word that other tools keep, or had before, has not replaced another one.
  if (gone.some((word) => server.after.has(word)) || come.some((word) => server.before.has(word)))
    return score * DISTINGUISHED;
  const use = meanOf([[0.5, properties], [0.5, description]]); // prettier-ignore
  return use >= SAME_USE ? score : score * REPLACED;
}

/**
 * How likely a tool became one use of a tool that replaces several, from 0 to 1. The new tool must have a property that
 * chooses the use, and be about the same thing: tools with many properties have words and properties for everything.
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

/** The words of a name that another name has nothing for. */
function ownWords(name: readonly string[], other: readonly string[]): readonly string[] {
  return name.filter(
    (word) =>
      !other.some(
        (each) => areAlike(word, each) || kindsOf(each).some((kind) => kindsOf(word).includes(kind)),
      ),
  );
}

/** The names of properties; with their types where the other's type of that name is another one. */
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

import type { PhpAnswer, PhpPlace, Question } from "./php-answer.js";
import type { ReadPhpOptions } from "./php-reading.js";
import { findMentionedAbilities, findPlugin, type MainFile, type NameOf } from "./plugin-files.js";
import type { Settled } from "./settle-answers.js";

const SHOWN = 3;

function listOf(questions: readonly Question[], nameOf: NameOf): string {
  const shown = questions
    .slice(0, SHOWN)
    .map((question) => `${question.question} (${nameOf(question.file)}:${question.line})`);
  const more = questions.length > shown.length ? ` and ${questions.length - shown.length} more` : "";
  return `${shown.join(", ")}${more}`;
}

interface OwnOptions {
  readonly locked: NonNullable<ReadPhpOptions["locked"]>;
  readonly plugins: readonly MainFile[];
  readonly nameOf: NameOf;
}

/** Returns the questions of the plugins whose abilities are open; all if the plugin of one is not known. */
export function ownQuestions(
  { abilities, asked }: PhpAnswer,
  open: ReadonlySet<string>,
  { locked, plugins, nameOf }: OwnOptions,
): readonly Question[] {
  // Must-use plugins count as one.
  const ownerOf = (file: string): string => {
    const plugin = findPlugin(file, plugins, nameOf);
    return plugin === undefined || plugin.isMustUse ? "" : plugin.file;
  };
  const files = new Map(locked.map(({ definition, file }) => [definition.name, file]));
  for (const { name, file } of abilities) files.set(name, nameOf(file));
  const owners = new Set([...open].map((name) => files.get(name)));
  if (owners.has(undefined)) return asked;
  const names = new Set([...owners].map((file = "") => ownerOf(file)));
  return asked.filter(({ file }) => names.has(ownerOf(nameOf(file))));
}

interface OpenOptions {
  readonly locked: ReadonlySet<string>;
  readonly roots: readonly string[];
  readonly nameOf: NameOf;
}

/**
 * Returns why locked abilities are not known: an answer of the site decides them, the contents of its database may, or the PHP
 * names an ability that it does not register here.
 */
export async function describeOpen(
  { answer, open, deciding }: Settled,
  { locked, roots, nameOf }: OpenOptions,
): Promise<ReadonlyMap<string, string>> {
  const reasons = new Map<string, string>();
  // A refused ability is removed, and a new one is that of a new site.
  const names = [...open].filter(
    (name) => locked.has(name) && !answer.refused.some((refusal) => refusal.name === name),
  );
  const absent = names.filter((name) => !answer.abilities.some((ability) => ability.name === name));
  const [query] = answer.queries;
  const depends = answer.asked.length > 0 || query !== undefined;
  const named = await findMentionedAbilities(roots, absent, (text, name) =>
    isNamedIn(text, name, depends ? name.slice(name.indexOf("/") + 1) : name),
  );
  const database = (place: PhpPlace): string =>
    `It depends on the contents of the database: ${nameOf(place.file)}:${place.line} asks for them`;
  for (const name of names) {
    const questions = deciding.get(name);
    const registered = answer.abilities.find((ability) => ability.name === name);
    const ownQuery = registered && answer.queries.find(({ file }) => file === registered.file);
    if (questions !== undefined) reasons.set(name, `It depends on the site: ${listOf(questions, nameOf)}`);
    else if (ownQuery !== undefined) reasons.set(name, database(ownQuery));
    else if (!named.has(name)) continue;
    else if (query !== undefined) reasons.set(name, database(query));
    else {
      const asked = answer.asked.length === 0 ? "" : `, perhaps because of ${listOf(answer.asked, nameOf)}`;
      reasons.set(name, `The PHP names it and does not register it here${asked}`);
    }
  }
  return reasons;
}

/** Whether a PHP text names an ability, or the part of its name that is not its namespace. */
function isNamedIn(text: string, name: string, part: string): boolean {
  return [name, part].some((word) => text.includes(`'${word}'`) || text.includes(`"${word}"`));
}

/** Says for which site the abilities are as locked, or, without a lock, which of them another site registers otherwise. */
export function noteAnswers(
  { answers, deciding }: Settled,
  isFirst: boolean,
  nameOf: NameOf,
): readonly string[] {
  const values = Object.entries(answers).map(
    ([question, value]) => `${question} is ${JSON.stringify(value)}`,
  );
  if (values.length > 0) return [`as locked if ${values.join(" and ")}`];
  if (!isFirst) return [];
  return [...deciding].map(
    ([name, questions]) =>
      `${JSON.stringify(name)} is that of a new site: it depends on ${listOf(questions, nameOf)}`,
  );
}

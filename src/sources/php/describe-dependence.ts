import { toolNameOf } from "../../core/ability.js";
import { groupBy, quoteFirst } from "../../core/collections.js";
import type { PhpAnswer, PhpPlace, PhpReading, Question } from "./php-answer.js";
import { findMentionedAbilities, findPlugin, findQuoted, type MainFile } from "./plugin-files.js";
import type { Settled } from "./settle-answers.js";
import { type Answers, sayHowToAnswer } from "./site-state.js";

const SHOWN = 3;

/** Names questions or queries, with their places. */
export function listQuestions(questions: readonly Omit<Question, "value">[]): string {
  const shown = questions.slice(0, SHOWN).map((each) => `${each.question} (${each.file}:${each.line})`);
  const more = questions.length > shown.length ? ` and ${questions.length - shown.length} more` : "";
  return `${shown.join(", ")}${more}`;
}

/** Returns the questions of the plugins whose abilities are open; all if none is, or one is absent: any plugin may call its code. */
export function ownQuestions(
  { abilities, asked }: PhpAnswer,
  open: ReadonlySet<string>,
  plugins: readonly MainFile[],
): readonly Question[] {
  // Must-use plugins count as one.
  const ownerOf = (file: string): string => {
    const plugin = findPlugin(file, plugins);
    return plugin === undefined || plugin.isMustUse ? "" : plugin.file;
  };
  const files = new Map(abilities.map(({ ability, file }) => [ability.name, file]));
  const owners = [...open].map((name) => files.get(name));
  if (owners.length === 0 || owners.includes(undefined)) return asked;
  const names = new Set(owners.map((file = "") => ownerOf(file)));
  return asked.filter(({ file }) => names.has(ownerOf(file)));
}

interface AbilityNames {
  readonly locked: ReadonlySet<string>;
  /** Those that may belong to another plugin, and whose namespace is in the PHP. */
  readonly mentioned: ReadonlyMap<string, PhpPlace>;
  /** The paths of the PHP, relative to `dir`. */
  readonly roots: readonly string[];
  readonly dir: string;
}

/**
 * Returns why locked abilities are not known: the PHP changes them in each run, an answer of the site decides them, the contents
 * of its database may, or the PHP names an ability that it does not register here.
 */
export async function describeOpen(
  { answer, open, deciding, unstable, elsewhere, queries }: Settled,
  { locked, mentioned, roots, dir }: AbilityNames,
): Promise<ReadonlyMap<string, string>> {
  const reasons = new Map<string, string>();
  // A refused ability is removed, and a new one is that of a new site.
  const names = [...open].filter(
    (name) =>
      locked.has(name) &&
      !elsewhere.abilities.has(name) &&
      !answer.refused.some((refusal) => refusal.name === name),
  );
  const files = new Map(answer.abilities.map(({ ability, file }) => [ability.name, file]));
  const absent = names.filter((name) => !files.has(name));
  const [query] = queries;
  const depends = answer.asked.length > 0 || query !== undefined;
  const named = await findMentionedAbilities(dir, roots, absent, (text, name) =>
    findName(text, name, depends ? name.slice(name.indexOf("/") + 1) : name),
  );
  const describeQuery = ({ question, file, line }: Settled["queries"][number]): string =>
    `It depends on ${question}, which ${file}:${line} asks for`;
  for (const name of names) {
    const questions = deciding.get(name);
    const place = named.get(name) ?? mentioned.get(name);
    const ownQuery = queries.find((each) => mayDecide(each, name, answer.abilities));
    if (unstable.has(name)) reasons.set(name, "The PHP defines it differently in each run");
    else if (questions !== undefined)
      reasons.set(name, `It depends on the site: ${listQuestions(questions)}`);
    else if (ownQuery !== undefined) reasons.set(name, describeQuery(ownQuery));
    else if (files.has(name) || place === undefined) continue;
    else if (query !== undefined) reasons.set(name, describeQuery(query));
    else {
      const asked = answer.asked.length === 0 ? "" : `, perhaps because of ${listQuestions(answer.asked)}`;
      const what = named.has(name) ? "names it" : "has its namespace";
      reasons.set(
        name,
        `The PHP ${what} (${place.file}:${place.line}) and does not register it here${asked}`,
      );
    }
  }
  return reasons;
}

/** Whether the answer of a query may be in the definition of an ability of its file. */
function mayDecide(
  { file, line, after }: Settled["queries"][number],
  name: string,
  abilities: PhpAnswer["abilities"],
): boolean {
  const indexOf = (ability: string): number => abilities.findIndex((each) => each.ability.name === ability);
  if (abilities[indexOf(name)]?.file !== file) return false;
  const last = indexOf(after);
  if (last < 0 && after !== "") return true;
  // A query in the lines of the next registration decides that one only, unless a function below all registrations makes it.
  const lines = abilities.filter((each) => each.file === file).map((each) => each.line);
  const start = Math.max(...lines.filter((each) => each <= line));
  const next = abilities[last + 1];
  const isInNext = next?.file === file && next.line === start && lines.some((each) => each > line);
  return isInNext ? next.ability.name === name : indexOf(name) > last;
}

/** Returns where a PHP text names an ability, or the part of its name that is not its namespace; -1 if it does not. */
function findName(text: string, name: string, part: string): number {
  const at = findQuoted(text, name);
  return at < 0 ? findQuoted(text, part) : at;
}

/** Says with which site the lock is compared, or, without a lock, which abilities another site registers otherwise. */
export function noteAnswers(
  { answers, answer, open, deciding, unstable, queries }: Settled,
  isFirst: boolean,
): readonly string[] {
  const site = describeAnswers(answers);
  if (site !== "") return [`${open.size === 0 ? "as locked if" : "compared as if"} ${site}`];
  if (!isFirst) return [];
  const dependent = [...open]
    .filter((name) => !unstable.has(name))
    .map((name) => {
      const query = queries.find((each) => mayDecide(each, name, answer.abilities));
      return { name, on: listQuestions(deciding.get(name) ?? (query === undefined ? [] : [query])) };
    })
    .filter(({ on }) => on !== "");
  return [
    ...[...unstable].map((name) => `The PHP defines ${JSON.stringify(name)} differently in each run`),
    ...Array.from(
      groupBy(dependent, ({ on }) => on),
      ([on, group]) => {
        const abilities = group.map(({ name }) => name);
        const names = quoteFirst(abilities, SHOWN);
        const [singular, plural] = deciding.has(group[0].name)
          ? ["depends", "depend"]
          : ["may depend", "may depend"];
        return group.length === 1
          ? `${names} is that of a new site: it ${singular} on ${on}`
          : `${group.length} abilities are those of a new site, since they ${plural} on ${on}: ${names}`;
      },
    ),
  ];
}

/** Says with which other site the lock has these abilities, and where the PHP asks about it. */
export function describeElsewhere({
  abilities,
  answers,
  asked,
}: Settled["elsewhere"]): PhpReading["elsewhere"] {
  const place = asked.find(({ question }) => Object.hasOwn(answers, question)) ?? { file: "", line: 0 };
  const how = [...new Set(Object.keys(answers).map(sayHowToAnswer))].join(" and ");
  return { tools: new Set([...abilities].map(toolNameOf)), answers: describeAnswers(answers), how, place };
}

function describeAnswers(answers: Answers): string {
  return Object.entries(answers)
    .map(([question, value]) => `${question} is ${shorten(JSON.stringify(value))}`)
    .join(" and ");
}

/** A list of a plugin may be long. */
function shorten(text: string): string {
  return text.length <= MOST_TEXT ? text : `${text.slice(0, MOST_TEXT - 1)}…`;
}

const MOST_TEXT = 80;

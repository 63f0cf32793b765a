import type { AbilitySnapshot } from "../../core/ability.js";
import { isEqual, isJsonArray, isJsonObject, type JsonValue } from "../../core/json.js";
import type { PhpAnswer, Question, SiteFailure } from "./php-answer.js";
import type { Answers } from "./run-core.js";

interface SettleOptions {
  /** The answer of a new site. */
  readonly base: PhpAnswer;
  /** The abilities that are not as locked in it. */
  readonly open: ReadonlySet<string>;
  readonly run: (answers: Answers) => Promise<PhpAnswer | SiteFailure>;
  /** Returns the abilities that are not as locked, whether registered or not. */
  readonly openIn: (answer: PhpAnswer) => ReadonlySet<string>;
  readonly locked: ReadonlyMap<string, AbilitySnapshot>;
}

export interface Settled {
  readonly answers: Answers;
  readonly answer: PhpAnswer;
  /** The abilities that are not as locked. */
  readonly open: ReadonlySet<string>;
  /** The questions that decide how, or whether, an open ability is registered. */
  readonly deciding: ReadonlyMap<string, readonly Question[]>;
}

/** The most questions that are answered otherwise, each in a run. */
const MOST_QUESTIONS = 40;

/**
 * Looks for answers of the site with which the plugins register what is locked: one consistent set for all abilities. Starts with
 * a new site, and replaces an answer only if more abilities are then as locked. Plugins that ask nothing, and abilities that are
 * as locked, cost no run; a change that no answer explains costs one to three, and as many for each group of questions that
 * those lead to.
 */
export async function settleAnswers({
  base,
  open: start,
  run,
  openIn,
  locked,
}: SettleOptions): Promise<Settled> {
  const deciding = new Map<string, readonly Question[]>();
  let best: Omit<Settled, "deciding"> = { answers: {}, answer: base, open: start };
  /** Returns undefined for answers with which the plugins fail. */
  const tryAnswers = async (answers: Answers): Promise<PhpAnswer | undefined> => {
    const answer = await run(answers);
    if ("kind" in answer) return undefined;
    const open = openIn(answer);
    if (open.size < best.open.size) best = { answers, answer, open };
    return answer;
  };
  const asked = listOpen(base, {}, []);
  if (start.size === 0 || asked.length === 0) return { ...best, deciding };
  const seen = [...asked];
  const groups = [{ behind: {}, together: asked }];
  let isExplained = false;
  for (const { behind, together } of groups)
    for (let nth = 0; together.some(({ others }) => nth < others.length); nth += 1) {
      const all = together.map(
        ({ question, others }) => [question, others[nth] ?? others[0] ?? true] as const,
      );
      const answers: Answers = { ...behind, ...Object.fromEntries(all) };
      const answer = await tryAnswers(answers);
      isExplained ||= answer === undefined || changedIn(base, answer, start).length > 0;
      const more = answer === undefined || isExplained ? [] : listOpen(answer, answers, seen);
      seen.push(...more);
      groups.push({ behind: answers, together: more });
    }
  // Grows by the questions that another answer leads to.
  for (const open of isExplained ? asked : []) {
    for (const other of open.others) {
      if (best.open.size === 0) break;
      const before = best.answer;
      const answers = { ...open.behind, [open.question]: other };
      const alone = await tryAnswers({ ...best.answers, ...answers });
      if (alone === undefined) continue;
      asked.push(...listOpen(alone, answers, asked));
      const changed = changedIn(before, alone, start);
      if (changed.length === 0) continue;
      for (const name of changed) deciding.set(name, [...new Set([...(deciding.get(name) ?? []), open])]);
      for (const value of valuesOf(open, { alone, locked, changed }))
        await tryAnswers({ ...best.answers, ...answers, [open.question]: value });
      break;
    }
  }
  await dropUnneeded(Object.keys(best.answers), async (dropped) => {
    const answers = Object.fromEntries(
      Object.entries(best.answers).filter(([question]) => !dropped.includes(question)),
    );
    const answer = await run(answers);
    const open = "kind" in answer ? start : openIn(answer);
    const isAsGood = !("kind" in answer) && open.size <= best.open.size;
    if (isAsGood) best = { answers, answer, open };
    return isAsGood;
  });
  return { ...best, deciding };
}

/** Drops answers that change nothing, many at a time, since few of them matter. A last one is needed. */
async function dropUnneeded(
  questions: readonly string[],
  drop: (questions: readonly string[]) => Promise<boolean>,
): Promise<void> {
  const half = Math.ceil(questions.length / 2);
  for (const part of half === questions.length ? [] : [questions.slice(0, half), questions.slice(half)])
    if (!(await drop(part))) await dropUnneeded(part, drop);
}

/** A question that is answered otherwise. */
interface OpenQuestion extends Question {
  readonly others: readonly JsonValue[];
  /** The answers without which it is not asked, and what PHP answered with them. */
  readonly behind: Answers;
  readonly base: PhpAnswer;
}

/** Returns the questions of an answer that are not listed yet, as long as there are not too many. */
function listOpen(base: PhpAnswer, behind: Answers, listed: readonly Question[]): OpenQuestion[] {
  return base.asked
    .filter(({ question }) => !listed.some((other) => other.question === question))
    .slice(0, MOST_QUESTIONS - listed.length)
    .map((question) => ({ ...question, others: othersOf(question), behind, base }));
}

const MOST_OTHERS = 3;

/** Returns other answers to a question: of an option, those that WordPress and WooCommerce store, and texts beside the question. */
function othersOf({ question, value, near }: Question): readonly JsonValue[] {
  if (!question.startsWith("get_option(")) return [true];
  const isNo = [false, null, "", "0", "no"].some((no) => no === value);
  const usual = isNo ? ["1", "yes"] : [""];
  return [...new Set([...near, ...usual])].filter((other) => other !== value).slice(0, MOST_OTHERS);
}

/** Returns the open abilities that differ. */
function changedIn(base: PhpAnswer, other: PhpAnswer, open: ReadonlySet<string>): readonly string[] {
  return [...open].filter((name) => !isEqual(definitionIn(base, name), definitionIn(other, name)));
}

function definitionIn({ abilities }: PhpAnswer, name: string): AbilitySnapshot | undefined {
  return abilities.find(({ ability }) => ability.name === name)?.ability;
}

interface OtherValues {
  readonly alone: PhpAnswer;
  readonly locked: ReadonlyMap<string, AbilitySnapshot>;
  readonly changed: readonly string[];
}

const MOST_VALUES = 3;

/** Returns values of an option that the locked definitions show, where they would have the value of a new site. */
function valuesOf(
  { question, value, base }: OpenQuestion,
  { alone, locked, changed }: OtherValues,
): readonly JsonValue[] {
  if (!question.startsWith("get_option(")) return [];
  const values = new Set<string>();
  for (const name of changed) {
    const leaves = [definitionIn(base, name), definitionIn(alone, name), locked.get(name)].map((definition) =>
      leavesOf(definition ?? null),
    );
    for (const [pointer, mine] of leaves[0] ?? []) {
      const theirs = leaves[2]?.get(pointer);
      if (theirs === undefined || theirs === mine || leaves[1]?.get(pointer) === mine) continue;
      values.add(within(mine, textOf(value), theirs) ?? theirs);
    }
  }
  return [...values].slice(0, MOST_VALUES);
}

/** Returns the part of another text that is in place of a part of a text. */
function within(text: string, part: string, other: string): string | undefined {
  const at = part === "" ? -1 : text.indexOf(part);
  const start = text.slice(0, at);
  const end = text.slice(at + part.length);
  if (at < 0 || !other.startsWith(start) || !other.slice(start.length).endsWith(end)) return undefined;
  return other.slice(start.length, other.length - end.length);
}

/** Returns the texts, numbers and booleans of a value as texts, by their places. */
function leavesOf(value: JsonValue, place = ""): ReadonlyMap<string, string> {
  if (!isJsonArray(value) && !isJsonObject(value))
    return new Map(value === null ? [] : [[place, textOf(value)]]);
  return new Map(Object.entries(value).flatMap(([key, inner]) => [...leavesOf(inner, `${place}/${key}`)]));
}

function textOf(value: JsonValue): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

import type { AbilitySnapshot } from "../../core/ability.js";
import { isEqual, isJsonObject, type JsonValue } from "../../core/json.js";
import { definitionIn, othersOf, shapesOf, lockedValuesOf } from "./other-answers.js";
import type { PhpAnswer, Question, SiteFailure } from "./php-answer.js";
import type { Answers } from "./site-state.js";

interface SettleOptions {
  /** The answer of a new site. */
  readonly base: PhpAnswer;
  /** The abilities that are not as locked in it. */
  readonly open: ReadonlySet<string>;
  readonly run: (answers: Answers) => Promise<PhpAnswer | SiteFailure>;
  /** Returns the abilities that are not as locked, whether registered or not. */
  readonly openIn: (answer: PhpAnswer) => ReadonlySet<string>;
  readonly locked: ReadonlyMap<string, AbilitySnapshot>;
  /** Returns the PHP of a file. */
  readonly codeOf: (file: string) => string;
}

export interface Settled {
  readonly answers: Answers;
  readonly answer: PhpAnswer;
  /** The abilities that are not as locked. */
  readonly open: ReadonlySet<string>;
  /** The queries that plugins make with any of the answers. */
  readonly queries: PhpAnswer["queries"];
  /** The questions that decide how, or whether, an open ability is registered. */
  readonly deciding: ReadonlyMap<string, readonly Question[]>;
  /** The open abilities that the same answers give in another way each time. */
  readonly unstable: ReadonlySet<string>;
}

/** The most questions that are answered otherwise, each in a run. */
const MOST_QUESTIONS = 40;

/**
 * Looks for answers of the site with which the plugins register what is locked: one consistent set for all abilities. Starts with
 * a new site, and replaces an answer only if more abilities are then as locked. Abilities that are as locked cost no run. A
 * change costs one; if no answer explains it, one to three more for each group of questions.
 */
export async function settleAnswers({
  base,
  open: start,
  run,
  openIn,
  locked,
  codeOf,
}: SettleOptions): Promise<Settled> {
  const deciding = new Map<string, readonly Question[]>();
  let best: Pick<Settled, "answers" | "answer" | "open"> = { answers: {}, answer: base, open: start };
  const queries = [...base.queries];
  /** Returns undefined for answers with which the plugins fail. */
  const tryAnswers = async (answers: Answers): Promise<PhpAnswer | undefined> => {
    const answer = await run(answers);
    if ("kind" in answer) return undefined;
    queries.push(...answer.queries);
    const open = openIn(answer);
    if (open.size < best.open.size) best = { answers, answer, open };
    return answer;
  };
  /** Returns the questions of an answer that are not listed yet, as long as there are not too many. */
  const listOpen = (
    from: PhpAnswer,
    behind: Answers,
    listed: readonly Question[],
  ): readonly TriedQuestion[] =>
    from.asked
      .filter(({ question }) => !listed.some((other) => other.question === question))
      .slice(0, MOST_QUESTIONS - listed.length)
      .map((question) => ({
        ...question,
        others: othersOf(question, codeOf(question.file)),
        behind,
        base: from,
      }));
  const asked = [...listOpen(base, {}, [])];
  const again = start.size === 0 ? base : await run({});
  const unstable = new Set("kind" in again ? [] : changedIn(base, again, start));
  if (start.size === unstable.size || asked.length === 0) return { ...best, deciding, queries, unstable };
  const stable = new Set([...start].filter((name) => !unstable.has(name)));
  const seen = [...asked];
  const groups: { readonly behind: Answers; readonly together: readonly TriedQuestion[] }[] = [
    { behind: {}, together: asked },
  ];
  let isExplained = false;
  for (const { behind, together } of groups)
    for (let nth = 0; together.some(({ others }) => nth < others.length); nth += 1) {
      const all = together.map(
        ({ question, others }) => [question, others[nth] ?? others[0] ?? true] as const,
      );
      const answers: Answers = { ...behind, ...Object.fromEntries(all) };
      const answer = await tryAnswers(answers);
      isExplained ||= answer === undefined || changedIn(base, answer, stable).length > 0;
      const more = answer === undefined || isExplained ? [] : listOpen(answer, answers, seen);
      seen.push(...more);
      groups.push({ behind: answers, together: more });
    }
  /** Returns the answer of PHP with all of the best answers, but this one. */
  const answerWithout = async ({ question, behind, base: from }: TriedQuestion): ReturnType<typeof run> => {
    if (question in best.answers) return run(withoutAnswer(best.answers, question));
    return Object.keys(behind).every((other) => other in best.answers) ? best.answer : from;
  };
  // Grows by the questions that another answer leads to.
  for (const open of isExplained ? asked : []) {
    for (const other of open.others) {
      if (best.open.size === 0) break;
      const before = await answerWithout(open);
      const answers = { ...open.behind, [open.question]: other };
      const alone = await tryAnswers({ ...best.answers, ...answers });
      if (alone === undefined || "kind" in before) continue;
      asked.push(...listOpen(alone, answers, asked));
      const changed = changedIn(before, alone, stable);
      if (changed.length === 0) continue;
      // Without the ability, an answer does not give what is locked.
      const present = changed.filter((name) => definitionIn(alone, name) !== undefined);
      for (const name of present) deciding.set(name, [...new Set([...(deciding.get(name) ?? []), open])]);
      for (const value of lockedValuesOf(open, { base: open.base, alone, locked, changed }))
        for (const shaped of shapesOf(value, other))
          await tryAnswers({ ...best.answers, ...answers, [open.question]: shaped });
      break;
    }
  }
  await dropUnneeded(partsOf(best.answers), async (dropped) => {
    const answers = withoutParts(best.answers, dropped);
    const answer = await run(answers);
    const open = "kind" in answer ? start : openIn(answer);
    const isAsGood = !("kind" in answer) && open.size <= best.open.size;
    if (isAsGood) best = { answers, answer, open };
    return isAsGood;
  });
  return { ...best, deciding, queries, unstable };
}

/** An answer, or an element of one that is an array. */
type AnswerPart = readonly [question: string, key?: string];

function partsOf(answers: Answers): readonly AnswerPart[] {
  return Object.entries(answers).flatMap(([question, value]): readonly AnswerPart[] =>
    isJsonObject(value) ? Object.keys(value).map((key) => [question, key] as const) : [[question]],
  );
}

function withoutParts(answers: Answers, dropped: readonly AnswerPart[]): Answers {
  const isKept = (question: string, key?: string): boolean =>
    !dropped.some((part) => part[0] === question && part[1] === key);
  return Object.fromEntries(
    Object.entries(answers).flatMap(([question, value]): readonly (readonly [string, JsonValue])[] => {
      if (!isJsonObject(value)) return isKept(question) ? [[question, value]] : [];
      const elements = Object.entries(value).filter(([key]) => isKept(question, key));
      return elements.length === 0 ? [] : [[question, Object.fromEntries(elements)]];
    }),
  );
}

function withoutAnswer(answers: Answers, question: string): Answers {
  return Object.fromEntries(Object.entries(answers).filter(([other]) => other !== question));
}

/** Drops parts of answers that change nothing, many at a time, since few of them matter. A last one is needed. */
async function dropUnneeded(
  parts: readonly AnswerPart[],
  drop: (parts: readonly AnswerPart[]) => Promise<boolean>,
): Promise<void> {
  const half = Math.ceil(parts.length / 2);
  for (const some of half === parts.length ? [] : [parts.slice(0, half), parts.slice(half)])
    if (!(await drop(some))) await dropUnneeded(some, drop);
}

/** A question that is answered otherwise. */
interface TriedQuestion extends Question {
  readonly others: readonly JsonValue[];
  /** The answers without which it is not asked, and what PHP answered with them. */
  readonly behind: Answers;
  readonly base: PhpAnswer;
}

/** Returns the open abilities that differ. */
function changedIn(base: PhpAnswer, other: PhpAnswer, open: ReadonlySet<string>): readonly string[] {
  return [...open].filter((name) => !isEqual(definitionIn(base, name), definitionIn(other, name)));
}

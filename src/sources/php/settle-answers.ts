import type { AbilitySnapshot } from "../../core/ability.js";
import { isEqual, isJsonObject, type JsonValue, withoutKeys } from "../../core/json.js";
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
 * change costs one or two; if no answer explains it, one to three more for each group of questions.
 */
export async function settleAnswers(options: SettleOptions): Promise<Settled> {
  const { base, open } = options;
  const search = new AnswerSearch(options);
  const asked = search.questionsOf(base, {}, []);
  // Most often, one question decides, and its first other answer gives what is locked.
  if (open.size > 0 && asked.length > 0) await search.tryTogether(asked, 0, {});
  const unstable = search.isOpen ? await search.findUnstable() : new Set<string>();
  const stable = new Set([...open].filter((name) => !unstable.has(name)));
  if (stable.size > 0 && asked.length > 0) {
    if (await search.doAnswersMatter(asked, stable)) {
      // Those that helped together may also hinder.
      await search.dropUnneeded();
      await search.tryEach(asked, stable);
    }
    await search.dropUnneeded();
  }
  const { best, deciding, queries } = search;
  return { ...best, deciding, queries, unstable };
}

/** The best answers so far, and what their runs said. */
class AnswerSearch {
  best: Pick<Settled, "answers" | "answer" | "open">;
  readonly deciding = new Map<string, readonly Question[]>();
  readonly queries: Settled["queries"][number][];
  readonly #options: SettleOptions;
  /** The answers of PHP, by the answers of the site as JSON. */
  readonly #runs: Map<string, PhpAnswer | SiteFailure>;

  constructor(options: SettleOptions) {
    const { base, open } = options;
    this.#options = options;
    this.best = { answers: {}, answer: base, open };
    this.queries = [...base.queries];
    this.#runs = new Map([["{}", base]]);
  }

  get isOpen(): boolean {
    return this.best.open.size > 0;
  }

  async #run(answers: Answers): Promise<PhpAnswer | SiteFailure> {
    const key = JSON.stringify(answers);
    const answer = this.#runs.get(key) ?? (await this.#options.run(answers));
    this.#runs.set(key, answer);
    return answer;
  }

  /** Returns the questions of an answer that are not listed yet, as long as there are not too many. */
  questionsOf(from: PhpAnswer, behind: Answers, listed: readonly Question[]): TriedQuestion[] {
    return from.asked
      .filter(({ question }) => !listed.some((other) => other.question === question))
      .slice(0, MOST_QUESTIONS - listed.length)
      .map((question) => ({
        ...question,
        others: othersOf(question, this.#options.codeOf(question.file)),
        behind,
        base: from,
      }));
  }

  /** Returns the open abilities that a second run with the same answers gives in another way. */
  async findUnstable(): Promise<ReadonlySet<string>> {
    const { base, open, run } = this.#options;
    const again = await run({});
    return new Set("kind" in again ? [] : changedIn(base, again, open));
  }

  /**
   * Answers all questions otherwise at once, and those that are asked then, until no ability is open. Returns whether an ability
   * differs with any.
   */
  async doAnswersMatter(asked: readonly TriedQuestion[], stable: ReadonlySet<string>): Promise<boolean> {
    const seen = [...asked];
    const groups: { readonly behind: Answers; readonly together: readonly TriedQuestion[] }[] = [
      { behind: {}, together: asked },
    ];
    let doMatter = false;
    for (const { behind, together } of groups)
      for (let nth = 0; this.isOpen && together.some(({ others }) => nth < others.length); nth += 1) {
        const { answers, answer } = await this.tryTogether(together, nth, behind);
        doMatter ||= answer === undefined || changedIn(this.#options.base, answer, stable).length > 0;
        const more = answer === undefined || doMatter ? [] : this.questionsOf(answer, answers, seen);
        seen.push(...more);
        groups.push({ behind: answers, together: more });
      }
    return doMatter;
  }

  /** Gives each question its other answer of this number, or its first. The answer is undefined if the plugins fail. */
  async tryTogether(
    questions: readonly TriedQuestion[],
    nth: number,
    behind: Answers,
  ): Promise<{ readonly answers: Answers; readonly answer: PhpAnswer | undefined }> {
    const others = questions.map(
      (each) => [each.question, each.others[nth] ?? each.others[0] ?? true] as const,
    );
    const answers: Answers = { ...behind, ...Object.fromEntries(others) };
    return { answers, answer: await this.#try(answers) };
  }

  /** Answers one question after the other, also those that another answer leads to, and notes which decide. */
  async tryEach(first: readonly TriedQuestion[], stable: ReadonlySet<string>): Promise<void> {
    const asked = [...first];
    for (const question of asked)
      for (const other of question.others) {
        if (!this.isOpen) break;
        const before = await this.#answerWithout(question);
        const answers = { ...question.behind, [question.question]: other };
        const alone = await this.#try({ ...this.best.answers, ...answers });
        if (alone === undefined || "kind" in before) continue;
        asked.push(...this.questionsOf(alone, answers, asked));
        const changed = changedIn(before, alone, stable);
        if (changed.length === 0) continue;
        // Without the ability, an answer does not give what is locked.
        for (const name of changed.filter((each) => definitionIn(alone, each) !== undefined))
          this.deciding.set(name, [...new Set([...(this.deciding.get(name) ?? []), question])]);
        const { locked } = this.#options;
        for (const value of lockedValuesOf(question, { base: question.base, alone, locked, changed }))
          for (const shaped of shapesOf(value, other))
            await this.#try({ ...this.best.answers, ...answers, [question.question]: shaped });
        break;
      }
  }

  /** Drops parts of the best answers that change nothing. */
  async dropUnneeded(): Promise<void> {
    const { open: start, openIn } = this.#options;
    await dropUnneeded(partsOf(this.best.answers), async (dropped) => {
      const answers = withoutParts(this.best.answers, dropped);
      const answer = await this.#run(answers);
      const open = "kind" in answer ? start : openIn(answer);
      const isAsGood = !("kind" in answer) && open.size <= this.best.open.size;
      if (isAsGood) this.best = { answers, answer, open };
      return isAsGood;
    });
  }

  /** Returns undefined for answers with which the plugins fail. */
  async #try(answers: Answers): Promise<PhpAnswer | undefined> {
    const answer = await this.#run(answers);
    if ("kind" in answer) return undefined;
    this.queries.push(...answer.queries);
    const open = this.#options.openIn(answer);
    if (open.size < this.best.open.size) this.best = { answers, answer, open };
    return answer;
  }

  /** Returns the answer of PHP with all of the best answers, but this one. */
  async #answerWithout({ question, behind, base }: TriedQuestion): Promise<PhpAnswer | SiteFailure> {
    const { answers, answer } = this.best;
    if (question in answers) return this.#run(withoutKeys(answers, question));
    return Object.keys(behind).every((other) => other in answers) ? answer : base;
  }
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

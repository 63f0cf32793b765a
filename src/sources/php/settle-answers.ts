import type { AbilitySnapshot } from "../../core/ability.js";
import { findOwn, isEqual, isJsonObject, type JsonValue, withoutKeys } from "../../core/json.js";
import {
  definitionIn,
  dropUnneeded,
  lockedValuesOf,
  othersOf,
  partsOfAnswers,
  shapesOf,
  withoutParts,
} from "./other-answers.js";
import type { PhpAnswer, Question, SiteFailure } from "./php-answer.js";
import type { Answers } from "./site-state.js";

interface SettleOptions {
  /** The answers of the site that was locked; none for a new site. */
  readonly start: Answers;
  /** Whether that site is compared, and others only show which parts answers decide. */
  readonly isFixed: boolean;
  /** The answer of PHP for that site. */
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
  /** The questions that decide open abilities. Without abilities of which all decided parts are as locked. */
  readonly deciding: ReadonlyMap<string, readonly Question[]>;
  /** The open abilities that the same answers give in another way each time. */
  readonly unstable: ReadonlySet<string>;
  /** The open abilities of which all decided parts are as locked on another site, its other answers, and what PHP asks there. */
  readonly elsewhere: {
    readonly abilities: ReadonlySet<string>;
    readonly answers: Answers;
    readonly asked: readonly Question[];
  };
}

/** The most questions that are answered otherwise, each in a run. */
const MOST_QUESTIONS = 40;

/**
 * Looks for answers of the site with which the plugins register what is locked: one consistent set for all abilities. Starts with
 * the site that was locked, and replaces an answer only if more abilities are then as locked. A part of an ability that differs
 * between answers is decided by them. If all decided parts are as locked, the others were changed.
 *
 * Abilities that are as locked cost no run. A change costs one or two; if no answer explains it, one to three more for each group of
 * questions.
 */
export async function settleAnswers(options: SettleOptions): Promise<Settled> {
  const { base, open, start, isFixed } = options;
  const search = new AnswerSearch(options);
  const asked = search.questionsOf(base, start, []);
  // Most often, one question decides, and its first other answer gives what is locked.
  if (open.size > 0 && asked.length > 0) await search.tryTogether(asked, 0, start);
  const unstable = search.isOpen ? await search.findUnstable() : new Set<string>();
  const stable = new Set([...open].filter((name) => !unstable.has(name)));
  if (stable.size > 0 && asked.length > 0) {
    if (await search.doAnswersMatter(asked, stable)) {
      // Those that helped together may also hinder.
      await search.dropUnneeded();
      await search.tryEach(asked, stable);
      search.preferDecided();
    }
    await search.dropUnneeded();
  }
  const { best, deciding, queries } = search;
  const settled = isFixed ? { answers: start, answer: base, open } : best;
  const isElsewhere = (name: string): boolean =>
    !search.isDecidedAsLocked(name, settled) &&
    (!best.open.has(name) || search.isDecidedAsLocked(name, best));
  const abilities = new Set([...settled.open].filter(isElsewhere));
  const isDecided = (name: string): boolean =>
    !abilities.has(name) && !search.isDecidedAsLocked(name, settled);
  const others = Object.entries(best.answers).filter(([question, value]) => !isEqual(start[question], value));
  return {
    ...settled,
    deciding: new Map([...deciding].filter(([name]) => isDecided(name))),
    queries,
    unstable,
    elsewhere: { abilities, answers: Object.fromEntries(others), asked: best.answer.asked },
  };
}

/** Answers of the site, what PHP says with them, and which abilities are then not as locked. */
type Run = Pick<Settled, "answers" | "answer" | "open">;

/** The best answers so far, and what their runs said. */
class AnswerSearch {
  best: Run;
  readonly deciding = new Map<string, readonly Question[]>();
  readonly queries: Settled["queries"][number][];
  readonly #options: SettleOptions;
  /** By the answers of the site as JSON. Undefined for answers with which the plugins fail. */
  readonly #runs: Map<string, Run | undefined>;
  /** The different definitions of each ability. */
  readonly #forms = new Map<string, readonly AbilitySnapshot[]>();

  constructor(options: SettleOptions) {
    const { base, open, start } = options;
    this.#options = options;
    this.best = { answers: start, answer: base, open };
    this.queries = [...base.queries];
    this.#runs = new Map([[JSON.stringify(start), this.best]]);
    this.#keepForms(base);
  }

  get isOpen(): boolean {
    return this.best.open.size > 0;
  }

  async #run(answers: Answers): Promise<Run | undefined> {
    const key = JSON.stringify(answers);
    if (this.#runs.has(key)) return this.#runs.get(key);
    const answer = await this.#options.run(answers);
    const run = "kind" in answer ? undefined : { answers, answer, open: this.#options.openIn(answer) };
    this.#runs.set(key, run);
    if (run !== undefined) this.#keepForms(run.answer);
    return run;
  }

  #keepForms({ abilities }: PhpAnswer): void {
    for (const { ability } of abilities) {
      const forms = this.#forms.get(ability.name) ?? [];
      if (!forms.some((form) => isEqual(form, ability))) this.#forms.set(ability.name, [...forms, ability]);
    }
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
    const { base, open, run, start } = this.#options;
    const again = await run(start);
    return new Set("kind" in again ? [] : changedIn(base, again, open));
  }

  /**
   * Answers all questions otherwise at once, and those that are asked then, until no ability is open. Returns whether an ability
   * differs with any.
   */
  async doAnswersMatter(asked: readonly TriedQuestion[], stable: ReadonlySet<string>): Promise<boolean> {
    const seen = [...asked];
    const groups: { readonly behind: Answers; readonly together: readonly TriedQuestion[] }[] = [
      { behind: this.#options.start, together: asked },
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
        if (alone === undefined || before === undefined) continue;
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
    await dropUnneeded(partsOfAnswers(this.best.answers), async (dropped) => {
      const answers = withoutParts(this.best.answers, dropped);
      const run = await this.#run(answers);
      const isAsGood =
        run !== undefined &&
        run.open.size <= this.best.open.size &&
        this.#undecidedIn(run) <= this.#undecidedIn(this.best);
      if (isAsGood) this.best = run;
      return isAsGood;
    });
  }

  /** Of the answers with which as many abilities are as locked, takes those that leave the fewest undecided. */
  preferDecided(): void {
    for (const run of this.#runs.values())
      if (run?.open.size === this.best.open.size && this.#undecidedIn(run) < this.#undecidedIn(this.best))
        this.best = run;
  }

  /** Returns how many locked abilities are not registered, or differ where an answer decides. */
  #undecidedIn(run: Run): number {
    const isUndecided = (name: string): boolean =>
      definitionIn(run.answer, name) === undefined ||
      (this.deciding.has(name) && !this.isDecidedAsLocked(name, run));
    return [...run.open].filter((name) => this.#options.locked.has(name) && isUndecided(name)).length;
  }

  /** Whether all decided parts of an ability are as locked. */
  isDecidedAsLocked(name: string, { answers, answer }: Run): boolean {
    const definition = definitionIn(answer, name);
    const locked = this.#options.locked.get(name);
    // A class or function that exists as an answer returns nothing of what a real one would.
    const isMadeUp = Object.keys(answers).some((question) => /^\w+_exists\(/.test(question));
    if (definition === undefined || locked === undefined || isMadeUp) return false;
    return isLockedWhereDecided(definition, locked, this.#forms.get(name) ?? []);
  }

  /** Returns undefined for answers with which the plugins fail. */
  async #try(answers: Answers): Promise<PhpAnswer | undefined> {
    const run = await this.#run(answers);
    this.queries.push(...(run?.answer.queries ?? []));
    if (run !== undefined && run.open.size < this.best.open.size) this.best = run;
    return run?.answer;
  }

  /** Returns the answer of PHP with all of the best answers, but this one. */
  async #answerWithout({ question, behind, base }: TriedQuestion): Promise<PhpAnswer | undefined> {
    const { answers, answer } = this.best;
    if (question in answers) return (await this.#run(withoutKeys(answers, question)))?.answer;
    return Object.keys(behind).every((other) => other in answers) ? answer : base;
  }
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

/**
 * Whether all decided parts of a value are as locked.
 *
 * @param all the different values with the answers that were tried, undefined where there is none
 */
function isLockedWhereDecided(
  value: JsonValue | undefined,
  locked: JsonValue | undefined,
  all: readonly (JsonValue | undefined)[],
): boolean {
  if (all.every((other) => isEqual(other, value))) return true;
  if (!isJsonObject(value) || !isJsonObject(locked) || !all.every((other) => isJsonObject(other)))
    return isEqual(value, locked);
  const keys = Object.keys(value);
  const haveSameKeys = all.every((other) => isEqual(Object.keys(other).sort(), [...keys].sort()));
  // Which keys there are may be decided, too.
  if (!haveSameKeys && !isEqual(Object.keys(locked).sort(), [...keys].sort())) return false;
  return keys.every(
    (key) =>
      !Object.hasOwn(locked, key) ||
      isLockedWhereDecided(
        value[key],
        locked[key],
        all.map((other) => findOwn(other, key)),
      ),
  );
}

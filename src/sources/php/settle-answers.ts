import type { AbilitySnapshot } from "../../core/ability.js";
import {
  isEqual,
  isJsonArray,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  mapEntries,
  tryParseJson,
} from "../../core/json.js";
import type { PhpAnswer, Question, SiteFailure } from "./php-answer.js";
import { type Answers, SITE_STATES } from "./site-state.js";

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
  codeOf,
}: SettleOptions): Promise<Settled> {
  const deciding = new Map<string, readonly Question[]>();
  let best: Omit<Settled, "deciding" | "queries"> = { answers: {}, answer: base, open: start };
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
  const listOpen = (from: PhpAnswer, behind: Answers, listed: readonly Question[]): readonly OpenQuestion[] =>
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
  if (start.size === 0 || asked.length === 0) return { ...best, deciding, queries };
  const seen = [...asked];
  const groups: { readonly behind: Answers; readonly together: readonly OpenQuestion[] }[] = [
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
      isExplained ||= answer === undefined || changedIn(base, answer, start).length > 0;
      const more = answer === undefined || isExplained ? [] : listOpen(answer, answers, seen);
      seen.push(...more);
      groups.push({ behind: answers, together: more });
    }
  /** Returns the answer of PHP with all of the best answers, but this one. */
  const answerWithout = async ({ question, behind, base: from }: OpenQuestion): ReturnType<typeof run> => {
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
      const changed = changedIn(before, alone, start);
      if (changed.length === 0) continue;
      // Without the ability, an answer does not give what is locked.
      const present = changed.filter((name) => definitionIn(alone, name) !== undefined);
      for (const name of present) deciding.set(name, [...new Set([...(deciding.get(name) ?? []), open])]);
      for (const value of valuesOf(open, { alone, locked, changed }))
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
  return { ...best, deciding, queries };
}

/** An answer, or an element of one that is an array. */
type Part = readonly [question: string, key?: string];

function partsOf(answers: Answers): readonly Part[] {
  return Object.entries(answers).flatMap(([question, value]): readonly Part[] =>
    isJsonObject(value) ? Object.keys(value).map((key) => [question, key] as const) : [[question]],
  );
}

function withoutParts(answers: Answers, dropped: readonly Part[]): Answers {
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
  parts: readonly Part[],
  drop: (parts: readonly Part[]) => Promise<boolean>,
): Promise<void> {
  const half = Math.ceil(parts.length / 2);
  for (const some of half === parts.length ? [] : [parts.slice(0, half), parts.slice(half)])
    if (!(await drop(some))) await dropUnneeded(some, drop);
}

/** A question that is answered otherwise. */
interface OpenQuestion extends Question {
  readonly others: readonly JsonValue[];
  /** The answers without which it is not asked, and what PHP answered with them. */
  readonly behind: Answers;
  readonly base: PhpAnswer;
}

const MOST_NEAR = 3;
const MOST_TEXTS = 100;
/**
 * Returns other answers to a question: of an option, those that WordPress and WooCommerce store, texts beside the question, and
 * arrays with the texts of its file as keys and as elements.
 */
function othersOf({ question, value, line }: Question, code: string): readonly JsonValue[] {
  const name = /^get_option\("(.*)"\)$/s.exec(question)?.[1];
  // Plugins compare the version that a constant has.
  if (question.startsWith("defined(")) return [true, "99.0.0"];
  if (name === undefined) return SITE_STATES[question]?.others ?? [true];
  const isNo = [false, null, "", "0", "no"].some((no) => no === value);
  const usual = isNo ? ["1", "yes"] : ["", "no"];
  const near = textsNear(name, code.split("\n")[line - 1] ?? "");
  const scalars = [...new Set([...near.slice(0, MOST_NEAR), ...usual])].filter((other) => other !== value);
  if (value !== false && (typeof value !== "object" || value === null)) return scalars;
  const texts = [...new Set(textsIn(code).map(([text]) => text))].slice(0, MOST_TEXTS);
  const filledWith = (element: JsonValue): JsonObject =>
    Object.fromEntries(texts.map((text) => [text, element]));
  const both = { ...filledWith("1"), ...Object.fromEntries(texts.entries()) };
  return [...scalars, both, filledWith(both)];
}

/** Returns the short texts of PHP code, and where they are. */
function textsIn(code: string): readonly (readonly [text: string, at: number])[] {
  return Array.from(code.matchAll(/(['"])([\w./-]{1,40})\1/g), ({ 2: text = "", index }) => [text, index]);
}

/** Returns the short texts in the line of an option that compares, the nearest first, without its own name. */
function textsNear(name: string, line: string): readonly string[] {
  const texts = new Map(/[!=]=|in_array/.test(line) ? textsIn(line) : []);
  const start = texts.get(name) ?? 0;
  return [...texts]
    .filter(([text]) => text !== name)
    .sort(([, left], [, right]) => Math.abs(left - start) - Math.abs(right - start))
    .map(([text]) => text);
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
): readonly string[] {
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

/** Returns a value as the answer, or as each element of it, which may be a text or not. */
function shapesOf(value: string, other: JsonValue): readonly JsonValue[] {
  if (!isJsonObject(other)) return [value];
  return [value, tryParseJson(value) ?? value].map((each) => mapEntries(other, () => each));
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

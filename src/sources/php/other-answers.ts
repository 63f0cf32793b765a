/** The answers of a site that are tried in place of those of a new site. */
import type { AbilitySnapshot } from "../../core/ability.js";
import {
  isJsonArray,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  mapEntries,
  tryParseJson,
} from "../../core/json.js";
import type { PhpAnswer, Question } from "./php-answer.js";
import { type Answers, SITE_STATES } from "./site-state.js";

const MOST_NEAR = 3;
const MOST_TEXTS = 100;
/**
 * Returns other answers to a question: of an option, those that WordPress and WooCommerce store, texts and numbers beside the
 * question, and arrays with the texts of its file as keys and as elements.
 */
export function othersOf({ question, value, line }: Question, code: string): readonly JsonValue[] {
  const name = /^get_option\("(.*)"\)$/s.exec(question)?.[1];
  // Plugins compare the version that a constant has.
  if (question.startsWith("defined(")) return [true, "99.0.0"];
  if (name === undefined) return SITE_STATES[question]?.others ?? [true];
  const isNo = [false, null, "", "0", "no"].some((no) => no === value);
  const usual = isNo ? ["1", "yes"] : ["", "no"];
  const text = code.split("\n")[line - 1] ?? "";
  const near = [...textsNear(name, text), ...numbersNear(text)];
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

/** Returns the numbers on both sides of those that a line compares with. */
function numbersNear(line: string): readonly string[] {
  const numbers = Array.from(line.matchAll(/(?<![=-])[<>]=?\s{0,3}(\d{1,9})\b/g), ([, digits]) =>
    Number(digits),
  );
  return numbers.flatMap((number) => [String(number + 1), String(number - 1)]);
}

export function definitionIn({ abilities }: PhpAnswer, name: string): AbilitySnapshot | undefined {
  return abilities.find(({ ability }) => ability.name === name)?.ability;
}

interface OtherValues {
  /** The answers of PHP with and without another answer. */
  readonly base: PhpAnswer;
  readonly alone: PhpAnswer;
  readonly locked: ReadonlyMap<string, AbilitySnapshot>;
  readonly changed: readonly string[];
}

const MOST_VALUES = 3;

/** Returns values of an option that the locked definitions show, where they would have the value of a new site. */
export function lockedValuesOf(
  { question, value }: Question,
  { base, alone, locked, changed }: OtherValues,
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
export function shapesOf(value: string, other: JsonValue): readonly JsonValue[] {
  if (!isJsonObject(other)) return [value];
  return [value, tryParseJson(value) ?? value].map((each) => mapEntries(other, () => each));
}

/** Returns what another text has in each place of a part of a text. */
function within(text: string, part: string, other: string): string | undefined {
  const [start = "", ...rest] = part === "" ? [text] : text.split(part);
  const length = part.length + (other.length - text.length) / rest.length;
  const value = other.slice(start.length, start.length + length);
  return rest.length > 0 && [start, ...rest].join(value) === other ? value : undefined;
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

/** An answer, or an element of one that is an array. */
type AnswerPart = readonly [question: string, key?: string];

export function partsOfAnswers(answers: Answers): readonly AnswerPart[] {
  return Object.entries(answers).flatMap(([question, value]): readonly AnswerPart[] =>
    isJsonObject(value) ? Object.keys(value).map((key) => [question, key] as const) : [[question]],
  );
}

export function withoutParts(answers: Answers, dropped: readonly AnswerPart[]): Answers {
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
export async function dropUnneeded(
  parts: readonly AnswerPart[],
  drop: (parts: readonly AnswerPart[]) => Promise<boolean>,
): Promise<void> {
  const half = Math.ceil(parts.length / 2);
  for (const some of half === parts.length ? [] : [parts.slice(0, half), parts.slice(half)])
    if (!(await drop(some))) await dropUnneeded(some, drop);
}

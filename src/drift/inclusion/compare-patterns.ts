import type { CharSet } from "refa";
import { flagsOf } from "../../schema/pattern.js";
import { OutOfStepsError, Steps } from "../steps.js";
import { compileAutomaton, loadRefa, type PatternAutomaton } from "./compile-automaton.js";

/** Steps of one comparison: a state that is looked at. Real ones take some thousands. */
const MAX_STEPS = 300_000;

/** What comparing patterns found. */
export type PatternAnswer =
  | { readonly kind: "none" }
  /** A shortest text that tells them apart. */
  | { readonly kind: "found"; readonly text: string }
  /** Undecided: for what a pattern holds, or for the limit that is named. */
  | { readonly kind: "undecided"; readonly limit?: string };

export interface ComparedPatterns {
  readonly answer: PatternAnswer;
  /** What the comparison took, also when its answer was known: what follows must not depend on that. */
  readonly steps: number;
}

const KNOWN = new Map<string, ComparedPatterns>();
const MAX_KNOWN = 1_000;

/**
 * Looks for a text that all patterns on the left match and none on the right: none means that the left is included in the
 * right. Texts with lone surrogates are left out: they are not valid Unicode (RFC 8259, section 8.2).
 */
export function comparePatterns(left: readonly string[], right: readonly string[]): ComparedPatterns {
  const key = JSON.stringify([left, right]);
  const known = KNOWN.get(key) ?? compare(left, right);
  if (KNOWN.size >= MAX_KNOWN) KNOWN.clear();
  KNOWN.set(key, known);
  return known;
}

function compare(left: readonly string[], right: readonly string[]): ComparedPatterns {
  const [flags, ...others] = new Set([...left, ...right].map(flagsOf));
  // Under different flags, a character is not the same for both.
  if (flags === undefined || others.length > 0) return { answer: { kind: "undecided" }, steps: 0 };
  let steps = 0;
  const budget = new Steps(MAX_STEPS);
  budget.begin(MAX_STEPS);
  const spend = (count: number): void => {
    steps += count;
    budget.spend(count);
  };
  try {
    const all = [
      // Patterns that cannot be compiled are left out on this side, which only adds texts: an empty difference stays empty.
      ...left.map((pattern) => compileAutomaton(pattern, flags, true)),
      ...right.map((pattern) => compileAutomaton(pattern, flags, false)),
    ];
    const known = all.filter((automaton) => automaton !== undefined);
    if (known.length < all.length) return { answer: { kind: "undecided" }, steps };
    const text = new Search(known, left.length, spend).findShortest();
    if (text === undefined) return { answer: { kind: "none" }, steps };
    // Without the flag, half a character may match.
    const isSure = known.every(({ isExact }) => isExact) && !/\p{Surrogate}/u.test(text);
    return { answer: isSure ? { kind: "found", text } : { kind: "undecided" }, steps };
  } catch (error) {
    if (!(error instanceof OutOfStepsError)) throw error;
    const limit =
      steps > MAX_STEPS
        ? `Comparing the patterns takes more than ${MAX_STEPS.toLocaleString("en")} steps.`
        : error.message;
    return { answer: { kind: "undecided", limit }, steps };
  }
}

/** The states that each automaton may be in after the same text, and how that text was made. */
interface Point {
  readonly states: readonly ReadonlySet<number>[];
  readonly before: Point | undefined;
  readonly character: string;
}

/** Follows all automata at once, breadth first, over the characters that any of them tells apart. */
class Search {
  readonly #automata: readonly PatternAutomaton[];
  /** So many of them must match; the others must not. */
  readonly #lefts: number;
  readonly #spend: (steps: number) => void;
  /** One character of each set that no automaton divides. */
  readonly #characters: readonly string[];
  readonly #splits = new Map<CharSet, ReadonlySet<number>>();

  constructor(automata: readonly PatternAutomaton[], lefts: number, spend: (steps: number) => void) {
    this.#automata = automata;
    this.#lefts = lefts;
    this.#spend = spend;
    const refa = loadRefa();
    const sets = new Set(
      automata.flatMap(({ states }) =>
        states.flatMap(({ steps }) => steps.map(({ characters }) => characters)),
      ),
    );
    spend(sets.size);
    const base = refa === undefined ? undefined : new refa.CharBase(sets);
    for (const set of sets) this.#splits.set(set, new Set(base?.split(set)));
    this.#characters = (base?.sets ?? []).map((set) => pickCharacter(set) ?? "");
  }

  findShortest(): string | undefined {
    const start: Point = {
      states: this.#automata.map((automaton) => this.#close(automaton, [0], { start: true })),
      before: undefined,
      character: "",
    };
    const seen = new Set([keyOf(start)]);
    const queue = [start];
    for (const point of queue) {
      if (this.#tellsApart(point)) return textOf(point);
      for (const [index, character] of this.#characters.entries()) {
        if (character === "") continue;
        const next = this.#follow(point, index, character);
        // Once a left one is stuck, no longer text fits it.
        if (next.states.slice(0, this.#lefts).some((states) => states.size === 0)) continue;
        const key = keyOf(next);
        if (seen.has(key)) continue;
        seen.add(key);
        queue.push(next);
      }
    }
    return undefined;
  }

  #follow(point: Point, index: number, character: string): Point {
    const states = this.#automata.map((automaton, which) => {
      const reached: number[] = [];
      for (const state of point.states[which] ?? [])
        for (const { characters, to } of automaton.states[state]?.steps ?? [])
          if (this.#splits.get(characters)?.has(index) === true) reached.push(to);
      return this.#close(automaton, reached, {});
    });
    return { states, before: point, character };
  }

  /** Whether the text so far is one that is looked for. */
  #tellsApart(point: Point): boolean {
    return this.#automata.every((automaton, which) => {
      const start = point.before === undefined;
      const ends = this.#close(automaton, [...(point.states[which] ?? [])], { start, end: true });
      return ends.has(automaton.final) === which < this.#lefts;
    });
  }

  /** The states that are reached without another character. */
  #close(
    { states }: PatternAutomaton,
    from: readonly number[],
    at: { readonly start?: boolean; readonly end?: boolean },
  ): ReadonlySet<number> {
    const reached = new Set(from);
    for (const state of reached) {
      for (const jump of states[state]?.jumps ?? [])
        if (jump.at === undefined || at[jump.at] === true) reached.add(jump.to);
    }
    this.#spend(1 + reached.size);
    return reached;
  }
}

function keyOf({ states, before }: Point): string {
  const sets = states.map((set) => [...set].sort((a, b) => a - b).join(","));
  // At the start of a text, more may hold than after it.
  return `${before === undefined ? "^" : ""}${sets.join(";")}`;
}

function textOf(point: Point): string {
  let text = "";
  for (let at: Point | undefined = point; at !== undefined; at = at.before) text = at.character + text;
  return text;
}

const READABLE =
  "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 -_./:@+#!?,;=&%$*'\"()[]{}<>|~^`\\";

/** A character that people can read where there is one; undefined where all are lone surrogates, in Unicode. */
function pickCharacter(set: CharSet): string | undefined {
  for (const character of READABLE) if (set.has(character.codePointAt(0) ?? 0)) return character;
  const isUnicode = set.maximum > 0xffff;
  const isSurrogate = (code: number): boolean => isUnicode && code >= 0xd800 && code <= 0xdfff;
  for (const { min, max } of set.ranges) {
    if (!isSurrogate(min)) return String.fromCodePoint(min);
    if (max > 0xdfff) return String.fromCodePoint(0xe000);
  }
  return undefined;
}

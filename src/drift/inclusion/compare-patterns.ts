import { BoundedCache } from "../../core/collections.js";
import { formatNumber } from "../../core/printable.js";
import type { CharSet } from "refa";
import { flagsOf } from "../../schema/pattern/pattern-tree.js";
import { OutOfStepsError, Steps } from "../../core/steps.js";
import { compileAutomaton, loadRefa, type PatternAutomaton } from "./compile-automaton.js";

/** The steps of one comparison, one for each visited state. Real comparisons take some thousands. */
const MAX_STEPS = 300_000;

type PatternAnswer =
  | { readonly kind: "none" }
  /** A shortest text that matches only the left. */
  | { readonly kind: "found"; readonly text: string }
  /** Undecided because of an unsupported pattern, or because of a limit. */
  | { readonly kind: "undecided"; readonly limit?: string };

interface ComparedPatterns {
  readonly answer: PatternAnswer;
  /** The cost of the comparison. A cached answer has the same cost, so that results do not depend on the cache. */
  readonly steps: number;
}

const COMPARED = new BoundedCache<ComparedPatterns>(1_000);

/**
 * Searches for a text that all patterns on the left match and no pattern on the right matches. Without such a text, the
 * left is included in the right. Ignores texts with lone surrogates: they are not valid Unicode (RFC 8259, section 8.2).
 */
export function comparePatterns(left: readonly string[], right: readonly string[]): ComparedPatterns {
  return COMPARED.get(JSON.stringify([left, right]), () => compare(left, right));
}

function compare(left: readonly string[], right: readonly string[]): ComparedPatterns {
  const [flags, ...others] = new Set([...left, ...right].map(flagsOf));
  // Different flags have different characters.
  if (flags === undefined || others.length > 0) return { answer: { kind: "undecided" }, steps: 0 };
  const budget = new Steps(MAX_STEPS);
  const answer = (result: PatternAnswer): ComparedPatterns => ({ answer: result, steps: budget.spent });
  try {
    const all = [
      // Loose automata on the left only add texts, so an empty difference stays empty.
      ...left.map((pattern) => compileAutomaton(pattern, flags, true)),
      ...right.map((pattern) => compileAutomaton(pattern, flags, false)),
    ];
    const automata = all.filter((automaton) => automaton !== undefined);
    if (automata.length < all.length) return answer({ kind: "undecided" });
    const text = new Search(automata, left.length, budget.spend).findShortest();
    if (text === undefined) return answer({ kind: "none" });
    // Without the flag, a pattern may match half a character.
    const isSure = automata.every(({ isExact }) => isExact) && !/\p{Surrogate}/u.test(text);
    return answer(isSure ? { kind: "found", text } : { kind: "undecided" });
  } catch (error) {
    if (!(error instanceof OutOfStepsError)) throw error;
    const limit =
      budget.spent > MAX_STEPS
        ? `Comparing the patterns takes more than ${formatNumber(MAX_STEPS)} steps.`
        : error.message;
    return answer({ kind: "undecided", limit });
  }
}

/** The possible states of each automaton after a text, and the last character of that text. */
interface Point {
  readonly states: readonly ReadonlySet<number>[];
  readonly before: Point | undefined;
  readonly character: string;
}

/** Runs all automata in parallel, breadth first, with one character from each set that no automaton divides. */
class Search {
  readonly #automata: readonly PatternAutomaton[];
  /** The number of automata that must match; the others must not match. */
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
      if (this.#isDifference(point)) return textOf(point);
      for (const [index, character] of this.#characters.entries()) {
        if (character === "") continue;
        const next = this.#follow(point, index, character);
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

  /** Whether all left automata match the text so far, and no other does. */
  #isDifference(point: Point): boolean {
    return this.#automata.every((automaton, which) => {
      const start = point.before === undefined;
      const ends = this.#close(automaton, [...(point.states[which] ?? [])], { start, end: true });
      return ends.has(automaton.final) === which < this.#lefts;
    });
  }

  /** Returns the states that can be reached without another character. */
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
  // Anchors may match at the start of a text only.
  return `${before === undefined ? "^" : ""}${sets.join(";")}`;
}

function textOf(point: Point): string {
  let text = "";
  for (let at: Point | undefined = point; at !== undefined; at = at.before) text = at.character + text;
  return text;
}

const READABLE =
  "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 -_./:@+#!?,;=&%$*'\"()[]{}<>|~^`\\";

/** Returns a readable character if there is one; undefined if a set has only lone surrogates. */
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

import { formatNumber } from "../../core/printable.js";
import { createRequire } from "node:module";
import type * as Refa from "refa";
import type { CharSet, JS, NoParent } from "refa";
import { OutOfStepsError } from "../../core/steps.js";
import { LONGEST_PATTERN } from "../../schema/pattern/pattern-tree.js";

/** Patterns with more states than this are not compared. Real patterns have some hundreds. */
const MAX_STATES = 4_000;

/** The transitions from one state to others. */
interface State {
  readonly steps: { readonly characters: CharSet; readonly to: number }[];
  /** Transitions without a character; with `at`, only at that end of the text. */
  readonly jumps: { readonly to: number; readonly at?: "start" | "end" | undefined }[];
}

/** A pattern as an automaton that starts in state 0 and reads whole texts: JSON Schema does not anchor patterns. */
export interface PatternAutomaton {
  readonly states: readonly State[];
  readonly final: number;
  /** Whether the automaton matches only texts that the pattern matches. */
  readonly isExact: boolean;
}

type Expression = NoParent<JS.ParseResult["expression"]>;
type Alternatives = Expression["alternatives"];
type Element = Alternatives[number]["elements"][number];

/**
 * Returns the automaton of a pattern; undefined for a pattern with lookaround, word boundaries or back references, and if
 * the package `refa` is not installed.
 *
 * @param isLoose whether to ignore lookaround and word boundaries: the automaton may then match more than the pattern
 * @throws OutOfStepsError for a pattern with too many states
 */
export function compileAutomaton(
  pattern: string,
  flags: "u" | "",
  isLoose: boolean,
): PatternAutomaton | undefined {
  const refa = loadRefa();
  if (refa === undefined) return undefined;
  if (pattern.length > LONGEST_PATTERN) throw tooLarge();
  let parsed: JS.ParseResult;
  try {
    parsed = refa.JS.Parser.fromLiteral({ source: pattern, flags }).parse({
      backreferences: "throw",
      maxNodes: MAX_STATES,
    });
  } catch (error) {
    if (error instanceof refa.TooManyNodesError) throw tooLarge();
    return undefined;
  }
  try {
    return new Builder(refa.CharSet.all(parsed.maxCharacter), isLoose).build(parsed.expression);
  } catch (error) {
    if (error instanceof UnsupportedError) return undefined;
    throw error;
  }
}

class UnsupportedError extends Error {}

class Builder {
  readonly #states: State[] = [];
  readonly #all: CharSet;
  readonly #isLoose: boolean;
  #isExact = true;

  constructor(all: CharSet, isLoose: boolean) {
    this.#all = all;
    this.#isLoose = isLoose;
  }

  build({ alternatives }: Expression): PatternAutomaton {
    const start = this.#add();
    const final = this.#add();
    for (const state of [start, final]) this.#states[state]?.steps.push({ characters: this.#all, to: state });
    this.#jump(this.#addAlternatives(alternatives, this.#addAfter(start)), final);
    return { states: this.#states, final, isExact: this.#isExact };
  }

  #addAlternatives(alternatives: Alternatives, from: number): number {
    const to = this.#add();
    for (const { elements } of alternatives) {
      const start = this.#addAfter(from);
      this.#jump(
        elements.reduce((at, element) => this.#addElement(element, at), start),
        to,
      );
    }
    return to;
  }

  /**
   * Returns the state after an element.
   *
   * @throws UnsupportedError for an element that is neither a character nor an anchor
   */
  #addElement(element: Element, from: number): number {
    switch (element.type) {
      case "CharacterClass": {
        const to = this.#add();
        this.#states[from]?.steps.push({ characters: element.characters, to });
        return to;
      }
      case "Alternation":
        return this.#addAlternatives(element.alternatives, from);
      case "Quantifier":
        return this.#addRepeated(element, from);
      case "Assertion": {
        const edge = edgeOf(element);
        if (edge === undefined) {
          if (!this.#isLoose) throw new UnsupportedError();
          this.#isExact = false;
          return from;
        }
        const to = this.#add();
        this.#jump(from, to, edge);
        return to;
      }
      case "Unknown":
        throw new UnsupportedError();
      default:
        return element satisfies never;
    }
  }

  #addRepeated(
    { alternatives, min, max }: Extract<Element, { readonly type: "Quantifier" }>,
    from: number,
  ): number {
    let at = from;
    for (let count = 0; count < min; count += 1) at = this.#addAlternatives(alternatives, at);
    const to = this.#add();
    this.#jump(at, to);
    if (max === Infinity) this.#jump(this.#addAlternatives(alternatives, this.#addAfter(to)), to);
    for (let count = min; max !== Infinity && count < max; count += 1) {
      at = this.#addAlternatives(alternatives, at);
      this.#jump(at, to);
    }
    return to;
  }

  #add(): number {
    if (this.#states.length >= MAX_STATES) throw tooLarge();
    return this.#states.push({ steps: [], jumps: [] }) - 1;
  }

  #addAfter(from: number): number {
    const to = this.#add();
    this.#jump(from, to);
    return to;
  }

  #jump(from: number, to: number, at?: "start" | "end"): void {
    this.#states[from]?.jumps.push({ to, at });
  }
}

/** The end of the text that an assertion matches: `^` is "no character before", `$` is "no character after". */
function edgeOf({
  kind,
  negate,
  alternatives,
}: Extract<Element, { readonly type: "Assertion" }>): "start" | "end" | undefined {
  const [only, ...others] = alternatives;
  const [element, ...rest] = only?.elements ?? [];
  if (!negate || others.length + rest.length > 0 || element?.type !== "CharacterClass") return undefined;
  if (!element.characters.isAll) return undefined;
  return kind === "behind" ? "start" : "end";
}

function tooLarge(): OutOfStepsError {
  return new OutOfStepsError(`Comparing the patterns takes more than ${formatNumber(MAX_STATES)} states.`);
}

// In a CommonJS bundle of esbuild a module has no URL.
const require = createRequire(import.meta.url || __filename);

/** Loads the package `refa` on first use; returns undefined if it is not installed. */
export function loadRefa(): typeof Refa | undefined {
  try {
    return require("refa") as typeof Refa;
  } catch {
    return undefined;
  }
}

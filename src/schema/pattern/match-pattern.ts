import { flagsOf } from "./pattern.js";
import { parsePattern, type PatternNode } from "./pattern-tree.js";

/** Counts the steps of a match; throws if there are too many. */
export type Spend = (steps: number) => void;

/**
 * Returns a function that tests texts in polynomial time, for patterns such as `^(a+)+$` on which a backtracking engine
 * takes exponential time. It follows all paths through the pattern at once. Undefined for an invalid pattern and for one
 * with back references, which this method cannot decide.
 */
export function createMatcher(pattern: string): ((text: string, spend: Spend) => boolean) | undefined {
  const flags = flagsOf(pattern);
  const tree = flags === undefined || HAS_MODIFIERS.test(pattern) ? undefined : parsePattern(pattern, flags);
  if (flags === undefined || tree === undefined || hasBackReference(tree)) return undefined;
  return (text, spend) => {
    const match = new Match(text, flags, spend);
    return match.endsOf(tree, new Set(match.starts)).size > 0;
  };
}

/** A group that changes the flags, such as `(?i:a)`. */
const HAS_MODIFIERS = /\(\?[a-z-]+:/u;

function hasBackReference(tree: PatternNode): boolean {
  const open = [tree];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if (node.kind === "condition" && /^\\[k\d]/u.test(node.source)) return true;
    if (node.kind === "sequence") open.push(...node.parts);
    if (node.kind === "choice") open.push(...node.options);
    if (node.kind === "repeat" || node.kind === "look") open.push(node.body);
  }
  return false;
}

/** Places in a text: indexes of its code units, and its length. */
type Places = ReadonlySet<number>;

class Match {
  readonly #text: string;
  readonly #flags: "u" | "";
  readonly #spend: Spend;
  readonly #expressions = new Map<string, RegExp>();

  constructor(text: string, flags: "u" | "", spend: Spend) {
    this.#text = text;
    this.#flags = flags;
    this.#spend = spend;
  }

  /** The places where a match may begin. With the flag `u`, not between the two halves of a surrogate pair. */
  get starts(): readonly number[] {
    const all = Array.from({ length: this.#text.length + 1 }, (_, index) => index);
    return this.#flags === "" ? all : all.filter((index) => !this.#isWithinCharacter(index));
  }

  /** Returns the places at which a part of the pattern may end if it begins at one of the places. */
  endsOf(node: PatternNode, from: Places): Places {
    this.#spend(1 + from.size);
    if (from.size === 0) return from;
    switch (node.kind) {
      case "character":
        return this.#keep(from, (at) => this.#lengthAt(node.source, at));
      case "start":
        return this.#keep(from, (at) => (at === 0 ? 0 : undefined));
      case "condition":
        return this.#keep(from, (at) => this.#lengthAt(node.source, at));
      case "look":
        return this.#keep(from, (at) => (this.#isSeen(node, at) === node.isNegated ? undefined : 0));
      case "sequence":
        return node.parts.reduce((places, part) => this.endsOf(part, places), from);
      case "choice":
        return new Set(node.options.flatMap((option) => [...this.endsOf(option, from)]));
      case "repeat":
        return this.#repeat(node, from);
      default:
        return node satisfies never;
    }
  }

  #repeat({ body, min, max }: PatternNode & { readonly kind: "repeat" }, from: Places): Places {
    let last = from;
    for (let count = 0; count < min && last.size > 0; count += 1) {
      const next = this.endsOf(body, last);
      // If one repetition does not change the places, further ones do not either.
      if (isSame(next, last)) break;
      last = next;
    }
    const reached = new Set(last);
    for (let count = min; count < max && last.size > 0; count += 1) {
      last = new Set([...this.endsOf(body, last)].filter((place) => !reached.has(place)));
      for (const place of last) reached.add(place);
    }
    return reached;
  }

  #isSeen({ body, isAhead }: PatternNode & { readonly kind: "look" }, at: number): boolean {
    if (isAhead) return this.endsOf(body, new Set([at])).size > 0;
    return this.starts.some((start) => start <= at && this.endsOf(body, new Set([start])).has(at));
  }

  /** Returns the places after a match of the given length at each place. */
  #keep(from: Places, lengthAt: (at: number) => number | undefined): Places {
    const places = new Set<number>();
    for (const at of from) {
      const length = lengthAt(at);
      if (length !== undefined) places.add(at + length);
    }
    return places;
  }

  #lengthAt(source: string, at: number): number | undefined {
    const expression = this.#expressions.get(source) ?? new RegExp(source, `y${this.#flags}`);
    this.#expressions.set(source, expression);
    expression.lastIndex = at;
    return expression.exec(this.#text)?.[0].length;
  }

  #isWithinCharacter(index: number): boolean {
    return index > 0 && (this.#text.codePointAt(index - 1) ?? 0) > 0xffff;
  }
}

function isSame(a: Places, b: Places): boolean {
  return a.size === b.size && [...a].every((place) => b.has(place));
}

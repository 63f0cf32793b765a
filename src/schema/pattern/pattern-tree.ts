import { compilesPattern } from "../../core/json.js";

/** A parsed regular expression. Names of groups and lazy quantifiers are omitted. */
export type PatternNode =
  /** One character of a set, in the syntax of patterns: `a`, `.`, `\d` or `[a-z]`. */
  | { readonly kind: "character"; readonly source: string }
  /** The start of the text. */
  | { readonly kind: "start" }
  /** The end of the text, a word boundary or a back reference. */
  | { readonly kind: "condition"; readonly source: string }
  /** A lookahead or lookbehind. */
  | {
      readonly kind: "look";
      readonly body: PatternNode;
      readonly isAhead: boolean;
      readonly isNegated: boolean;
    }
  | { readonly kind: "sequence"; readonly parts: readonly PatternNode[] }
  | { readonly kind: "choice"; readonly options: readonly PatternNode[] }
  | { readonly kind: "repeat"; readonly body: PatternNode; readonly min: number; readonly max: number };

/** Parses a pattern that JavaScript compiles with these flags. Undefined for unsupported syntax. */
export function parsePattern(pattern: string, flags: "u" | ""): PatternNode | undefined {
  const reader = new Reader(pattern, flags === "u");
  const root = reader.choice();
  return reader.isAtEnd ? root : undefined;
}

/** Returns the direct parts of a node. */
export function partsOf(node: PatternNode): readonly PatternNode[] {
  switch (node.kind) {
    case "character":
    case "start":
    case "condition":
      return [];
    case "sequence":
      return node.parts;
    case "choice":
      return node.options;
    case "look":
    case "repeat":
      return [node.body];
    default:
      return node satisfies never;
  }
}

// One escape, the longest forms first.
const ESCAPE =
  /\\(?:[pP]\{[^}]*\}|u\{[^}]*\}|u[\dA-Fa-f]{4}|x[\dA-Fa-f]{2}|c[A-Za-z]|k<[^>]*>|[1-9]\d*|[^])/uy;
const GROUP = /\((?:\?(?:<?[=!]|:|<[^>]*>|[a-z]*(?:-[a-z]*)?:))?/uy;
const QUANTIFIER = /(?:([*+?])|\{(\d+)(?:(,)(\d*))?\})\??/uy;
const CLASS = /\[(?:[^\]\\]|\\[^])*\]/uy;

class Reader {
  readonly #pattern: string;
  readonly #isUnicode: boolean;
  #at = 0;

  constructor(pattern: string, isUnicode: boolean) {
    this.#pattern = pattern;
    this.#isUnicode = isUnicode;
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#pattern.length;
  }

  choice(): PatternNode {
    const options = [this.#sequence()];
    while (this.#pattern[this.#at] === "|") {
      this.#at += 1;
      options.push(this.#sequence());
    }
    const [only] = options;
    return options.length === 1 && only ? only : { kind: "choice", options };
  }

  #sequence(): PatternNode {
    const parts: PatternNode[] = [];
    while (!this.isAtEnd && !"|)".includes(this.#pattern[this.#at] ?? "")) parts.push(this.#repeated());
    return { kind: "sequence", parts };
  }

  #repeated(): PatternNode {
    const body = this.#atom();
    const match = this.#take(QUANTIFIER);
    if (match === undefined) return body;
    const [, sign, least, comma = "", most = ""] = match;
    const min = sign === undefined ? Number(least) : sign === "+" ? 1 : 0;
    const bounded = comma === "" ? min : most === "" ? Infinity : Number(most);
    return { kind: "repeat", body, min, max: sign === undefined ? bounded : sign === "?" ? 1 : Infinity };
  }

  #atom(): PatternNode {
    const group = this.#take(GROUP);
    if (group !== undefined) return this.#group(group[0]);
    const set = this.#take(CLASS);
    if (set !== undefined) return { kind: "character", source: set[0] };
    const escape = this.#take(ESCAPE);
    if (escape !== undefined)
      return /^\\(?:[bB]|k<|[1-9])/u.test(escape[0])
        ? { kind: "condition", source: escape[0] }
        : { kind: "character", source: escape[0] };
    const point = this.#pattern.codePointAt(this.#at) ?? 0;
    const source = this.#isUnicode ? String.fromCodePoint(point) : (this.#pattern[this.#at] ?? "");
    this.#at += source.length;
    if (source === "^") return { kind: "start" };
    if (source === "$") return { kind: "condition", source };
    // A brace outside a quantifier is an ordinary character.
    return { kind: "character", source: "{}]".includes(source) ? `\\${source}` : source };
  }

  #group(head: string): PatternNode {
    const body = this.choice();
    if (this.#pattern[this.#at] === ")") this.#at += 1;
    if (!/^\(\?<?[=!]$/u.test(head)) return body;
    return { kind: "look", body, isAhead: !head.includes("<"), isNegated: head.endsWith("!") };
  }

  #take(expression: RegExp): RegExpExecArray | undefined {
    expression.lastIndex = this.#at;
    const match = expression.exec(this.#pattern);
    if (match !== null) this.#at = expression.lastIndex;
    return match ?? undefined;
  }
}

/**
 * Longer patterns are neither executed nor compared: JavaScript's engine has no room for some patterns of 20,000 characters,
 * and throws when it first runs them.
 */
export const LONGEST_PATTERN = 10_000;

/** Returns the flags with which JavaScript compiles a pattern; undefined for an invalid pattern, or one of another dialect. */
export function flagsOf(pattern: string): "u" | "" | undefined {
  if (compilesPattern(pattern, "u")) return "u";
  const escapes = pattern.match(/\\(?:u\{|[\s\S])/gu) ?? [];
  return compilesPattern(pattern, "") && !escapes.some((escape) => FOREIGN.test(escape)) ? "" : undefined;
}

/** Escapes that JavaScript has only with the flag, or never, as `\Z` of Python: without the flag, it takes them for letters. */
const FOREIGN = /^\\(?:u\{|[aeg-jl-mo-qyzACE-RT-VX-Z])$/u;

/** Counts the steps of a match; throws if there are too many. */
export type Spend = (steps: number) => void;

/**
 * Returns a function that tests texts in polynomial time, also for patterns such as `^(a+)+$`: it follows all paths at once.
 * Undefined for a pattern that is invalid, is too long or has back references.
 */
export function createMatcher(pattern: string): ((text: string, spend: Spend) => boolean) | undefined {
  const flags = pattern.length > LONGEST_PATTERN ? undefined : flagsOf(pattern);
  const tree = flags === undefined || HAS_MODIFIERS.test(pattern) ? undefined : parsePattern(pattern, flags);
  if (flags === undefined || tree === undefined || hasBackReference(tree)) return undefined;
  return (text, spend) => {
    const match = new Match(text, flags, spend);
    return match.endsOf(tree, new Set(match.starts)).size > 0;
  };
}

/** A group that changes the flags, such as `(?i:a)`. */
const HAS_MODIFIERS = /\(\?[a-z-]+:/u;

function hasBackReference(node: PatternNode): boolean {
  return (node.kind === "condition" && /^\\[k\d]/u.test(node.source)) || partsOf(node).some(hasBackReference);
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

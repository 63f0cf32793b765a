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
const QUANTIFIER = /(?:([*+?])|\{(\d+)(,?)(\d*)\})\??/uy;
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
    const [, sign, least, comma, most] = match;
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

import { Unsure } from "./unsure.js";

export interface Token {
  readonly kind: "name" | "string" | "number" | "mark" | "comment" | "end";
  readonly text: string;
  /** How many line breaks come before it. */
  readonly lines: number;
}

/** The tokens of a module, one after the other. Throws {@link Unsure} at what no generated module holds. */
export class TokenReader {
  readonly #tokens: readonly Token[];
  #at = 0;

  constructor(text: string) {
    this.#tokens = readTokens(text);
  }

  peek(ahead = 0): Token {
    return this.#tokens[Math.min(this.#at + ahead, this.#tokens.length - 1)] ?? END;
  }

  take(): Token {
    const token = this.peek();
    this.#at += 1;
    return token;
  }

  isNext(text: string): boolean {
    const next = this.peek();
    return next.text === text && next.kind !== "string" && next.kind !== "comment";
  }

  /** Takes the next token where it is this one. */
  skip(text: string): boolean {
    const isNext = this.isNext(text);
    if (isNext) this.#at += 1;
    return isNext;
  }

  expect(text: string): void {
    if (!this.skip(text)) throw new Unsure();
  }

  takeKind(kind: Token["kind"]): string {
    const token = this.take();
    if (token.kind !== kind) throw new Unsure();
    return token.text;
  }
}

const END: Token = { kind: "end", text: "", lines: 0 };
const SPACE = /[ \n]+/y;
const STRING = /"(?:[^"\\\n]|\\.)*"/y;
const COMMENT = /\/\*[^]*?\*\//y;
const NUMBER = /\d+(?:\.\d+)?(?:e[+-]?\d+)?/y;
const MARK = /=>|[-{}()[\]<>.,:;?|&=*]/y;
const NAME = /[\p{ID_Start}$_][\p{ID_Continue}$]*/uy;
/** Nearly all names are such, and Unicode's tables take longer. */
const ASCII_NAME = /[A-Za-z_$][\w$]*(?![^\0-\x7f])/y;

/** What a token can be that begins with a character. One regular expression for all would take three times as long. */
function kindOf(first: string): readonly [Token["kind"], RegExp] {
  if (first === '"') return ["string", STRING];
  if (first === "/") return ["comment", COMMENT];
  if (first >= "0" && first <= "9") return ["number", NUMBER];
  return ["name", ASCII_NAME];
}

function match(pattern: RegExp, text: string, at: number): string | undefined {
  pattern.lastIndex = at;
  return pattern.test(text) ? text.slice(at, pattern.lastIndex) : undefined;
}

function readTokens(text: string): readonly Token[] {
  const tokens: Token[] = [];
  let lines = 0;
  let at = 0;
  while (at < text.length) {
    const space = match(SPACE, text, at);
    if (space !== undefined) {
      lines += space.split("\n").length - 1;
      at += space.length;
      continue;
    }
    const mark = match(MARK, text, at);
    const [kind, pattern] = mark === undefined ? kindOf(text.charAt(at)) : (["mark", MARK] as const);
    const found = mark ?? match(pattern, text, at) ?? (kind === "name" ? match(NAME, text, at) : undefined);
    if (found === undefined) throw new Unsure();
    tokens.push({ kind, text: found, lines });
    at += found.length;
    lines = 0;
  }
  return [...tokens, { ...END, lines }];
}

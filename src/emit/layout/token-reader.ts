import { Unsure } from "./unsure.js";

export interface Token {
  readonly kind: "name" | "string" | "number" | "mark" | "comment" | "end";
  readonly text: string;
  /** How many line breaks come before it. */
  readonly lines: number;
}

const PIECE =
  /(?<space>\s+)|(?<comment>\/\*[^]*?\*\/)|(?<string>"(?:[^"\\\n]|\\.)*")|(?<name>[\p{ID_Start}$_][\p{ID_Continue}$]*)|(?<number>\d+(?:\.\d+)?(?:e[+-]?\d+)?)|(?<mark>=>|[-{}()[\]<>.,:;?|&=*])/uy;

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
const KINDS = ["comment", "string", "name", "number", "mark"] as const;

function readTokens(text: string): readonly Token[] {
  const tokens: Token[] = [];
  let lines = 0;
  PIECE.lastIndex = 0;
  for (let at = 0; at < text.length; at = PIECE.lastIndex) {
    const groups = PIECE.exec(text)?.groups;
    if (groups === undefined) throw new Unsure();
    const space = groups["space"];
    if (space !== undefined) {
      lines += space.split("\n").length - 1;
      continue;
    }
    const kind = KINDS.find((name) => groups[name] !== undefined);
    if (kind === undefined) throw new Unsure();
    tokens.push({ kind, text: groups[kind] ?? "", lines });
    lines = 0;
  }
  return [...tokens, { ...END, lines }];
}

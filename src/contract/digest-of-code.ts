import { sha256 } from "./digest.js";

const TOKEN =
  /(?<space>\s+)|(?<comment>\/\/[^\n]*|\/\*[^]*?\*\/)|(?<text>"(?:[^"\\]|\\[^])*"|'(?:[^'\\]|\\[^])*')|(?<word>[\p{ID_Continue}$]+)|=>|[^]/gu;
const PROPERTY_NAME = /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u;

/** Tokens that a type or an expression ends with; a `|` or `&` behind any other mark leads a union and means nothing. */
const ENDS = new Set([")", "]", "}", ">"]);
const CLOSERS = ENDS;

interface Token {
  readonly kind: "comment" | "text" | "word" | "mark";
  readonly text: string;
}

/**
 * A digest that stays the same when a formatter prints a generated module in another style: other line breaks,
 * indentation, quotes, semicolons, trailing commas, or parentheses around the parameter of an arrow function. Any other
 * edit changes it, comments included.
 */
export function digestOfCode(text: string): string {
  const tokens = readTokens(text);
  const kept: string[] = [];
  let last: Token | undefined;
  for (let at = 0; at < tokens.length; at += 1) {
    const token = tokens[at];
    if (token === undefined || isOfStyle(token, last, tokens, at)) continue;
    kept.push(isPropertyName(token, tokens, at) ? `word ${token.text}` : `${token.kind} ${token.text}`);
    last = token;
  }
  return sha256(JSON.stringify(kept)).slice(0, 16);
}

function readTokens(text: string): readonly Token[] {
  return [...text.replaceAll("\r\n", "\n").matchAll(TOKEN)].flatMap(({ 0: found, groups = {} }): Token[] => {
    if (groups["space"] !== undefined) return [];
    if (groups["comment"] !== undefined) return [{ kind: "comment", text: withoutIndent(found) }];
    if (groups["text"] !== undefined) return [{ kind: "text", text: withoutQuotes(found) }];
    return [{ kind: groups["word"] === undefined ? "mark" : "word", text: found }];
  });
}

function withoutIndent(comment: string): string {
  return comment
    .split("\n")
    .map((line) => line.trim())
    .join("\n");
}

/** A string without its quotes; those inside lose the escape that only one of the two styles needs. */
function withoutQuotes(literal: string): string {
  return literal
    .slice(1, -1)
    .replace(/\\([^])/gu, (escape, character: string) => (/["']/.test(character) ? character : escape));
}

/** Whether formatters add or remove this token as their style wants. */
function isOfStyle(
  { kind, text }: Token,
  last: Token | undefined,
  tokens: readonly Token[],
  at: number,
): boolean {
  if (kind !== "mark") return false;
  if (text === ";") return true;
  if (text === ",") return isMark(tokens[at + 1], CLOSERS);
  if (text === "|" || text === "&")
    return last === undefined || (last.kind === "mark" && !ENDS.has(last.text));
  if (text === "(") return isLoneParameter(tokens, at);
  return text === ")" && isLoneParameter(tokens, at - 2);
}

/** Whether the tokens from here on are `(name) =>`. */
function isLoneParameter(tokens: readonly Token[], at: number): boolean {
  const [open, name, close, arrow] = tokens.slice(Math.max(at, 0), at + 4);
  return open?.text === "(" && name?.kind === "word" && close?.text === ")" && arrow?.text === "=>";
}

/** Whether a token is a quoted name before `:` or `?:` that needs no quotes. */
function isPropertyName({ kind, text }: Token, tokens: readonly Token[], at: number): boolean {
  if (kind !== "text" || !PROPERTY_NAME.test(text)) return false;
  const [next, afterNext] = tokens.slice(at + 1, at + 3);
  return next?.text === ":" || (next?.text === "?" && afterNext?.text === ":");
}

function isMark(token: Token | undefined, marks: ReadonlySet<string>): boolean {
  return token?.kind === "mark" && marks.has(token.text);
}

import { oneLine } from "../../contract/one-line.js";

/** How much of what servers say is told: a prompt is paid for at every step. */
const MOST_TEXTS = 12;
const LONGEST_TEXT = 40;

/** Different texts of servers, the first of them. */
export function listQuoted(texts: readonly (string | undefined)[]): string {
  const different = [...new Set(texts.filter((text) => text !== undefined))];
  const rest = different.length - MOST_TEXTS;
  return [...different.slice(0, MOST_TEXTS).map(quote), ...(rest > 0 ? [`${rest} more`] : [])].join(", ");
}

/** A text of a server's on one line and cut, in quotes that it cannot leave. */
export function quote(text: string): string {
  return JSON.stringify(oneLine(text, LONGEST_TEXT));
}

export function count(number: number, one: string, many = `${one}s`): string {
  return `${number} ${number === 1 ? one : many}`;
}

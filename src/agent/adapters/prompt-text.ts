import { oneLine } from "../../contract/one-line.js";
import type { ServerState } from "../registry/registry.js";

/** The most instructions of servers in a prompt, which costs tokens at every step. */
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

/**
 * Which servers could not be listed, so that a model does not conclude that a tool does not exist. Reasons are left out: they
 * may hold a server's words.
 */
export function describeUnlisted(servers: readonly ServerState[] = []): readonly string[] {
  const failed = servers.filter(({ error }) => error !== undefined);
  const absent = failed.filter(({ toolCount }) => toolCount === 0).map(({ name }) => name);
  const kept = failed.filter(({ toolCount }) => toolCount > 0).map(({ name }) => name);
  const name = (names: readonly string[]): string =>
    `${names.length === 1 ? "Server" : "Servers"} ${listQuoted(names)}`;
  return [
    ...(absent.length > 0
      ? [
          `${name(absent)} could not be listed, so tools are missing here. If you need one, say that the server could not be reached.`,
        ]
      : []),
    ...(kept.length > 0 ? [`${name(kept)} could not be listed again; the list here is an earlier one.`] : []),
  ];
}

export function count(number: number, one: string, many = `${one}s`): string {
  return `${number} ${number === 1 ? one : many}`;
}

import type { Writable } from "node:stream";
import { stripVTControlCharacters } from "node:util";
import { printable, widthOf } from "../core/printable.js";
import { quoteForShell } from "../report/layout.js";

/** A stream that may be a terminal. */
export type Output = Writable & { readonly isTTY?: boolean; readonly columns?: number | undefined };

/** The width of a terminal; undefined if it is unknown: a pseudo-terminal that has no size says 0. */
export function columnsOf({ columns = 0 }: Output): number | undefined {
  return columns > 0 ? columns : undefined;
}

/** Returns a command line to copy: `npx mcp-codegen call 'get sum'`. */
export function printCommand(command: string, words: readonly string[]): string {
  return ["npx mcp-codegen", command, ...words.map(quoteForShell)].join(" ");
}

/** Adds the `--config` of this run to the commands in lines, so that they work when they are copied. */
export function nameConfig(lines: readonly string[], config: string | undefined): readonly string[] {
  if (config === undefined) return lines;
  const option = `--config ${quoteForShell(config)}`;
  return lines.map((line) => line.replaceAll(COMMAND_WITH_CONFIG, (command) => `${command} ${option}`));
}

/** `init` writes a configuration, and `explain` reads none. */
const COMMAND_WITH_CONFIG = /\bnpx mcp-codegen (?!init|explain)[a-z]+(?![\w-])/g;

/** Returns the lines of a server's text without truncation. Keeps tabs and escapes all other control characters. */
export function printServerText(text: string): readonly string[] {
  return text.split(/\r?\n/).map((line) =>
    line
      .split("\t")
      .map((part) => printable(part, part.length + 1))
      .join("\t"),
  );
}

/** Whether a text contains letters. The `…` of a printed command does not. */
export function hasWords(text: string): boolean {
  return /\p{L}/u.test(text);
}

/** A command to copy, after its label or its prompt. */
const COMMAND = /^\s*(?:(?!\s)[^"]*: )?(?:\$ )?npx \S/;
/** Words, and the spaces before them; in a command, a quoted text belongs to its word. */
const WORDS = / *[^ ]+| +$/g;
const COMMAND_WORDS = /(?<! )(?: *(?:[^\s'"]|'[^']*'|"[^"]*")+| *\S+| +$)/g;
/** The first columns of a table, up to where its text begins. */
const COLUMNS = /^ *(?:\S+ )*\S+ {2,}(?=\S)/;

/**
 * Wraps lines at words to the width of a terminal; other outputs get them unchanged. A line continues under its text. A
 * command continues after a backslash, so that it can be copied.
 */
export function wrapLines(lines: readonly string[], stream: Output): readonly string[] {
  const columns = columnsOf(stream);
  if (stream.isTTY !== true || columns === undefined) return lines;
  return lines
    .flatMap((line) => (line.includes("\n") ? line.split("\n") : [line]))
    .flatMap((line) => wrapLine(line, columns));
}

function wrapLine(line: string, columns: number): readonly string[] {
  if (line.length * 2 <= columns) return [line];
  const plain = stripVTControlCharacters(line);
  if (widthOf(plain) <= columns) return [line];
  const isCommand = COMMAND.test(plain);
  const [end, room] = isCommand ? [" \\", columns - 2] : ["", columns];
  const hang = " ".repeat(hangOf(plain, isCommand, columns));
  const wrapped: string[] = [];
  let current = "";
  let used = 0;
  for (const word of line.match(isCommand ? COMMAND_WORDS : WORDS) ?? []) {
    const width = widthOf(stripVTControlCharacters(word));
    // The first word of a line stays, however long it is.
    if (current.trim() === "" || used <= hang.length || used + width <= room) {
      current += word;
      used += width;
      continue;
    }
    wrapped.push(current + end);
    current = hang + word.trimStart();
    used = widthOf(stripVTControlCharacters(current));
  }
  return [...wrapped, current];
}

function hangOf(plain: string, isCommand: boolean, columns: number): number {
  const indent = plain.length - plain.trimStart().length;
  if (isCommand) return indent + 4;
  const text = COLUMNS.exec(plain)?.[0].length ?? indent;
  return text <= columns / 2 ? text : indent + 2;
}

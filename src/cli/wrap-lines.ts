import { stripVTControlCharacters } from "node:util";
import { widthOf } from "../contract/printable.js";
import type { Output } from "./context.js";

/** A command to copy, after its label or its prompt. */
const COMMAND = /^\s*(?:[^"]*: )?(?:\$ )?npx \S/;
/** Words, and the spaces before them; in a command, a quoted text belongs to its word. */
const WORDS = / *[^ ]+| +$/g;
const COMMAND_WORDS = / *(?:[^\s'"]|'[^']*'|"[^"]*")+| *\S+| +$/g;
/** The first columns of a table, up to where its text begins. */
const COLUMNS = /^ *(?:\S+ )*\S+ {2,}(?=\S)/;

/**
 * Wraps lines at words to the width of a terminal; other outputs get them unchanged. A line goes on under its text. A
 * command goes on after a backslash, so that it can be copied.
 */
export function wrapLines(lines: readonly string[], stream: Output): readonly string[] {
  const { isTTY, columns } = stream;
  if (isTTY !== true || columns === undefined) return lines;
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

/** The column under which a line goes on. */
function hangOf(plain: string, isCommand: boolean, columns: number): number {
  const indent = plain.length - plain.trimStart().length;
  if (isCommand) return indent + 4;
  const text = COLUMNS.exec(plain)?.[0].length ?? indent;
  return text <= columns / 2 ? text : indent + 2;
}

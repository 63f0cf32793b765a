import { ENTRY_LIST_NAMES, ENTRY_LISTS, type EntryList } from "../core/entries.js";
import type { McpCodegenError } from "../core/errors.js";
import { clip, formatNumber, printable, widthOf } from "../core/printable.js";

/** The colours of a report. `createColors()` of picocolors returns one; {@link PLAIN} adds no colour. */
export interface Paint {
  bold(text: string): string;
  dim(text: string): string;
  red(text: string): string;
  green(text: string): string;
  yellow(text: string): string;
  cyan(text: string): string;
}

/** No colours, for output that is not a terminal. */
export const PLAIN: Paint = {
  bold: String,
  dim: String,
  red: String,
  green: String,
  yellow: String,
  cyan: String,
};

/** The colour of each class of a change, and of what could not be verified. */
export const COLOUR_OF_CLASS = {
  breaking: "red",
  dangerous: "yellow",
  unknown: "yellow",
  safe: "green",
  unverified: "yellow",
} as const satisfies Record<string, keyof Paint>;

/** The terminal that a report is formatted for. */
export interface Layout {
  readonly paint: Paint;
  /** Columns. */
  readonly width: number;
}

/** Returns the parts that are present: neither undefined nor false nor empty. */
export function present(...parts: readonly (string | false | undefined)[]): readonly string[] {
  return parts.filter((part): part is string => part !== undefined && part !== false && part !== "");
}

/** Returns the first items, followed by an item that counts the others. */
export function firstOf<T>(items: readonly T[], most: number, more: (rest: number) => T): readonly T[] {
  return items.length <= most ? items : [...items.slice(0, most), more(items.length - most)];
}

/** Lists the first names, and counts the others: `a, b and 3 more`. */
export function joinFirst(
  names: readonly string[],
  most: number,
  more = (rest: number): string => `${rest} more`,
): string {
  const shown = names.slice(0, most).join(", ");
  return names.length > most ? `${shown} and ${more(names.length - most)}` : shown;
}

/** Lists as many names as fit into `room` columns, and counts the others: `a, b, … 3 more`. */
export function joinWithin(names: readonly string[], room: number): string {
  let shown = "";
  for (const [index, name] of names.entries()) {
    const rest = names.length - index - 1;
    const next = index === 0 ? name : `${shown}, ${name}`;
    const more = rest === 0 ? "" : `, … ${formatNumber(rest)} more`;
    const isOver = widthOf(next + more) > room;
    if (index > 0 && isOver) return `${shown}, … ${formatNumber(rest + 1)} more`;
    shown = isOver ? clip(next, Math.max(1, room - widthOf(more))) : next;
  }
  return clip(shown, room);
}

/** Breaks a text into lines of at most `room` columns, at spaces where it has some. */
export function wrap(text: string, room: number): readonly string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of splitAtSpaces(text, room)) {
    if (line !== "" && widthOf(line + word.trimEnd()) > room) {
      lines.push(line.trimEnd());
      line = "";
    }
    line += word;
  }
  return [...lines, line.trimEnd()];
}

/** Words with the space after them. Those that are longer than a line are split. */
export function splitAtSpaces(text: string, room: number): readonly string[] {
  // Half as many characters, since each may be two columns wide.
  const part = new RegExp(`[^]{1,${Math.max(1, Math.floor(room / 2))}}`, "gu");
  const words: readonly string[] = text.match(/\S+\s*|\s+/gu) ?? [];
  return words.flatMap((word) => (widthOf(word.trimEnd()) <= room ? [word] : (word.match(part) ?? [])));
}

/** `1 file`, `1,200 files`. */
export function count(amount: number, noun: string): string {
  return `${formatNumber(amount)} ${noun}${amount === 1 ? "" : "s"}`;
}

/** Counts the entries of each list that is present, such as `2 prompts`. */
export function countEntries(countOf: (list: EntryList) => number | undefined): readonly string[] {
  return ENTRY_LIST_NAMES.flatMap((list) => {
    const amount = countOf(list);
    return amount === undefined ? [] : [count(amount, ENTRY_LISTS[list].noun)];
  });
}

/** Quotes a word for a POSIX shell, if necessary. */
export function quoteForShell(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

export interface ErrorDetails {
  /** A code of `McpCodegenError`, or `INTERNAL` for a bug in mcp-codegen. */
  readonly code: string;
  readonly message: string;
  /** The command or key that fixes it. */
  readonly hint?: string | undefined;
  /** The last lines that the started server wrote to stderr. */
  readonly stderr?: readonly string[] | undefined;
  /** After an interruption, the calls that may have changed something. */
  readonly made?: readonly string[] | undefined;
}

/**
 * Prints what happened and how to fix it. Further lines of a message (one for each problem in a configuration) are
 * indented, so that text from a server cannot imitate a line of this program.
 */
export function printError(
  error: Pick<ErrorDetails, "message" | "hint" | "stderr">,
  paint: Paint,
): readonly string[] {
  const [first = "", ...rest] = error.message.split("\n").map((line) => printable(line, 1_000));
  return [
    `${paint.red("error:")} ${first}`,
    ...rest.map((line) => `       ${line}`),
    ...printStderr(error.stderr ?? [], "       "),
    ...(error.hint === undefined ? [] : [`${paint.cyan("hint:")} ${printable(error.hint, 1_000)}`]),
  ];
}

/** Prints the last stderr lines of a server, each marked so that it cannot imitate a line of this program. */
export function printStderr(lines: readonly string[], indent: string): readonly string[] {
  if (lines.length === 0) return [];
  return [`${indent}It wrote to stderr:`, ...lines.map((line) => `${indent}| ${printable(line, 1_000)}`)];
}

/** Returns an error as data, without causes and stack, since these may quote a server. */
export function errorDetails(error: McpCodegenError): ErrorDetails {
  return {
    code: error.code,
    message: error.message,
    hint: error.hint,
    stderr: error.stderr.length > 0 ? error.stderr : undefined,
  };
}

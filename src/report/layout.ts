import { ENTRY_LIST_NAMES, ENTRY_LISTS, type EntryList } from "../core/entries.js";

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

/**
 * A whole number with thousands separators. Formatted by hand, since loading the data of `Intl` takes longer than a
 * check.
 */
export function formatNumber(amount: number): string {
  return String(amount).replace(/(?<=\d)(?=(?:\d{3})+$)/g, ",");
}

/** Quotes a word for a POSIX shell, if necessary. */
export function quoteForShell(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

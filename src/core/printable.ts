import { writeExactly } from "./exact-json.js";

/**
 * Characters that a terminal would act on or hide: control, format, private and unassigned ones, separators, those that Unicode
 * lets ignore (but the selector of emoji), and the empty braille cell.
 */
const UNPRINTABLE = /(?!\uFE0F)[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/gu;

/** Commands of GitHub and Azure that a CI log would act on: `##[…]`, `##vso[…]`, and `::…` at the start of a line. */
const COMMAND = /##(?=[a-z]{0,20}\[)|^\s{0,20}::/giu;

const SHORT: ReadonlyMap<string, string> = new Map([
  ["\n", "\\n"],
  ["\r", "\\r"],
  ["\t", "\\t"],
]);

/** A server's text on one line, with all that a terminal would act on written out, cut to `limit` characters. */
export function printable(text: string, limit = 200): string {
  // A character is at most two code units: cutting first keeps a text of megabytes from being escaped whole.
  const head = text.slice(0, limit * 2 + 2);
  const characters = Array.from(head);
  const isCut = characters.length > limit || head.length < text.length;
  const shown = isCut ? characters.slice(0, limit - 1).join("") + "…" : characters.join("");
  return shown
    .replace(COMMAND, (marks) => `${escapeCharacter(marks.slice(0, 1))}${marks.slice(1)}`)
    .replace(UNPRINTABLE, (character) => SHORT.get(character) ?? escapeCharacter(character));
}

/** JSON for a terminal or a file: what a terminal would act on is written as `\u` escapes, so the value stays the same. */
export function printJson(value: unknown, indent = 2): string {
  return writeExactly(value, indent).replace(UNPRINTABLE, (character) =>
    character === "\n" ? character : escapeUnits(character),
  );
}

function escapeCharacter(character: string): string {
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16).toUpperCase()}}`;
}

/** Returns the code units of a character as `\\u` escapes. */
export function escapeUnits(character: string): string {
  return Array.from(
    { length: character.length },
    (_, index) => `\\u${character.charCodeAt(index).toString(16).padStart(4, "0")}`,
  ).join("");
}

const WIDE =
  /[\p{Script=Han}\p{Script=Hangul}\p{Script=Hiragana}\p{Script=Katakana}\p{Emoji_Presentation}\uff01-\uff60]/gu;

/** The approximate number of columns of a text, for wrapping. */
export function widthOf(text: string): number {
  return Array.from(text).length + (text.match(WIDE)?.length ?? 0);
}

/** A printable text of at most `room` columns; an ellipsis replaces what is cut off. */
export function clip(text: string, room: number): string {
  if (widthOf(text) <= room) return text;
  let columns = 1;
  let shown = "";
  for (const character of text) {
    columns += widthOf(character);
    if (columns > room) break;
    shown += character;
  }
  return `${shown}…`;
}

/** A foreign text as a sentence, to be followed by another. */
export function endSentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}

/** A foreign text on one line, without characters that hide text or turn its direction, cut to `longest` characters. */
export function oneLine(text: string, longest: number): string {
  // A character is two code units at most, and what is cut first is not searched.
  const line = text
    .slice(0, longest * 4)
    .replace(/[\p{C}\p{Z}]+/gu, " ")
    .trim();
  const characters = Array.from(line);
  return characters.length <= longest ? line : `${characters.slice(0, longest - 1).join("")}…`;
}

/**
 * A whole number with thousands separators. Formatted by hand, since loading the data of `Intl` takes longer than a
 * check.
 */
export function formatNumber(amount: number): string {
  return String(amount).replace(/(?<=\d)(?=(?:\d{3})+$)/g, ",");
}

import type { JsonValue } from "../contract/json.js";

// Words that are reserved or cannot be declared in modules and strict code (ECMAScript, "Keywords and Reserved Words").
const RESERVED_WORDS: ReadonlySet<string> = new Set(
  (
    "arguments await break case catch class const continue debugger default delete do else enum eval export extends " +
    "false finally for function if implements import in instanceof interface let new null package private " +
    "protected public return static super switch this throw true try typeof undefined var void while with yield"
  ).split(" "),
);

/** Whether a text cannot be declared as a name in a module. */
export function isReservedWord(text: string): boolean {
  return RESERVED_WORDS.has(text);
}

/** Whether a text can be a property name without quotes. */
export function isIdentifier(text: string): boolean {
  return /^[A-Za-z_$][\w$]*$/.test(text);
}

/** `get_user-list` → `GetUserList`; empty if the text has no letter or digit. A leading digit is prefixed with `_`. */
export function toPascalCase(text: string): string {
  return guardDigit(wordsOf(text).map(capitalize).join(""));
}

/** `get_user-list` → `getUserList`; empty if the text has no letter or digit. A leading digit is prefixed with `_`. */
export function toCamelCase(text: string): string {
  const [first = "", ...rest] = wordsOf(text);
  return guardDigit(first.toLowerCase() + rest.map(capitalize).join(""));
}

/** Returns a JSON value as a JavaScript literal that is always data and never code. */
export function quoteLiteral(value: JsonValue): string {
  return writeJson(value).replace(UNSEEN, escapeUnit);
}

/** Returns a property name for an object literal: quoted or computed only if necessary. */
export function quoteKey(name: string): string {
  // `{ "__proto__": x }` sets the prototype; a computed key is an ordinary key.
  if (name === "__proto__") return '["__proto__"]';
  return isIdentifier(name) ? name : quoteLiteral(name);
}

/** Line and paragraph separators, and invisible characters that hide text or change its direction. */
const UNSEEN = /[\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;

function escapeUnit(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

function writeJson(value: JsonValue): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(writeJson).join(",")}]`;
  const members = Object.entries(value).map(
    ([key, item]) => `${key === "__proto__" ? '["__proto__"]' : JSON.stringify(key)}:${writeJson(item)}`,
  );
  return `{${members.join(",")}}`;
}

// Control characters except tab and newline: an editor may treat them as line ends, a terminal as commands. Also lone
// surrogates, which UTF-8 cannot encode.
const CONTROL = /[^\P{Cc}\t\n]|\p{Cs}/gu;

/** Escapes a text for a block comment, so that it cannot end the comment and has no invisible characters. */
export function escapeComment(text: string): string {
  return text
    .replaceAll("*/", "*\\/")
    .replace(/\r\n?/g, "\n")
    .replace(UNSEEN, escapeUnit)
    .replace(CONTROL, escapeUnit);
}

function wordsOf(text: string): readonly string[] {
  // A faster path with the same result: loading Unicode's tables takes longer than a whole check, and most names are ASCII.
  if (isAscii(text)) return text.match(/[A-Z]+(?![a-z])\d*|[A-Z]?[a-z\d]+/g) ?? [];
  // NFC, so that equivalent spellings of a name give the same identifier.
  return (
    text
      .normalize("NFC")
      .match(/\p{Lu}+(?!\p{Ll})\p{N}*|\p{Lu}?[\p{Ll}\p{Lo}\p{Lm}\p{Lt}\p{M}\p{N}]+|\p{Lu}/gu) ?? []
  );
}

function isAscii(text: string): boolean {
  return /^[ -~]*$/.test(text);
}

function capitalize(word: string): string {
  const length = (word.codePointAt(0) ?? 0) > 0xffff ? 2 : 1;
  return word.slice(0, length).toUpperCase() + word.slice(length).toLowerCase();
}

function guardDigit(name: string): string {
  const startsWithDigit = isAscii(name) ? /^\d/.test(name) : /^\p{N}/u.test(name);
  return startsWithDigit ? `_${name}` : name;
}

import type { JsonValue } from "../contract/json.js";

// Reserved in modules and strict code (ECMAScript, "Keywords and Reserved Words"), and names that may not be bound there.
const RESERVED_WORDS: ReadonlySet<string> = new Set(
  (
    "arguments await break case catch class const continue debugger default delete do else enum eval export extends " +
    "false finally for function if implements import in instanceof interface let new null package private " +
    "protected public return static super switch this throw true try typeof undefined var void while with yield"
  ).split(" "),
);

/** Whether a text cannot be the name of a binding in a module. */
export function isReservedWord(text: string): boolean {
  return RESERVED_WORDS.has(text);
}

/** Whether a text can be a property name in code without quotes. */
export function isIdentifier(text: string): boolean {
  return /^[A-Za-z_$][\w$]*$/.test(text);
}

/** `get_user-list` → `GetUserList`; empty when the text holds no letter or digit. A leading digit gets `_`. */
export function toPascalCase(text: string): string {
  return guardDigit(wordsOf(text).map(capitalize).join(""));
}

/** `get_user-list` → `getUserList`; empty when the text holds no letter or digit. A leading digit gets `_`. */
export function toCamelCase(text: string): string {
  const [first = "", ...rest] = wordsOf(text);
  return guardDigit(first.toLowerCase() + rest.map(capitalize).join(""));
}

/** A JavaScript literal of a JSON value that reads as data and never as code. */
export function quoteLiteral(value: JsonValue): string {
  return writeJson(value).replace(UNSEEN, escapeUnit);
}

/** A property name in an object literal: bare where it can be, quoted or computed where it must be. */
export function quoteKey(name: string): string {
  // `{ "__proto__": x }` sets the prototype; a computed key is a key like any other.
  if (name === "__proto__") return '["__proto__"]';
  return isIdentifier(name) ? name : quoteLiteral(name);
}

/** Line and paragraph separators, and what hides text or turns its direction: source must read as it runs. */
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

// Control characters but tab and newline: an editor may take them for line ends, a terminal for commands. And half
// characters, which no file can hold.
const CONTROL = /[^\P{Cc}\t\n]|\p{Cs}/gu;

/** Escapes a text for a block comment: it cannot end the comment, and no character is invisible. */
export function escapeComment(text: string): string {
  return text
    .replaceAll("*/", "*\\/")
    .replace(/\r\n?/g, "\n")
    .replace(UNSEEN, escapeUnit)
    .replace(CONTROL, escapeUnit);
}

function wordsOf(text: string): readonly string[] {
  // The same words either way. Nearly all names are ASCII, and Unicode's tables take longer to load than a check to run.
  if (isAscii(text)) return text.match(/[A-Z]+(?![a-z])\d*|[A-Z]?[a-z\d]+/g) ?? [];
  // NFC, so that one name written in two ways gives one identifier.
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

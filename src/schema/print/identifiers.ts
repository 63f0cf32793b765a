import type { JsonValue } from "../../core/json.js";
import { outsideAlphabet } from "./identifier-alphabet.js";

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

/** Whether a text is an identifier under every supported compiler. It may be a reserved word. */
export function isName(text: string): boolean {
  if (isAscii(text)) return isIdentifier(text);
  return /^[\p{ID_Start}$_]/u.test(text) && text.search(outsideAlphabet()) === -1;
}

/** Whether a text can be a property name without quotes. */
export function isIdentifier(text: string): boolean {
  return /^[A-Za-z_$][\w$]*$/.test(text);
}

/** `get_user-list` → `GetUserList`; empty if the text has no letter or digit. `_` precedes a digit or a mark at the start. */
export function toPascalCase(text: string): string {
  return guardStart(wordsOf(text).map(capitalize).join(""));
}

/** `get_user-list` → `getUserList`; empty if the text has no letter or digit. `_` precedes a digit or a mark at the start. */
export function toCamelCase(text: string): string {
  const [first = "", ...rest] = wordsOf(text);
  return guardStart(toLower(first) + rest.map(capitalize).join(""));
}

/** Returns a JSON value as a JavaScript literal that is always data and never code. */
export function quoteLiteral(value: JsonValue): string {
  return escapeCode(writeJson(value));
}

/** Returns a property name for an object literal: quoted or computed only if necessary. */
export function quoteKey(name: string): string {
  // `{ "__proto__": x }` sets the prototype; a computed key is an ordinary key.
  if (name === "__proto__") return '["__proto__"]';
  return isIdentifier(name) ? name : quoteLiteral(name);
}

/**
 * Characters that an editor hides, shows elsewhere or takes for the end of a line, and lone surrogates, which UTF-8
 * cannot encode. Joiners and the selector of emoji stay in words and emoji, where they belong.
 */
const UNSEEN =
  /(?![\t\n])(?!(?<=[^\p{ASCII}\p{C}\p{Z}])(?:\u200c|\u200d|\ufe0f))[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

/**
 * Escapes invisible characters in the comments and string literals of code. Also letters that are newer than the
 * alphabet of names: a formatter that knows them takes the quotes from a key.
 */
export function escapeCode(code: string): string {
  if (isAscii(code)) return code;
  return code
    .replace(UNSEEN, escapeUnits)
    .replace(outsideAlphabet(), (other) => (/\p{ID_Continue}/u.test(other) ? escapeUnits(other) : other));
}

function escapeUnits(character: string): string {
  const units = Array.from({ length: character.length }, (_, at) => character.charCodeAt(at));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, "0")}`).join("");
}

function writeJson(value: JsonValue): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(writeJson).join(",")}]`;
  const members = Object.entries(value).map(
    ([key, item]) => `${key === "__proto__" ? '["__proto__"]' : JSON.stringify(key)}:${writeJson(item)}`,
  );
  return `{${members.join(",")}}`;
}

/** Escapes a text for a block comment, so that it cannot end the comment and has no invisible characters. */
export function escapeComment(text: string): string {
  const escaped = text.replaceAll("*/", "*\\/").replace(/\r\n?/g, "\n");
  return isAscii(escaped) ? escaped : escaped.replace(UNSEEN, escapeUnits);
}

function wordsOf(text: string): readonly string[] {
  // A faster path with the same result: loading Unicode's tables takes longer than a whole check, and most names are ASCII.
  if (isAscii(text)) return text.match(/[A-Z]+(?![a-z])\d*|[A-Z]?[a-z\d]+/g) ?? [];
  return (
    text
      .replace(SHAPELESS, "")
      // So that equivalent spellings of a name give the same identifier.
      .normalize("NFC")
      // `m²` and `m` are different names, but `²` is no part of an identifier.
      .replace(/\p{No}/gu, (digit) => digit.normalize("NFKC"))
      .replace(outsideAlphabet(), " ")
      .match(/\p{Lu}+(?!\p{Ll})\p{N}*|\p{Lu}?[\p{Ll}\p{Lo}\p{Lm}\p{Lt}\p{M}\p{N}]+|\p{Lu}/gu) ?? []
  );
}

/** Letters and marks that are not visible, such as the variation selector of an emoji. */
const SHAPELESS = /(?=[\p{L}\p{M}])\p{Default_Ignorable_Code_Point}/gu;

function isAscii(text: string): boolean {
  return /^[\t\n -~]*$/.test(text);
}

function capitalize(word: string): string {
  const length = (word.codePointAt(0) ?? 0) > 0xffff ? 2 : 1;
  const [first, rest] = [word.slice(0, length), word.slice(length)];
  return keepKnown(first, first.toUpperCase()) + toLower(rest);
}

function toLower(text: string): string {
  return keepKnown(text, text.toLowerCase());
}

/** Newer versions of Unicode give old letters capitals that compilers do not know yet. */
function keepKnown(text: string, converted: string): string {
  return isAscii(converted) || converted.search(outsideAlphabet()) === -1 ? converted : text;
}

function guardStart(name: string): string {
  const canStart = isAscii(name) ? !/^\d/.test(name) : /^\p{L}/u.test(name);
  return canStart ? name : `_${name}`;
}

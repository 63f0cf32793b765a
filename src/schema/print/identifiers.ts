import type { JsonValue } from "../../core/json.js";
import { escapeUnits } from "../../core/printable.js";

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

/** Characters that an editor hides or shows elsewhere, and lone surrogates. Joiners stay in words and emoji. */
const UNSEEN =
  /(?![\t\n])(?!(?<=[^\p{ASCII}\p{C}\p{Z}])(?:\u200c|\u200d|\ufe0f))[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

/** The parts of a text that need a closer look: most have none, and the patterns for them are slow. */
const BEYOND_ASCII = /[^\t\n -~]+/g;

/** Escapes invisible characters in code, and letters newer than the alphabet, whose quotes a formatter would remove. */
export function escapeCode(code: string): string {
  return code.replace(BEYOND_ASCII, (part) =>
    part
      .replace(UNSEEN, escapeUnits)
      .replace(outsideAlphabet(), (other) => (/\p{ID_Continue}/u.test(other) ? escapeUnits(other) : other)),
  );
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
  return escaped.replace(BEYOND_ASCII, (part) => part.replace(UNSEEN, escapeUnits));
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
  const first = word.slice(0, length);
  const rest = word.slice(length);
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

// Global and imported names that a generated module uses, and names that a reader would confuse with them.
const TAKEN_GLOBALS: ReadonlySet<string> = new Set(
  (
    "Array ArrayBuffer AsyncDisposable BigInt Boolean Buffer CallOptions Date Error Exclude Extract Function Infinity Iterable " +
    "Iterator JSON Map Math NaN NonNullable Number Object Omit Partial Pick Promise Proxy Readonly ReadonlyArray Record " +
    "Reflect RegExp Required ReturnType Set String Symbol Tool ToolContent ToolDefinition ToolError ToolMembers URL WeakMap WeakSet " +
    "any bigint boolean defineTool globalThis never null number object server string symbol undefined unknown void z"
  ).split(" "),
);

/** Whether a name must not be declared in a generated module, since it is already used there. */
export function isTakenGlobal(name: string): boolean {
  return TAKEN_GLOBALS.has(name);
}

/** Returns a free name for a new type in a module and adds it to `taken`. */
export function claimName(wanted: string, fallback: string, names: Set<string>): string {
  const base = wanted === "" ? "Schema" : wanted;
  const isFree = (name: string): boolean => !names.has(name) && !isTakenGlobal(name) && !isReservedWord(name);
  const candidates = [base, `${base}${fallback}`];
  let name = candidates.find(isFree);
  for (let count = 2; name === undefined; count += 1) {
    if (isFree(`${base}${fallback}${count}`)) name = `${base}${fallback}${count}`;
  }
  names.add(name);
  return name;
}

/**
 * The characters beyond ASCII of names in generated code: `ID_Continue` of Unicode 15.1, the latest that TypeScript 5.9 knows, but
 * those without a shape. Pairs in base 36: the distance to the next range, and its length.
 */
const RANGES =
  "4q 1 a 1 1 1 2 1 5 n 1 v 1 cq 4 c e 5 7 1 1 1 h 27 1 11 1 2 2 4 1 1 6 5 1 1 1 k 1 2b 1 3v 1 5 2 4m 1 12 2 " +
  "1 6 15 8 19 1 1 1 2 1 2 1 1 8 r 4 4 t b 5 22 4 2u 1 8 2 a 1 j 2 1 g 1n 2 2t e 1i 4 1 2 1 2 1a i s 4 b 5 o " +
  "1 6 9 22 1 3l 2 a 1 j 1 8 2 2 2 m 1 7 1 1 3 4 2 9 2 2 2 4 8 1 4 2 1 5 2 c a 1 1 1 2 3 1 6 4 2 2 m 1 7 1 2 " +
  "1 2 1 2 2 1 1 5 4 2 2 3 3 1 7 4 1 1 7 g b 3 1 9 1 3 1 m 1 7 1 2 1 5 2 a 1 3 1 3 2 1 f 4 2 a 9 7 1 3 1 8 2 " +
  "2 2 m 1 7 1 2 1 5 2 9 2 2 2 3 7 3 4 2 1 5 2 a 1 1 g 2 1 6 3 3 1 4 3 2 1 1 1 2 3 2 3 3 3 c 4 5 3 3 1 4 2 1 " +
  "6 1 e a g d 1 3 1 n 1 g 2 9 1 3 1 4 7 2 1 3 2 1 2 4 2 a g 4 1 8 1 3 1 n 1 a 1 5 2 9 1 3 1 4 7 2 6 2 1 4 2 " +
  "a 1 3 c d 1 3 1 1f 1 3 1 5 5 4 7 5 2 a a 6 1 3 1 i 3 o 1 9 1 1 2 7 3 1 4 6 1 1 1 8 6 a 2 2 d 1m 5 f 1 a " +
  "13 2 1 1 1 5 1 o 1 1 1 n 2 5 1 1 1 7 1 a 2 4 w 1 n 2 6 a b 1 1 1 1 1 4 a 1 10 4 k 1 i 1 10 9 1 1l 22 6 26 " +
  "2 12 1 1 5 1 2 17 1 2r 2 6g 1 4 2 7 1 1 1 4 2 15 1 4 2 x 1 4 2 7 1 1 1 4 2 f 1 1l 1 4 2 1v 2 3 9 9 e g g " +
  "2e 2 6 3 h8 2 h 1 q 5 23 3 b 7 m 9 m b k c d 1 3 1 2 c 1g 2 u 3 1 4 2 2 a 12 a 6 2h 7 17 5 1y a v 1 c 4 c " +
  "a 14 2 5 b 18 4 q 6 b 11 s 4 1r 1 t 2 b 6 a d 1 8 e 1 g 1d 25 3 a h 9 c 38 c 1k 8 a 3 1d 2 9 7 17 2 3 g 3 " +
  "1 13 5 eu 2 6 2 12 2 6 2 8 1 1 1 1 1 1 1 v 2 1h 1 7 1 1 3 3 1 7 3 4 2 6 4 d 5 3 1 7 1u 2 j 1 s 1 d 1 g d " +
  "1f d 4 1 3 c h 1 4 1 2 a 1 1 2 6 6 1 1 1 1 1 1 g 2 4 5 5 4 1 h 15 22f 6d 6 9 c 12 1 1 5 1 2 1k 7 1 f o 9 " +
  "7 1 7 1 7 1 7 1 7 1 7 1 7 1 7 1 w ed 3 p f 1 5 2 5 4 2e 2 7 1 2i 1 4 5 17 1 1f 1 16 h w 1c g e8 534 1s " +
  "h3h 1v 1a 2 7h 3 s k 1c 4 a 1 37 11 9 2 2v 2 1s 5 2 1 1 1 5 o 1i 4 1 j 1g c 1y a a 6 o 3 1 1 1d 2 10 c t " +
  "3 1t e b 6 v 1 1j 9 e 2 a 6 n 3 21 o 3 2 g 2 5 a 6 2 6 2 6 9 7 1 7 1 17 1 e 6 3f 1 2 2 a 6 8mc c n 4 1d " +
  "6is a6 2 2y 12 7 c 5 5 c 1 d 1 5 1 1 1 2 1 2 1 30 x a3 i 1s 2 1i 14 c 10 g 3 2 o 3 w 5 1 3r j a 7 q 4 1 1 " +
  "q a 1n 1 u 3 6 2 6 2 6 2 3 z c 1 q 1 j 1 2 1 f 2 e y 3f 1x 1h 3s 1 3m t 3 1d f 1 v w d u 5 17 5 u 2 10 4 " +
  "8 1 5 16 4e 2 a 6 10 4 10 4 14 8 1g c b 1 f 1 7 1 2 1 b 1 f 1 7 1 2 1v 8n 9 m a 8 o 6 1 16 1 9 1x 6 2 1 1 " +
  "18 1 2 3 1 2 n a n 9 v 1t j 1 2 a m a q 1y 1k 6 2 1s 4 1 2 5 8 1 3 1 t 2 3 4 1 w t 3 t z 8 1 u p 1i a m a " +
  "j d i 32 21 1j 1f d 1f d 14 8 a 92 16 1 2 3 2 23 w a 1 8 x v m 16 l r n 9 1z v g 9 1o 7 1 d p 7 a 6 1h 1 " +
  "a 4 4 8 10 2 1 9 1x 4 4 1 d 1 1 z i 1 11 6 4 1q 7 1 1 1 4 1 f 1 a 7 1n 5 a 6 4 1 8 2 2 2 m 1 7 1 2 1 5 1 " +
  "a 2 2 2 3 2 1 6 1 5 7 2 7 3 5 3v 23 5 a 4 4 u 1y 1 1 8 a 4m 1i 2 9 n 6 y 1t 3 1 b a 12 1l 7 a 1i r 2 f 4 " +
  "a 6 7 55 1n 2t 22 l 8 2 1 2 8 1 2 1 u 1 2 2 9 c a 1y 8 2 1a 2 8 1 2 r 1r 8 1 8 22 3 1 i 21 7b 9 1 19 1 9 " +
  "f a o u 2 m 1 e 21 7 1 2 1 18 3 1 1 2 1 9 8 a 6 6 1 2 1 11 1 2 1 6 7 a 8m n 9 h 1 15 3 5 d a 2e 1 27 pm " +
  "2u 33 h 5g 218 2p f ts g m 33e g7 6nt ft 7 v 1 a 6 27 1 a 6 u 2 5 b 1j 9 4 c a 9 l 5 j j4 1s 3k 23 4 1l 7 " +
  "h 1s 2 1 2 b 2 e 4qg 8 ye 16 9 6w7 4 1 7 1 2 1 83 f 1 t 3 2 1 e 4 8 b0 1s4 2z 5 d 3 9 7 a 3 2 3mp 1a 2 n " +
  "f2 5 3 6 8 8 2 7 u 4 44 3 cb 2d 1 1z 1 2 2 1 2 2 2 4 1 c 1 1 1 7 1 1t 1 4 2 8 1 7 1 s 1 4 1 5 1 1 3 7 1 " +
  "9g 2 p 1 p 1 v 1 p 1 v 1 p 1 v 1 p 1 v 1 p 1 8 2 1e e8 1j 4 1e 8 1 e 1 m 5 1 f uo v 6 6 5x 7 1 h 2 7 1 2 " +
  "1 5 5 1q x 1 34 19 3 e 2 a 4 1 8x v h 1m d2 16 km 7 1 4 1 2 1 f 1 5h b 7 15 24 4 a x2 4 1 r 1 2 1 1 2 1 1 " +
  "a 1 4 1 1 1 1 6 1 4 1 1 1 1 1 1 3 1 2 1 1 2 1 1 1 1 1 1 1 1 1 1 2 1 1 2 4 1 7 1 4 1 4 1 1 1 a 1 h 5 3 1 5 " +
  "1 h 2lw a sm wyo w 37e 6 66 2 4g2 e 5rl f ha 1wi f2 15u 3t7 5 38g";

let others: RegExp | undefined;

/** Returns the pattern of a character that no name in generated code has. Global: for `replace` and `search`. */
function outsideAlphabet(): RegExp {
  others ??= new RegExp(`[^\\w$${rangesOf(RANGES)}]`, "gu");
  return others;
}

function rangesOf(table: string): string {
  let end = 0;
  const bounds = table.split(" ").map((distance) => (end += Number.parseInt(distance, 36)));
  return bounds
    .map((bound, at) => (at % 2 === 0 ? `\\u{${bound.toString(16)}}-` : `\\u{${(bound - 1).toString(16)}}`))
    .join("");
}

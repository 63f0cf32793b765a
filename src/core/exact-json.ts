import { jsonParts } from "./json-text.js";
import { isJsonArray, isJsonObject, type JsonValue, mapEntries, tryParseJson } from "./json.js";

/** A number in a JSON text that JavaScript cannot hold. */
export interface InexactNumber {
  /** Keys and indexes from the root of the text. */
  readonly path: readonly (string | number)[];
  /** The number as it is written. */
  readonly token: string;
}

/**
 * Matches every inexact number: 15 significant digits are always exact. It also matches some exact numbers
 * and strings, which only costs time.
 */
const SUSPECT = /\d[\d.]{15}|\d[eE][+-]?\d/;
/** The same where a value may be, with the whole number or its first 400 characters. */
const SUSPECT_VALUE =
  /(?<![^:,[\s])-?\d(?:[\d.]{15}|[\d.]*[eE][+-]?\d)(?:[\d.eE+-]{400}|[\d.eE+-]{0,400}(?![^,\]}\s]))/g;

/** Whether a text has a suspect value that is not kept: identifiers in strings and `9007199254740991` are frequent. */
function hasSuspect(text: string, isKept: (token: string) => boolean): boolean {
  for (const [token] of text.matchAll(SUSPECT_VALUE)) if (token.length > 400 || !isKept(token)) return true;
  return false;
}

/**
 * Returns the numbers of a JSON text that JavaScript rounds: `12345678901234567890`,
 * `1e400`, `0.1000000000000000055`. The text must be valid JSON.
 */
export function findInexactNumbers(text: string): readonly InexactNumber[] {
  return findNumbers(text, isExact);
}

/** As {@link findInexactNumbers}, without decimals that a program wrote with more digits than they need. */
export function findLossyNumbers(text: string): readonly InexactNumber[] {
  return findInexactNumbers(text).filter(({ token }) => !isSameDouble(token));
}

function findNumbers(text: string, isKept: (token: string) => boolean): readonly InexactNumber[] {
  if (!SUSPECT.test(text) || !hasSuspect(text, isKept)) return [];
  const numbers: InexactNumber[] = [];
  for (const { isKey, path, token } of jsonParts(text))
    if (!isKey && /^[-\d]/.test(token) && !isKept(token)) numbers.push({ path: [...path], token });
  return numbers;
}

/** Begins a number, `true`, `false` and `null`. */
const SCALAR = /^[^"{[]/;

const LONGEST_INTEGER = 310;

function isExact(token: string): boolean {
  const value = Number(token);
  if (!Number.isFinite(value)) return false;
  // JavaScript prints the shortest digits: -2^63 is -9223372036854776000.
  if (isWrittenAgain(token)) return true;
  return token.length <= LONGEST_INTEGER && /^-?\d+$/.test(token) && BigInt(token) === BigInt(value);
}

/** Whether JavaScript writes the number as it was written. */
function isWrittenAgain(token: string): boolean {
  const value = Number(token);
  return Number.isFinite(value) && normalizeNumber(token) === normalizeNumber(String(value));
}

/** Whether a decimal is a JavaScript number that was written with 17 digits, such as 0.10000000000000001. */
function isSameDouble(token: string): boolean {
  const [digits = "", power = ""] = normalizeNumber(token).replace(/^-/, "").split("e");
  const value = Number(token);
  if (digits.length > 17 || Number(power) >= 0 || !Number.isFinite(value)) return false;
  return normalizeNumber(value.toPrecision(digits.length)) === normalizeNumber(token);
}

/** Returns the significant digits without outer zeros, and their power of ten. */
function normalizeNumber(token: string): string {
  const [mantissa = "", exponent = "0"] = token.toLowerCase().split("e");
  const [whole = "", fraction = ""] = mantissa.replace("-", "").split(".");
  const digits = whole + fraction;
  // By hand: /0+$/ takes quadratic time for zeros in the middle.
  let start = 0;
  let end = digits.length;
  while (digits[start] === "0") start += 1;
  while (end > start && digits[end - 1] === "0") end -= 1;
  if (start === end) return "0";
  const power = Number(exponent) - fraction.length + (digits.length - end);
  return `${mantissa.startsWith("-") ? "-" : ""}${digits.slice(start, end)}e${power}`;
}

/** The numbers of parsed texts that JavaScript writes with other digits, by the object or array that holds them. */
const writtenDigits = /* @__PURE__ */ new WeakMap<object, Map<string, string>>();
const state = { hasDigits: false };

/**
 * As `JSON.parse`, but {@link writeExactly} writes the value with the digits of the text.
 *
 * @throws SyntaxError for a text that is not JSON
 */
export function parseExactly(text: string): JsonValue {
  const value = JSON.parse(text) as JsonValue;
  keepDigits(value, findNumbers(text, isWrittenAgain));
  return value;
}

/** As {@link parseExactly}, but returns undefined for a text that is not JSON. */
export function tryParseExactly(text: string): JsonValue | undefined {
  try {
    return parseExactly(text);
  } catch {
    return undefined;
  }
}

/** Reads a text that is a JSON object or array. Other texts, and texts whose numbers JavaScript would change, stay texts. */
export function readJsonText(value: JsonValue): JsonValue {
  if (typeof value !== "string" || !/^\s*[[{]/.test(value)) return value;
  const read = tryParseJson(value);
  return read === undefined || findNumbers(value, isWrittenAgain).length > 0 ? value : read;
}

/** Remembers the digits of numbers in a value, such as a copy of a parsed one. */
function keepDigits(value: unknown, numbers: readonly RoundedNumber[]): void {
  for (const { path, token } of numbers) {
    if (token === undefined) continue;
    let holder: unknown = value;
    for (const key of path.slice(0, -1)) holder = isHolder(holder) ? holder[String(key)] : undefined;
    const key = path.at(-1);
    if (key === undefined || !isHolder(holder)) continue;
    const digits = writtenDigits.get(holder) ?? new Map<string, string>();
    writtenDigits.set(holder, digits.set(String(key), token));
    state.hasDigits = true;
  }
}

/** A number in a value that differs from the number that was written. */
export interface RoundedNumber {
  readonly path: readonly (string | number)[];
  /** The digits that were written; undefined if they are not known. */
  readonly token: string | undefined;
}

/**
 * Returns the rounded numbers of a value. Where the written digits are not known, an integer beyond 2^53 with more than 15
 * significant digits counts as rounded.
 */
export function findRounded(value: unknown): readonly RoundedNumber[] {
  return findWritten(value).filter(({ token }) => token === undefined || !isSameDouble(token));
}

/** An object or array of a value, with the way to it. */
interface Place {
  readonly holder: Holder;
  readonly key: string | number;
  readonly above: Place | undefined;
}

type Holder = { readonly [key: string]: unknown };

/** Not recursive, since values may be nested deeply. */
function findWritten(root: unknown): readonly RoundedNumber[] {
  if (!isHolder(root)) return isRounded(root) ? [{ path: [], token: undefined }] : [];
  const numbers: RoundedNumber[] = [];
  const seen = new Set<object>();
  const open: Place[] = [{ holder: root, key: "", above: undefined }];
  for (let place = open.pop(); place !== undefined; place = open.pop()) {
    if (seen.has(place.holder)) continue;
    seen.add(place.holder);
    // Reversed, since the last one is read first.
    for (const inner of readPlace(place, numbers).toReversed()) open.push(inner);
  }
  return numbers;
}

/** Adds the rounded numbers of an object or array, and returns those in it. */
function readPlace(place: Place, numbers: RoundedNumber[]): readonly Place[] {
  const { holder } = place;
  const digits = writtenDigits.get(holder);
  const inner: Place[] = [];
  try {
    for (const name of Object.keys(holder)) {
      const item = holder[name];
      const isNumber = typeof item === "number";
      if (!isNumber && !isHolder(item)) continue;
      const key = Array.isArray(holder) ? Number(name) : name;
      if (!isNumber) inner.push({ holder: item, key, above: place });
      else if (digits !== undefined || isRounded(item)) {
        const token = digits?.get(name);
        // A program may have changed the value since.
        const isKnown = token !== undefined && item === Number(token);
        if (isKnown || isRounded(item))
          numbers.push({ path: [...pathOf(place), key], token: isKnown ? token : undefined });
      }
    }
  } catch {
    // A getter of a hand-written value throws, which is reported when the value is written.
  }
  return inner;
}

function pathOf(place: Place): readonly (string | number)[] {
  const path: (string | number)[] = [];
  for (let at = place; at.above !== undefined; at = at.above) path.push(at.key);
  return path.reverse();
}

function isHolder(value: unknown): value is Holder {
  return Array.isArray(value) || isJsonObject(value);
}

/** Larger integers are written with an exponent, and are not identifiers. */
const LARGEST_WRITTEN = 1e21;
/** Integers with so few digits before their zeros are written by people, and are exact. */
const MOST_EXACT_DIGITS = 15;

/** Whether a value is a number that has probably lost digits: an integer beyond 2^53 that is not round. */
function isRounded(value: unknown): value is number {
  if (
    typeof value !== "number" ||
    Number.isSafeInteger(value) ||
    !Number.isInteger(value) ||
    Math.abs(value) >= LARGEST_WRITTEN
  )
    return false;
  return String(value).replace(/^-|0+$/g, "").length > MOST_EXACT_DIGITS;
}

/** As `JSON.stringify`, with the digits of the parsed texts that numbers come from. */
export function writeExactly(value: unknown, indent?: number): string {
  const json = JSON.stringify(value, undefined, indent);
  if (!state.hasDigits) return json;
  const digits = new Map(findWritten(value).map(({ path, token }) => [JSON.stringify(path), token]));
  if (digits.size === 0) return json;
  const pieces: string[] = [];
  let end = 0;
  for (const { path, token, at } of jsonParts(json)) {
    const written = SCALAR.test(token) ? digits.get(JSON.stringify(path)) : undefined;
    if (written === undefined) continue;
    pieces.push(json.slice(end, at), written);
    end = at + token.length;
  }
  return `${pieces.join("")}${json.slice(end)}`;
}

/** Remembers the digits of numbers for a copy of a value. Returns the copy. */
export function keepDigitsOf<T>(value: unknown, copy: T): T {
  if (state.hasDigits && copy !== value) keepDigits(copy, findWritten(value));
  return copy;
}

/** Returns a value with the written digits as texts in place of rounded numbers: no JSON writer changes them. */
export function spellNumbers<T>(value: T): T | JsonValue {
  const written = state.hasDigits ? findWritten(value) : [];
  const tokens = written.flatMap(({ path, token }) => (token === undefined ? [] : [{ path, token }]));
  // Only parsed values have digits.
  return tokens.length === 0 ? value : replaceNumbers(value as JsonValue, tokens, (token) => token);
}

/** Texts of numbers by the keys and indexes that lead to them. */
type Texts = Map<string | number, Texts | string>;

/** Returns a value with others in place of these numbers. */
export function replaceNumbers(
  value: JsonValue,
  numbers: readonly InexactNumber[],
  replace: (token: string) => JsonValue,
): JsonValue {
  const texts: Texts = new Map();
  for (const { path, token } of numbers) addText(texts, path, token);
  return replaceIn(value, texts, replace);
}

function addText(texts: Texts, path: readonly (string | number)[], token: string): void {
  let holder = texts;
  for (const key of path.slice(0, -1)) {
    const value = holder.get(key);
    const inner: Texts = typeof value === "object" ? value : new Map();
    holder.set(key, inner);
    holder = inner;
  }
  holder.set(path.at(-1) ?? "", token);
}

function replaceIn(
  value: JsonValue,
  texts: Texts | string | undefined,
  replace: (token: string) => JsonValue,
): JsonValue {
  if (texts === undefined) return value;
  // If a key is repeated, its last value counts, which may be another one.
  if (typeof texts === "string") return value === Number(texts) ? replace(texts) : value;
  if (isJsonObject(value)) return mapEntries(value, (item, key) => replaceIn(item, texts.get(key), replace));
  return isJsonArray(value) ? value.map((item, index) => replaceIn(item, texts.get(index), replace)) : value;
}

import { jsonTokens } from "../../core/json-text.js";
import { joinPointer } from "../../core/json-pointer.js";
import { isJsonObject, type JsonValue, mapEntries } from "../../core/json.js";
import { DEEPEST_LOCKABLE } from "../../core/limits.js";
import { holderOf } from "../../core/subschemas.js";

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

/** Whether a text has a suspect value that is not exact: identifiers in strings and `9007199254740991` are frequent. */
function hasSuspect(text: string): boolean {
  for (const [token] of text.matchAll(SUSPECT_VALUE)) if (token.length > 400 || !isExact(token)) return true;
  return false;
}

/**
 * Returns the numbers of a JSON text that JavaScript rounds: `12345678901234567890`,
 * `1e400`, `0.1000000000000000055`. The text must be valid JSON.
 */
export function findInexactNumbers(text: string): readonly InexactNumber[] {
  if (!SUSPECT.test(text) || !hasSuspect(text)) return [];
  const found: InexactNumber[] = [];
  const path: (string | number)[] = [];
  // For each open bracket: true before a key, false after it, undefined in an array.
  const awaitsKey: (boolean | undefined)[] = [];
  for (const { token } of jsonTokens(text)) {
    const top = awaitsKey.length - 1;
    switch (token) {
      case "{":
        awaitsKey.push(true);
        path.push("");
        break;
      case "[":
        awaitsKey.push(undefined);
        path.push(0);
        break;
      case "}":
      case "]":
        awaitsKey.pop();
        path.pop();
        break;
      case ":":
        break;
      case ",": {
        const last = path[top];
        if (typeof last === "number") path[top] = last + 1;
        else awaitsKey[top] = true;
        break;
      }
      default:
        if (token.startsWith('"')) {
          if (awaitsKey[top] === true) {
            path[top] = JSON.parse(token) as string;
            awaitsKey[top] = false;
          }
        } else if (/\d/.test(token) && !isExact(token)) {
          found.push({ path: [...path], token });
        }
    }
  }
  return found;
}

const LONGEST_INTEGER = 310;

function isExact(token: string): boolean {
  const value = Number(token);
  if (!Number.isFinite(value)) return false;
  // JavaScript prints the shortest digits: -2^63 is -9223372036854776000.
  if (normalizeNumber(token) === normalizeNumber(String(value))) return true;
  return token.length <= LONGEST_INTEGER && /^-?\d+$/.test(token) && BigInt(token) === BigInt(value);
}

/** Returns the significant digits without outer zeros, and their power of ten. */
function normalizeNumber(token: string): string {
  const [mantissa = "", exponent = "0"] = token.toLowerCase().split("e");
  const [whole = "", fraction = ""] = mantissa.replace("-", "").split(".");
  const digits = whole + fraction;
  // By hand: /0+$/ takes quadratic time for zeros in the middle.
  let [start, end] = [0, digits.length];
  while (digits[start] === "0") start += 1;
  while (end > start && digits[end - 1] === "0") end -= 1;
  if (start === end) return "0";
  const power = Number(exponent) - fraction.length + (digits.length - end);
  return `${mantissa.startsWith("-") ? "-" : ""}${digits.slice(start, end)}e${power}`;
}

interface KeptNumbers {
  readonly value: JsonValue;
  /** Why no code can be generated: an inexact number in `const` or `enum`, where it is the value of an argument. */
  readonly fault: NumberFault | undefined;
}

interface NumberFault {
  /** JSON Pointer in the definition. */
  readonly path: string;
  readonly message: string;
}

/**
 * Returns a definition with each number that JavaScript cannot hold as its text. A rounded bound, default or example would
 * be wrong without notice; as a text it is locked and compared digit by digit, and a bound is not checked.
 *
 * @param value the definition of a tool or an ability
 * @param inexact its inexact numbers, with their paths in it
 */
export function keepNumbers(value: JsonValue, inexact: readonly InexactNumber[] = []): KeptNumbers {
  // A definition that is nested deeper is refused.
  const reached = inexact.filter(({ path }) => path.length <= DEEPEST_LOCKABLE);
  const texts: Texts = new Map();
  for (const { path, token } of reached) addText(texts, path, token);
  const fault = reached.find(({ path }) => isValue(path));
  return { value: replaceNumbers(value, texts), fault: fault && describeFault(fault) };
}

/** Returns the inexact numbers of each entry of a list, by its index and with their paths in it. */
export function findInexactByEntry(
  text: string,
  list: readonly (string | number)[],
): ReadonlyMap<number, readonly InexactNumber[]> {
  const found = new Map<number, InexactNumber[]>();
  for (const { path, token } of findInexactNumbers(text)) {
    const index = path[list.length];
    if (typeof index !== "number" || !list.every((key, depth) => path[depth] === key)) continue;
    const ofEntry = found.get(index) ?? [];
    found.set(index, ofEntry);
    ofEntry.push({ path: path.slice(list.length + 1), token });
  }
  return found;
}

/** Texts of numbers by the keys and indexes that lead to them. */
type Texts = Map<string | number, Texts | string>;

function addText(texts: Texts, path: readonly (string | number)[], token: string): void {
  let holder = texts;
  for (const key of path.slice(0, -1)) {
    const known = holder.get(key);
    const inner: Texts = typeof known === "object" ? known : new Map();
    holder.set(key, inner);
    holder = inner;
  }
  holder.set(path.at(-1) ?? "", token);
}

function replaceNumbers(value: JsonValue, texts: Texts | string | undefined): JsonValue {
  if (texts === undefined) return value;
  // If a key is repeated, its last value counts, which may be another one.
  if (typeof texts === "string") return value === Number(texts) ? texts : value;
  if (isJsonObject(value)) return mapEntries(value, (item, key) => replaceNumbers(item, texts.get(key)));
  if (!Array.isArray(value)) return value;
  const items: readonly JsonValue[] = value;
  return items.map((item, index) => replaceNumbers(item, texts.get(index)));
}

const SCHEMAS: readonly unknown[] = ["inputSchema", "outputSchema", "input_schema", "output_schema"];

/** Whether the path leads into `const` or `enum` of a schema. */
function isValue([first, ...path]: readonly (string | number)[]): boolean {
  if (!SCHEMAS.includes(first)) return false;
  for (let depth = 0; depth < path.length;) {
    const keyword = path[depth];
    if (keyword === "const" || keyword === "enum") return true;
    const holder = typeof keyword === "string" ? holderOf(keyword) : undefined;
    if (holder === undefined) return false;
    // `items` may be a list.
    depth += holder === "one" && typeof path[depth + 1] !== "number" ? 1 : 2;
  }
  return false;
}

function describeFault({ path, token }: InexactNumber): NumberFault {
  const number = token.length > 40 ? `${token.slice(0, 40)}…` : token;
  return {
    path: joinPointer("", ...path),
    message: `JavaScript cannot hold the number ${number}.`,
  };
}

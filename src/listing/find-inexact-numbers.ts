import { jsonTokens } from "../contract/json-tokens.js";

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

/**
 * Returns the numbers of a JSON text that JavaScript rounds: `12345678901234567890`,
 * `1e400`, `0.1000000000000000055`. The text must be valid JSON.
 */
export function findInexactNumbers(text: string): readonly InexactNumber[] {
  if (!SUSPECT.test(text)) return [];
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

/** The most characters of an integer that JavaScript holds. */
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

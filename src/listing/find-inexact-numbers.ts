/** A number that JavaScript cannot hold, where it stands in a text of JSON, and how it was written. */
export interface InexactNumber {
  /** Keys and indexes from the root. */
  readonly path: readonly (string | number)[];
  readonly token: string;
}

/**
 * Only such a token can be inexact: 15 significant digits always survive, and a small exponent does no harm but is
 * rare. It may also match inside a string, which costs time and changes nothing.
 */
const SUSPECT = /\d[\d.]{15}|\d[eE][+-]?\d/;

/**
 * The numbers of a JSON text that do not come back from parsing as they were written: `12345678901234567890`, `1e400`,
 * `0.1000000000000000055`. The text must parse.
 */
export function findInexactNumbers(text: string): readonly InexactNumber[] {
  if (!SUSPECT.test(text)) return [];
  const found: InexactNumber[] = [];
  const path: (string | number)[] = [];
  // Per open bracket: whether it is an object that awaits a key.
  const awaitsKey: (boolean | undefined)[] = [];
  const TOKEN = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*|[{}[\],]/g;
  for (const [token] of text.matchAll(TOKEN)) {
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
        } else if (!isExact(token)) {
          found.push({ path: [...path], token });
        }
    }
  }
  return found;
}

function isExact(token: string): boolean {
  const value = Number(token);
  if (!Number.isFinite(value)) return false;
  return normalizeNumber(token) === normalizeNumber(String(value));
}

/** Digits without zeros at their ends, and the power of ten they are multiplied by. */
function normalizeNumber(token: string): string {
  const [mantissa = "", exponent = "0"] = token.toLowerCase().split("e");
  const [whole = "", fraction = ""] = mantissa.replace("-", "").split(".");
  const digits = (whole + fraction).replace(/^0+/, "");
  const significant = digits.replace(/0+$/, "");
  if (significant === "") return "0";
  const power = Number(exponent) - fraction.length + (digits.length - significant.length);
  return `${mantissa.startsWith("-") ? "-" : ""}${significant}e${power}`;
}

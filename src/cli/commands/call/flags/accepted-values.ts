import { listWords } from "../../../../core/collections.js";
import { canonicalJson, type JsonValue, tryParseJson } from "../../../../core/json.js";
import type { JsonType } from "../../../../core/schema-ir.js";
import { findInexactNumbers, type InexactNumber } from "../../../../core/exact-json.js";
import { firstOf, present } from "../../../../report/layout.js";
import { typeOfValue } from "../../../../schema/ir/node-types.js";

/** The values that a schema accepts, in enough detail to decide how to read a text. */
export interface Accepted {
  readonly types: ReadonlySet<JsonType>;
  /** The values of `enum` and `const`, by their canonical JSON; accepted in addition to `types`. */
  readonly literals: ReadonlyMap<string, JsonValue>;
  /** Whether all accepted numbers are integers. */
  readonly isWhole: boolean;
}

export const ANYTHING: Accepted = {
  types: new Set<JsonType>(["null", "boolean", "number", "string", "array", "object"]),
  literals: new Map(),
  isWhole: false,
};

export function acceptType(type: JsonType, isWhole = true): Accepted {
  return { types: new Set([type]), literals: new Map(), isWhole };
}

export function acceptLiterals(values: readonly JsonValue[]): Accepted {
  return {
    types: new Set(),
    literals: new Map(values.map((value) => [canonicalJson(value), value])),
    isWhole: true,
  };
}

export function isAccepted(value: JsonValue, { types, literals }: Accepted): boolean {
  return types.has(typeOfValue(value)) || (literals.size > 0 && literals.has(canonicalJson(value)));
}

/** Whether only booleans are accepted. */
export function isSwitch({ types, literals }: Accepted): boolean {
  const all = [...types, ...[...literals.values()].map(typeOfValue)];
  return all.length > 0 && all.every((type) => type === "boolean");
}

/** Returns what at least one of them accepts. */
export function acceptAny(all: readonly Accepted[]): Accepted {
  return {
    types: new Set(all.flatMap(({ types }) => [...types])),
    literals: new Map(all.flatMap(({ literals }) => [...literals])),
    isWhole: all.every(({ isWhole }) => isWhole),
  };
}

/** Returns what all of them accept. */
export function intersect(all: readonly Accepted[]): Accepted {
  return all.reduce(
    (a, b): Accepted => ({
      types: new Set([...a.types].filter((type) => b.types.has(type))),
      literals: new Map([
        ...[...a.literals].filter(([, value]) => isAccepted(value, b)),
        ...[...b.literals].filter(([, value]) => isAccepted(value, a)),
      ]),
      isWhole: a.isWhole || b.isWhole,
    }),
    ANYTHING,
  );
}

export type ReadText = { readonly value: JsonValue } | { readonly problem: string };

/**
 * Reads a text from the command line as a value. JSON is parsed if the schema accepts the parsed value; a quoted string
 * only if the schema also accepts other types. Any other text is a string.
 */
export function readText(text: string, accepted: Accepted): ReadText {
  if (!takesOnlyTexts(accepted)) {
    const value = parseWord(text);
    const [first] = value === undefined ? [] : findInexactNumbers(text);
    const isMeant = value !== undefined && isAccepted(value, accepted);
    if (isMeant && first === undefined) return { value };
    // A number alone keeps its digits as a string. A list or an object would become one text.
    const keepsDigits = accepted.types.has("string") && typeof value === "number";
    if (first !== undefined && (isMeant || !accepted.types.has("string")) && !keepsDigits)
      return { problem: explainLossy(first) };
  }
  if (isAccepted(text, accepted)) return { value: text };
  return { problem: `takes ${describeAccepted(accepted)}, not ${JSON.stringify(text)}` };
}

/** Says why a number of a flag is not sent. */
export function explainLossy({ token }: InexactNumber): string {
  return `cannot send ${token} without losing precision`;
}

/** Returns the shortest text that is read as this value; undefined if there is none. */
export function printText(value: JsonValue, accepted: Accepted): string | undefined {
  const json = JSON.stringify(value);
  return [...(typeof value === "string" ? [value] : []), json].find((text) => {
    const read = readText(text, accepted);
    return "value" in read && canonicalJson(read.value) === canonicalJson(value);
  });
}

/** Describes the accepted values: `an integer or "all"`. */
export function describeAccepted({ types, literals, isWhole }: Accepted): string {
  const choices = [...literals.values()].map((value) => JSON.stringify(value));
  const words = present(
    types.has("string") && "a string",
    types.has("number") && (isWhole ? "an integer" : "a number"),
    types.has("boolean") && "true or false",
    types.has("array") && "a list",
    types.has("object") && "an object as JSON",
    ...firstOf(choices, MOST_CHOICES, (rest) => `${rest} other values`),
    types.has("null") && "null",
  );
  return words.length === 0 ? "no value at all" : listWords(words, "or");
}

/** How many choices to list. */
const MOST_CHOICES = 20;

/** If only strings are accepted, a text is not parsed, and keeps its quotes. */
function takesOnlyTexts({ types, literals }: Accepted): boolean {
  const others = [...types].filter((type) => type !== "string");
  return others.length === 0 && [...literals.values()].every((value) => typeof value === "string");
}

/** A text with white space around a number or a keyword is kept as a string. */
function parseWord(text: string): JsonValue | undefined {
  return /^(?:[-\d"tfn].*[^\s]$|\d$|\s*[[{])/s.test(text) ? tryParseJson(text) : undefined;
}

import { listWords } from "../../../../core/collections.js";
import { findInexactNumbers, type InexactNumber } from "../../../../core/exact-json.js";
import { canonicalJson, type JsonValue, tryParseJson } from "../../../../core/json.js";
import type { JsonType } from "../../../../core/schema-ir.js";
import { firstOf, present } from "../../../../report/layout.js";
import type { SchemaRules } from "../../../../schema/sample/schema-part.js";
import { typeOfValue } from "../../../../schema/ir/node-types.js";

/** The values that schemas accept, in enough detail to decide how to read a text. */
export interface Accepted {
  readonly types: ReadonlySet<JsonType>;
  /** The values of `enum` and `const`, by their canonical JSON; accepted in addition to `types`. */
  readonly literals: ReadonlyMap<string, JsonValue>;
  /** Whether all accepted numbers are integers. */
  readonly isWhole: boolean;
}

const TYPES: readonly JsonType[] = ["null", "boolean", "number", "string", "array", "object"];

/** Returns what at least one of the schemas accepts: of a schema with enumerated values, only these. */
export function collectAccepted(schemas: readonly SchemaRules[]): Accepted {
  const names = new Set<string>();
  const literals = new Map<string, JsonValue>();
  for (const { types = [], lists } of schemas) {
    // A `const` is after an `enum`.
    const listed = lists.at(-1);
    if (listed !== undefined) for (const value of listed) literals.set(canonicalJson(value), value);
    else for (const name of types) names.add(name);
  }
  const types = TYPES.filter((type) => names.has(type) || (type === "number" && names.has("integer")));
  const isAny = types.length === 0 && literals.size === 0;
  return { types: new Set(isAny ? TYPES : types), literals, isWhole: !isAny && !names.has("number") };
}

export function isAccepted(value: JsonValue, { types, literals }: Accepted): boolean {
  return types.has(typeOfValue(value)) || (literals.size > 0 && literals.has(canonicalJson(value)));
}

/** Whether only booleans are accepted. */
export function isSwitch({ types, literals }: Accepted): boolean {
  return [...types, ...[...literals.values()].map(typeOfValue)].every((type) => type === "boolean");
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
  return listWords(words, "or");
}

/** How many choices to list. */
const MOST_CHOICES = 20;

/** If only strings are accepted, a text is not parsed, and keeps its quotes. */
function takesOnlyTexts({ types, literals }: Accepted): boolean {
  return [...types, ...[...literals.values()].map(typeOfValue)].every((type) => type === "string");
}

/** A text with white space around a number or a keyword is kept as a string. */
function parseWord(text: string): JsonValue | undefined {
  return /^(?:[-\d"tfn].*[^\s]$|\d$|\s*[[{])/s.test(text) ? tryParseJson(text) : undefined;
}

import { findInexactNumbers } from "../../../../core/exact-json.js";
import { canonicalJson, type JsonValue, tryParseJson } from "../../../../core/json.js";
import type { JsonType } from "../../../../core/schema-ir.js";
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

/** Whether all accepted values have one type. */
export function takesOnly(type: JsonType, { types, literals }: Accepted): boolean {
  return [...types, ...[...literals.values()].map(typeOfValue)].every((accepted) => accepted === type);
}

/**
 * Reads a text from the command line: as JSON if the schema accepts what it says, and otherwise as a string, whose rules are
 * checked later. If only strings are accepted, a text keeps its quotes.
 */
export function readText(text: string, accepted: Accepted): JsonValue {
  const value = takesOnly("string", accepted) ? undefined : parseWord(text);
  if (value === undefined || !isAccepted(value, accepted)) return text;
  // A number alone keeps its digits as a string. A list or an object would become one text.
  const keepsDigits = typeof value === "number" && accepted.types.has("string");
  return keepsDigits && findInexactNumbers(text).length > 0 ? text : value;
}

/** A text with white space around a number or a keyword is kept as a string. */
function parseWord(text: string): JsonValue | undefined {
  return /^(?:[-\d"tfn].*[^\s]$|\d$|\s*[[{])/s.test(text) ? tryParseJson(text) : undefined;
}

import type { JsonValue } from "../contract/json.js";
import type {
  ArrayNode,
  IfNode,
  JsonType,
  NotNode,
  ObjectNode,
  SchemaIR,
  TypedNode,
  UnevaluatedNode,
} from "../contract/schema-ir.js";
import { typeOfValue } from "../schema/node-types.js";

/** A JSON type, where whole numbers are one of their own. */
export type TypeName = JsonType | "integer";

export const ALL_TYPES: readonly TypeName[] = ["null", "boolean", "number", "string", "array", "object"];

/** A limit from below or above, of a number or of the size of what has one. */
export interface Limit {
  readonly value: number;
  readonly isExclusive: boolean;
  readonly at: string;
}

/** A value and where it is written. */
export interface Written<T> {
  readonly value: T;
  readonly at: string;
}

export interface Union {
  /** An `anyOf`, or a `oneOf` of which no value fits two branches. */
  readonly isInclusive: boolean;
  readonly at: string;
  readonly members: readonly SchemaIR[];
}

/** A rule that is compared as a whole. */
export interface Constraint {
  readonly at: string;
  readonly node: ObjectNode | ArrayNode | TypedNode | UnevaluatedNode | IfNode | NotNode;
}

/**
 * What a schema says of the value at its own place, however it is written: through references, `allOf`, unions with
 * null, enumerations and their types. Two schemas that say the same in different ways have equal positions, but for
 * where things are written.
 */
export interface FlatSchema {
  /** Absent when all types are allowed. */
  readonly types: ReadonlySet<TypeName> | undefined;
  readonly values: Written<readonly JsonValue[]> | undefined;
  /** Whether the values say all: no other rule may refuse one of them. */
  readonly isEnumeration: boolean;
  /** By keyword, exclusive limits under the name of the others. */
  readonly limits: ReadonlyMap<string, Limit>;
  readonly patterns: readonly Written<string>[];
  readonly divisors: readonly Written<number>[];
  readonly unique: string | undefined;
  readonly object: ObjectNode | undefined;
  readonly array: ArrayNode | undefined;
  readonly unions: readonly Union[];
  readonly constraints: readonly Constraint[];
  /** Branches of a union with a single member. */
  readonly branches: readonly SchemaIR[];
}

/** The same limit for whole numbers: more than 0 is at least 1. */
export function roundLimit(keyword: string, limit: Limit): Limit {
  const isLower = keyword === "minimum";
  const whole = isLower ? Math.ceil(limit.value) : Math.floor(limit.value);
  const step = isLower ? 1 : -1;
  const value = limit.isExclusive && whole === limit.value ? whole + step : whole;
  return { ...limit, value, isExclusive: false };
}

/** Whether a position says one thing and no other. */
export function isNothingBut(position: FlatSchema, what: "values"): boolean {
  const { limits, patterns, divisors, unions, constraints } = position;
  return (
    position[what] !== undefined &&
    [limits.size, patterns.length, divisors.length, unions.length, constraints.length].every(
      (n) => n === 0,
    ) &&
    position.object === undefined &&
    position.array === undefined
  );
}

/** Whether null alone is accepted. */
export function isOnlyNull({ types, unions, constraints }: FlatSchema): boolean {
  return types?.size === 1 && types.has("null") && unions.length === 0 && constraints.length === 0;
}

export function typeNameOf(value: JsonValue): TypeName {
  return Number.isInteger(value) ? "integer" : typeOfValue(value);
}

/** The types that both allow: a whole number is a number. */
export function intersectTypes(
  known: ReadonlySet<TypeName> | undefined,
  names: readonly TypeName[],
): ReadonlySet<TypeName> {
  if (known === undefined) return new Set(names);
  const both = new Set<TypeName>();
  for (const name of known) {
    if (names.includes(name) || (name === "integer" && names.includes("number"))) both.add(name);
    else if (name === "number" && names.includes("integer")) both.add("integer");
  }
  return both;
}

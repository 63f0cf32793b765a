import type { ChangeClass } from "../../core/change.js";
import type { Difference } from "../../core/json-pointer.js";
import type { JsonValue } from "../../core/json.js";
import type {
  ArrayNode,
  IfNode,
  JsonType,
  NotNode,
  ObjectNode,
  SchemaIR,
  TypedNode,
  UnevaluatedNode,
} from "../../core/schema-ir.js";
import { isTyped, typeOfValue } from "../../schema/ir/node-types.js";
import type { Term } from "../inclusion/term.js";
import type { SidedRuleName } from "../rules.js";
import type { ToolSide } from "../rules/named-rules.js";
import type { SchemaSide } from "./schema-side.js";

/** The effect of the surrounding schemas on a place in two schemas. */
export interface VarianceContext {
  /** Whether a wider schema here makes the whole schema wider. */
  readonly isMonotone: boolean;
  /** Whether the whole also rejects every value that is rejected here: no other branch of a union can accept it. */
  readonly isCertain: boolean;
  /** Whether the place is outside unions. A proof about a whole union may succeed where a proof about a branch fails. */
  readonly isAlone: boolean;
}

/** A change inside a schema with its class so far. */
export interface PendingChange {
  readonly name: SidedRuleName;
  /** JSON Pointer into the schema. */
  readonly at: string;
  /** JSON Pointer of the reference that changed, if the schema at `at` did not. */
  readonly via?: string | undefined;
  readonly before?: JsonValue | undefined;
  readonly after?: JsonValue | undefined;
  readonly class: ChangeClass;
  readonly reason?: string | undefined;
  /** The class if no counterexample is found. */
  readonly unwitnessed: ChangeClass;
  /** Whether a proof about a surrounding place may still show that it is safe, or drop it. */
  readonly isOpen: boolean;
}

export interface PendingChangeDetails {
  readonly before?: JsonValue | undefined;
  readonly after?: JsonValue | undefined;
  readonly class?: ChangeClass | undefined;
  readonly reason?: string | undefined;
}

/** The context of a whole schema. */
export const WHOLE: VarianceContext = { isMonotone: true, isCertain: true, isAlone: true };
/** The context below a `not` or an `if`, where a wider schema may make the whole narrower. */
export const EITHER_WAY: VarianceContext = { isMonotone: false, isCertain: false, isAlone: false };

/** Two schemas at one place, with references followed, and their flat forms. */
export interface PlacePair {
  readonly old: SchemaIR;
  readonly now: SchemaIR;
  readonly was: FlatSchema;
  readonly is: FlatSchema;
  readonly context: VarianceContext;
}

/** A comparison of two schemas, as the comparers of their parts see it. */
export interface Walk {
  readonly side: ToolSide;
  readonly old: SchemaSide;
  readonly now: SchemaSide;
  /** Whether a string must match its `format`. */
  readonly assertsFormats: boolean;
  /** Returns the changes between two schemas at the same place. */
  readonly diff: (before: SchemaIR, after: SchemaIR, context: VarianceContext) => readonly PendingChange[];
  /** Returns a change of a rule, with the class for this side and context. */
  readonly report: (
    name: SidedRuleName,
    at: string,
    details: PendingChangeDetails,
    context: VarianceContext,
  ) => readonly PendingChange[];
  /** Returns the first of some JSON Pointers at which the schemas differ; the first one if none differs. */
  readonly findChanged: (first: string, ...others: readonly string[]) => string;
  /** Whether the schemas differ at a JSON Pointer. */
  readonly isChangedAt: (at: string) => boolean;
  /**
   * Returns each JSON Pointer at which one of some keywords of a flat schema changed, with the values of the keyword: it may
   * be written in several schemas.
   */
  readonly listChangedKeywords: (place: PlacePair, ...pointers: readonly string[]) => readonly Difference[];
  /** Whether a proof shows that the change breaks no caller that followed the old schema. */
  readonly isSafe: (before: SchemaIR, after: SchemaIR) => boolean;
  /** Whether a proof shows that no value fits both terms. */
  readonly areDisjoint: (one: Term, other: Term) => boolean;
}

/** Reports a part that only the new schema has, with its JSON. */
export function reportAdded(
  walk: Walk,
  at: string,
  context: VarianceContext,
  name: SidedRuleName = "constraint-added",
): readonly PendingChange[] {
  return walk.report(name, at, { after: walk.now.read(at) }, context);
}

/** Reports a part that only the old schema had, with its JSON. */
export function reportRemoved(
  walk: Walk,
  at: string,
  context: VarianceContext,
  name: SidedRuleName = "constraint-removed",
): readonly PendingChange[] {
  return walk.report(name, at, { before: walk.old.read(at) }, context);
}

/** A JSON type, or `integer`. */
export type TypeName = JsonType | "integer";

export const ALL_TYPE_NAMES: readonly TypeName[] = ["null", "boolean", "number", "string", "array", "object"];

/** A lower or upper limit of a number, or of the size of a string, array or object. */
export interface Limit {
  readonly value: number;
  readonly isExclusive: boolean;
  readonly at: string;
}

/** A value and the JSON Pointer at which it is written. */
export interface Written<T> {
  readonly value: T;
  readonly at: string;
}

export interface Union {
  /** Whether this is an `anyOf`, or a `oneOf` whose branches are disjoint. */
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
 * All rules of a schema for a value itself, collected through references, `allOf`, unions with null and enumerations. Two
 * spellings of the same rules have equal flat schemas, except for the JSON Pointers.
 */
export interface FlatSchema {
  /** The JSON Pointers of the schemas whose rules are collected. */
  readonly sites: readonly string[];
  /** The JSON Pointers of the references to these schemas. */
  readonly references: readonly string[];
  /** Absent when all types are allowed. */
  readonly types: ReadonlySet<TypeName> | undefined;
  readonly values: Written<readonly JsonValue[]> | undefined;
  /** Whether `values` is exact: no other rule may reject one of them. */
  readonly isEnumeration: boolean;
  /** By keyword; `exclusiveMinimum` is under `minimum`, and `exclusiveMaximum` under `maximum`. */
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

/** Returns the same limit for integers: "more than 0" becomes "at least 1". */
export function roundLimit(keyword: string, limit: Limit): Limit {
  const isLower = keyword === "minimum";
  const whole = isLower ? Math.ceil(limit.value) : Math.floor(limit.value);
  const step = isLower ? 1 : -1;
  const value = limit.isExclusive && whole === limit.value ? whole + step : whole;
  return { ...limit, value, isExclusive: false };
}

/** Whether a schema consists of an enumeration, without any other rule than its types. */
export function hasOnlyValues(flat: FlatSchema): boolean {
  const { limits, patterns, divisors, unions, constraints } = flat;
  const others = limits.size + patterns.length + divisors.length + unions.length + constraints.length;
  return flat.values !== undefined && others === 0 && flat.object === undefined && flat.array === undefined;
}

/** Whether the schema accepts only null. */
export function isOnlyNull({ types, unions, constraints }: FlatSchema): boolean {
  return types?.size === 1 && types.has("null") && unions.length === 0 && constraints.length === 0;
}

export function typeNameOf(value: JsonValue): TypeName {
  return Number.isInteger(value) ? "integer" : typeOfValue(value);
}

/** Returns the types that both allow; an integer is also a number. */
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

/**
 * Returns the members of a union as one schema per type, which `type` with a list also expresses. Returns undefined if a
 * member is not limited to types, or if two members have the same type.
 */
export function typedMembersOf(
  members: readonly SchemaIR[],
  side: SchemaSide,
): readonly TypedNode[] | undefined {
  const flat = members.flatMap((member): readonly SchemaIR[] => {
    const node = unwrap(member, side);
    return node.kind === "types" ? node.members : [node];
  });
  const typed = flat.filter(isTyped);
  const kinds = new Set(typed.map(({ kind }) => kind));
  return typed.length === flat.length && kinds.size === flat.length ? typed : undefined;
}

/** Follows references, and unions and conjunctions with a single member. */
function unwrap(start: SchemaIR, side: SchemaSide): SchemaIR {
  const node = side.follow(start);
  const [only, ...others] = membersOf(node, side);
  return only === undefined || others.length > 0 ? node : unwrap(only, side);
}

function membersOf(node: SchemaIR, side: SchemaSide): readonly SchemaIR[] {
  if (node.kind === "anyOf" || node.kind === "oneOf") return node.members;
  // A member that accepts everything, such as an empty `required`, has no effect.
  return node.kind === "allOf" ? node.members.filter((part) => side.term(part).kind !== "any") : [];
}

import type { Change, ChangeClass } from "../core/change.js";
import type { OutputMode } from "../core/connection.js";
import type { JsonValue } from "../core/json.js";
import { isSameJson } from "../core/json-pointer.js";
import type { Dialect, FormatRule } from "../core/schema-ir.js";
import { DEFAULT_DIALECT } from "../schema/raw/dialect.js";
import { getRule, type RuleName, type SidedRuleName } from "./rules.js";
import type { ToolSide } from "./rules/named-rules.js";

/** Settings from the configuration for what schemas leave open. */
export interface SchemaReading {
  /** The dialect of schemas without `$schema`; 2020-12 by default. */
  readonly dialect?: Dialect | undefined;
  /** `assert`: a string must match its `format`. By default formats are annotations. */
  readonly formats?: FormatRule | undefined;
  /** How clients read answers: with `strict`, a property added to a closed output breaks callers. */
  readonly validateOutput?: OutputMode | undefined;
}

/** Two schemas, and how they are read. */
export interface WitnessPair {
  readonly accepts: JsonValue;
  readonly rejects: JsonValue;
  /** The dialect of a schema without `$schema`. */
  readonly dialect: Dialect;
  readonly formats?: FormatRule | undefined;
  /** How many changes between the schemas reject values and get no witness: those of class `dangerous`. None by default. */
  readonly quiet?: number | undefined;
}

/** Returns two schemas of a tool in the order in which an instance that breaks callers fits them: one accepts it, the other rejects it. */
export function witnessPairOf(
  before: JsonValue,
  after: JsonValue,
  side: ToolSide,
  { dialect = DEFAULT_DIALECT, formats }: SchemaReading,
): WitnessPair {
  const [accepts, rejects] = side === "input" ? [before, after] : [after, before];
  return { accepts, rejects, dialect, formats };
}

/** A change between two schemas that an instance can show. */
export interface WitnessedChange {
  /** JSON Pointer of the change in the schemas: the search starts there. */
  readonly at: string;
  /** The value that the change is about, such as one removed from an `enum`. If given, the search tries no other value. */
  readonly value?: JsonValue | undefined;
  /** The rule of the change. Without it, the search cannot separate the change from other differences of the schemas. */
  readonly rule?: SidedRuleName | undefined;
  /** The old and the new name of a renamed property. */
  readonly names?: readonly string[] | undefined;
}

/** A request for an instance that one schema accepts and another rejects. */
export interface WitnessRequest extends WitnessPair, WitnessedChange {}

/**
 * `implied`: without the changes that have a witness, the whole schema is proved to reject nothing. `exhausted`: the search
 * took too many steps. `unsearched`: earlier searches used up the steps.
 */
export type WitnessAnswer =
  | {
      readonly kind: "found";
      readonly instance: JsonValue;
      /** JSON Pointer into the instance: to the value that is rejected, or to the property that is missing or not allowed. */
      readonly rejectedAt: string;
    }
  | { readonly kind: "none" | "implied" | "exhausted" | "unsearched" };

/** A change with the class that the comparison gave it, and a request for the counterexample that confirms it. */
export interface UnconfirmedChange {
  readonly change: Change;
  /** Present if the change is `breaking` by its rule, or `unknown` because no proof was found that it is safe. */
  readonly request?: WitnessRequest | undefined;
  /** The class if no counterexample is found: `breaking` if the types of callers break anyway. */
  readonly unwitnessed?: ChangeClass | undefined;
}

interface PlaceOfChange {
  readonly server: string;
  /** Absent for the server itself. */
  readonly tool?: string | undefined;
  /** JSON Pointer. */
  readonly path: string;
}

export interface ChangeDetails {
  readonly before?: JsonValue | undefined;
  readonly after?: JsonValue | undefined;
  /** From 0 to 1, for a rule that guesses. */
  readonly confidence?: number | undefined;
  /** The class, if it differs from the rule's class. */
  readonly class?: ChangeClass | undefined;
  readonly reason?: string | undefined;
  /** The name of the list item that the path leads to. */
  readonly item?: string | undefined;
}

/** Returns a change that a rule found at a place. */
export function makeChange(name: RuleName, place: PlaceOfChange, details: ChangeDetails = {}): Change {
  const rule = getRule(name);
  const { before, after, confidence, reason, item } = details;
  // Copy only these keys: callers pass objects with more.
  const { server, tool, path } = place;
  return {
    rule: name,
    class: details.class ?? rule.class,
    security: rule.security === true,
    server,
    ...(tool !== undefined && { tool }),
    path,
    ...(item !== undefined && { item }),
    ...(before !== undefined && { before }),
    ...(after !== undefined && { after }),
    ...(confidence !== undefined && { confidence }),
    impacts: rule.impacts,
    ...(reason !== undefined && { reason }),
  };
}

/** Returns the change of a value by a rule; none if the value is the same. */
export function diffValue(
  rule: RuleName,
  place: PlaceOfChange,
  before: JsonValue | undefined,
  after: JsonValue | undefined,
  isSame: typeof isSameJson = isSameJson,
): readonly Change[] {
  return isSame(before, after) ? [] : [makeChange(rule, place, { before, after })];
}

/** Returns a change without the impact `wire`: it only breaks the types of callers. */
export function withoutWire(change: Change): Change {
  return { ...change, impacts: change.impacts.filter((impact) => impact !== "wire") };
}

/** Returns what happened to a value of which at least one version exists. */
export function fateOf(before: unknown, after: unknown): "added" | "removed" | "changed" {
  return before === undefined ? "added" : after === undefined ? "removed" : "changed";
}

import type { ChangeClass } from "../../core/change.js";
import type { JsonValue } from "../../core/json.js";
import type { SchemaIR } from "../../core/schema-ir.js";
import type { Term } from "../inclusion/term.js";
import type { Difference } from "../../core/compare-json.js";
import type { SidedRuleName } from "../rules.js";
import type { ToolSide } from "../rules/named-rules.js";
import type { FlatSchema } from "./flat-schema.js";
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

import type { Change, ChangeClass } from "../contract/change.js";
import type { JsonValue } from "../contract/json.js";
import type { Dialect, FormatRule } from "../contract/schema-ir.js";
import type { SidedRuleName } from "./sided-rules.js";

/** A request for an instance that one schema accepts and another rejects. */
export interface WitnessRequest {
  readonly accepts: JsonValue;
  readonly rejects: JsonValue;
  /** JSON Pointer of the change in the schemas: the search starts there. */
  readonly at: string;
  /** The value that the change is about, such as one removed from an `enum`. If given, the search tries no other value. */
  readonly value?: JsonValue;
  /** The rule of the change. Without it, the search cannot separate the change from other differences of the schemas. */
  readonly rule?: SidedRuleName;
  /** The old and the new name of a renamed property. */
  readonly names?: readonly string[];
  /** The dialect of a schema without `$schema`. */
  readonly dialect: Dialect;
  readonly formats?: FormatRule | undefined;
}

/** `exhausted`: the search took too many steps. `unsearched`: earlier searches used up the steps. */
export type WitnessAnswer =
  | { readonly kind: "found"; readonly instance: JsonValue }
  | { readonly kind: "none" | "exhausted" | "unsearched" };

/** A change with the class that the comparison gave it, and a request for the counterexample that confirms it. */
export interface Finding {
  readonly change: Change;
  /** Present if the change is `breaking` by its rule, or `unknown` because no proof was found that it is safe. */
  readonly request?: WitnessRequest;
  /** The class if no counterexample is found: `breaking` if the types of callers break anyway. */
  readonly unwitnessed?: ChangeClass;
}

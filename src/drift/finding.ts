import type { Change, ChangeClass } from "../contract/change.js";
import type { JsonValue } from "../contract/json.js";
import type { Dialect, FormatRule } from "../contract/schema-ir.js";
import type { SidedRuleName } from "./sided-rules.js";

/** Asks for an instance that one schema accepts and another rejects. */
export interface WitnessRequest {
  readonly accepts: JsonValue;
  readonly rejects: JsonValue;
  /** JSON Pointer into the schemas: where the change is, and so where to look first. */
  readonly at: string;
  /** The value at that place which the change is about, such as one that an `enum` has lost. No other is tried then. */
  readonly value?: JsonValue;
  /** The rule of the change. Without it, the change cannot be told apart from other differences between the schemas. */
  readonly rule?: SidedRuleName;
  /** The property that has another name: the old name and the new one. */
  readonly names?: readonly string[];
  /** Of a schema that declares none. */
  readonly dialect: Dialect;
  readonly formats?: FormatRule | undefined;
}

/** `exhausted` where the search took too many steps, `unsearched` where those before it had left none. */
export type WitnessAnswer =
  | { readonly kind: "found"; readonly instance: JsonValue }
  | { readonly kind: "none" | "exhausted" | "unsearched" };

/** A change as the walk over two definitions has judged it, and what would show it to be breaking on the wire. */
export interface Finding {
  readonly change: Change;
  /** Present when the change is `breaking` by its rule, or `unknown` for want of a proof that it is safe. */
  readonly request?: WitnessRequest;
  /** The class when no counterexample is found: `breaking` where callers' types break all the same. */
  readonly unwitnessed?: ChangeClass;
}

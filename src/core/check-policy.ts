import type { ChangeClass } from "./change.js";

export type FailOn = "any" | "dangerous" | "breaking" | "never";

/** The impacts that count for a team: on calls, on code that compiles, on the choices of models, or all of them. */
export type Preset = "wire" | "types" | "model" | "strict";

/** A class that a team may give to a rule. `unknown` cannot be chosen. */
export type RuleClass = Exclude<ChangeClass, "unknown">;

/** What makes a change fail a check. */
export interface CheckPolicy {
  /** The mildest class that fails. */
  readonly failOn: FailOn;
  /** Which impacts count. */
  readonly preset: Preset;
  /** Classes by rule, in place of the rule's own. */
  readonly rules: { readonly [rule: string]: RuleClass };
}

import type { ChangeClass, Impact } from "../contract/change.js";

export type Side = "input" | "output";
export const SIDES: readonly Side[] = ["input", "output"];

/** A rule of schemas: a call is contravariant in its input and covariant in its output, so the sides judge apart. */
export interface SidedRule {
  readonly input: ChangeClass;
  readonly output: ChangeClass;
  readonly impacts: readonly Impact[];
  /**
   * Whether the class is that of the change alone. A proof about the schemas around the change may then find it safe, or
   * find no change at all.
   */
  readonly isProved?: true;
  /** The one side that has the rule, where it means nothing on the other. */
  readonly only?: Side;
  /**
   * The class for a client that reads outputs strictly, where it is another one: the change adds keys to a closed output,
   * which the default client keeps.
   */
  readonly underStrict?: ChangeClass;
  /** Whether callers' types change with it, whatever is accepted: no proof makes it no change. */
  readonly isOfTypes?: true;
  /** What happened, where `{side}` stands for the side. */
  readonly says: string;
  readonly why: Readonly<Record<Side, string>>;
}

export const WIRE_AND_TYPES = ["wire", "types"] as const satisfies readonly Impact[];

/** What clients do with a key that a closed output did not have. */
export const KEPT_UNLESS_STRICT =
  'generated clients keep and report it by default; clients with `validateOutput: "strict"` and other strict validators reject the answer';

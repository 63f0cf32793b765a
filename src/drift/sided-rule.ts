import type { ChangeClass, Impact } from "../contract/change.js";

export type Side = "input" | "output";
export const SIDES: readonly Side[] = ["input", "output"];

/** A rule of schemas with a class for each side: calls are contravariant in their input and covariant in their output. */
export interface SidedRule {
  readonly input: ChangeClass;
  readonly output: ChangeClass;
  readonly impacts: readonly Impact[];
  /**
   * Present if the class is only that of the change alone. A proof about the surrounding schemas may then show that the
   * change is safe, or that the schemas are equivalent.
   */
  readonly isProved?: true;
  /** The only side that has the rule, if it has no meaning on the other side. */
  readonly only?: Side;
  /**
   * The class for a client that reads outputs strictly, if it differs: the change adds properties to a closed output, and
   * the default client keeps them.
   */
  readonly underStrict?: ChangeClass;
  /** Present if the types of callers change even if the schemas accept the same values. */
  readonly isOfTypes?: true;
  /** What happened, with `{side}` for the side. */
  readonly says: string;
  readonly why: Readonly<Record<Side, string>>;
}

export const WIRE_AND_TYPES = ["wire", "types"] as const satisfies readonly Impact[];

/** The schema accepts fewer values: callers must pass less, and get nothing new. */
export const NARROWED = { input: "breaking", output: "safe", impacts: ["wire"], isProved: true } as const;
/** The schema accepts more values: callers may pass what they passed, and may get what they do not expect. */
export const WIDENED = { input: "safe", output: "breaking", impacts: ["wire"], isProved: true } as const;

/** What clients do with a property that a closed output did not declare. */
export const KEPT_UNLESS_STRICT =
  'generated clients keep and report it by default; clients with `validateOutput: "strict"` and other strict validators reject the answer';

import type { ChangeClass, Impact } from "../../core/change.js";

/** A kind of change. */
export interface Rule {
  readonly class: ChangeClass;
  /** Present if the change affects trust: approval, injection or identity. */
  readonly security?: true;
  /** A change without an impact is reported but does not count as drift. */
  readonly impacts: readonly Impact[];
  /** What happened, as a sentence without a full stop. */
  readonly says: string;
  /** The reason for the class. */
  readonly why: string;
}

/** Returns a rule that does not affect trust. */
export function rule(level: ChangeClass, impacts: readonly Impact[], says: string, why: string): Rule {
  return { class: level, impacts, says, why };
}

/** Returns a rule for changes that affect trust: approval, injection or identity. */
export function securityRule(
  level: ChangeClass,
  impacts: readonly Impact[],
  says: string,
  why: string,
): Rule {
  return { class: level, security: true, impacts, says, why };
}

export type ToolSide = "input" | "output";
export const SIDES: readonly ToolSide[] = ["input", "output"];

/** The class of a change of a schema on each side: calls are contravariant in their input and covariant in their output. */
export interface SidedEffect {
  readonly input: ChangeClass;
  readonly output: ChangeClass;
  readonly impacts: readonly Impact[];
  /**
   * Present if the class is only that of the change alone. A proof about the surrounding schemas may then show that the
   * change is safe, or that the schemas are equivalent.
   */
  readonly isProved?: true;
  /** The only side that has the rule, if it has no meaning on the other side. */
  readonly only?: ToolSide;
  /**
   * The class for a client that reads outputs strictly, if it differs: the change adds properties to a closed output, and
   * the default client keeps them.
   */
  readonly underStrict?: ChangeClass;
  /** Present if the types of callers change even if the schemas accept the same values. */
  readonly isOfTypes?: true;
}

/** A rule of schemas. */
export interface SidedRule extends SidedEffect {
  /** What happened, with `{side}` for the side. */
  readonly says: string;
  readonly why: Readonly<Record<ToolSide, string>>;
}

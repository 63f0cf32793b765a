import type { ChangeClass, Impact } from "../contract/change.js";
import { ALL_RULES, type Rule } from "../drift/rules.js";
import { SIDES } from "../drift/sided-rules.js";

/** A rule of drift as the table has it. */
export interface ListedRule {
  readonly rule: string;
  readonly class: ChangeClass;
  readonly security: boolean;
  readonly impacts: readonly Impact[];
  /** What happened, without a full stop. */
  readonly says: string;
  /** Why it is classed as it is. */
  readonly why: string;
}

/** A rule with what stands beside it. */
export interface ExplainedRule extends ListedRule {
  /** The same change on the other side of a call, which often judges the other way round. */
  readonly otherSide?: ListedRule;
}

/** Every rule, in the order of the table. */
export function listRules(): readonly ListedRule[] {
  return [...ALL_RULES].map(([name, rule]) => listRule(name, rule));
}

/** All that is known of a rule; undefined when there is none of this name. */
export function explainRule(name: string): ExplainedRule | undefined {
  const rule = ALL_RULES.get(name);
  if (rule === undefined) return undefined;
  const other = otherSideOf(name);
  const otherRule = other === undefined ? undefined : ALL_RULES.get(other);
  return {
    ...listRule(name, rule),
    ...(other !== undefined && otherRule !== undefined && { otherSide: listRule(other, otherRule) }),
  };
}

function listRule(name: string, { class: kind, security, impacts, says, why }: Rule): ListedRule {
  return { rule: name, class: kind, security: security === true, impacts, says, why };
}

function otherSideOf(name: string): string | undefined {
  const side = SIDES.find((one) => name.startsWith(`${one}-`));
  const other = SIDES.find((one) => one !== side);
  return side === undefined || other === undefined ? undefined : name.replace(side, other);
}

import type { Change, ChangeClass, Impact } from "../contract/change.js";
import type { JsonValue } from "../contract/json.js";
import { ALL_RULES, type Rule } from "../drift/rules.js";
import { SIDES } from "../drift/sided-rules.js";
import { UNVERIFIED_RULES } from "../drift/unverified-rules.js";

/** A rule of drift as the table has it. */
export interface ListedRule {
  readonly rule: string;
  /** `unverified`: what it finds is no change, and means that nothing is known (exit code 3). */
  readonly class: ChangeClass | "unverified";
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
  /** The name of the rule that finds the way back. */
  readonly mirror?: string;
  readonly example?: RuleExample;
}

/** Two values between which a rule finds a change, and what it finds: judged as `check` judges. */
export interface RuleExample {
  /** What the values are: definitions of tools, of a WordPress ability, or the schema of a property named `value`. */
  readonly of: "tools" | "ability" | "property";
  readonly before: JsonValue;
  readonly after: JsonValue;
  readonly change: Change;
}

/** Every rule, in the order of the table. */
export function listRules(): readonly ListedRule[] {
  return [
    ...[...ALL_RULES].map(([name, rule]) => listRule(name, rule)),
    ...Object.entries(UNVERIFIED_RULES).map(([name, rule]) => listUnverified(name, rule)),
  ];
}

/** All that is known of a rule; undefined when there is none of this name. */
export function explainRule(name: string): ExplainedRule | undefined {
  const rule = ALL_RULES.get(name);
  if (rule === undefined) return listRules().find((one) => one.rule === name);
  const other = otherSideOf(name);
  const otherRule = other === undefined ? undefined : ALL_RULES.get(other);
  return {
    ...listRule(name, rule),
    ...(other !== undefined && otherRule !== undefined && { otherSide: listRule(other, otherRule) }),
  };
}

function listUnverified(name: string, { says, why }: Pick<Rule, "says" | "why">): ListedRule {
  return { rule: name, class: "unverified", security: false, impacts: [], says, why };
}

function listRule(name: string, { class: kind, security, impacts, says, why }: Rule): ListedRule {
  return { rule: name, class: kind, security: security === true, impacts, says, why };
}

function otherSideOf(name: string): string | undefined {
  const side = SIDES.find((one) => name.startsWith(`${one}-`));
  const other = SIDES.find((one) => one !== side);
  return side === undefined || other === undefined ? undefined : name.replace(side, other);
}

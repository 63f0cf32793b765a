import type { Change, ChangeClass, Impact } from "../contract/change.js";
import type { JsonValue } from "../contract/json.js";
import { ALL_RULES, type Rule } from "../drift/rules.js";
import { SIDES } from "../drift/sided-rule.js";
import { UNVERIFIED_RULES } from "../drift/server-rules.js";

/** A rule of drift as listed in the table. */
export interface ListedRule {
  readonly rule: string;
  /** `unverified`: not a change; the tool could not be verified (exit code 3). */
  readonly class: ChangeClass | "unverified";
  readonly security: boolean;
  readonly impacts: readonly Impact[];
  /** What happened, without a full stop. */
  readonly says: string;
  /** The reason for its class. */
  readonly why: string;
}

/** A rule with related rules and an example. */
export interface ExplainedRule extends ListedRule {
  /** The rule for the same change in the other schema (input or output), which often has another class. */
  readonly otherSide?: ListedRule;
  /** The rule for the reverse change. */
  readonly mirror?: string;
  readonly example?: RuleExample;
}

/** Two values, the change that the rule finds between them, and its class as `check` gives it. */
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

/** Returns a rule with its related rules; undefined for an unknown name. */
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

import type { Change, ChangeClass } from "../core/change.js";
import { APP_RULES, ENTRY_RULES, POISON_RULES, SERVER_RULES, TOOL_RULES } from "./rules/named-rules.js";
import { SCHEMA_RULES } from "./rules/schema-rules.js";
import { type Rule, type ToolSide, type SidedRule, SIDES } from "./rules/rule.js";

const RULES = { ...TOOL_RULES, ...APP_RULES, ...ENTRY_RULES, ...SERVER_RULES, ...POISON_RULES };

export type SidedRuleName = keyof typeof SCHEMA_RULES;

/** The rules of schemas, by name without the side. */
export const SIDED_RULES: Readonly<Record<SidedRuleName, SidedRule>> = SCHEMA_RULES;

/** The rules that only one side has. */
export type OneSidedRuleName = "property-added-to-closed";

export type RuleName =
  | keyof typeof RULES
  | `${ToolSide}-${Exclude<SidedRuleName, OneSidedRuleName>}`
  | `output-${OneSidedRuleName}`;

export const ALL_RULES: ReadonlyMap<string, Rule> = new Map<string, Rule>([
  ...Object.entries(RULES),
  ...SIDES.flatMap((side) =>
    Object.entries(SIDED_RULES).flatMap(([name, rule]): readonly [string, Rule][] => {
      if (rule.only !== undefined && rule.only !== side) return [];
      const { impacts } = rule;
      const says = rule.says.replace("{side}", side);
      return [[`${side}-${name}`, { class: rule[side], impacts, says, why: rule.why[side] }]];
    }),
  ),
]);

/** Returns the rule with a name; undefined for a rule of a later version. */
export function findRule(name: string): Rule | undefined {
  return ALL_RULES.get(name);
}

/**
 * Returns the rule with a name.
 *
 * @throws RangeError if there is no such rule
 */
export function getRule(name: RuleName): Rule {
  const rule = ALL_RULES.get(name);
  if (rule === undefined) throw new RangeError(`There is no rule "${name}".`);
  return rule;
}

/**
 * Returns one sentence for people: what happened, and the reason for its class. `foundClass` is the class before the
 * configuration changed it. The sentence contains no text from a server.
 */
export function explain(change: Change & { readonly foundClass?: ChangeClass }): string {
  const rule = findRule(change.rule);
  if (rule === undefined) return `A change of rule "${change.rule}", which this version does not know.`;
  const why = whyOf(change, rule);
  return why === undefined ? `${rule.says}.` : `${rule.says}: ${why}.`;
}

/** Undefined if the change has its own reason. */
function whyOf(change: Change & { readonly foundClass?: ChangeClass }, rule: Rule): string | undefined {
  if (change.foundClass !== undefined) return `the configuration sets its class to "${change.class}"`;
  if (change.class === rule.class) return rule.why;
  if (change.reason !== undefined) return undefined;
  const isOutput = change.rule.startsWith("output-");
  switch (change.class) {
    case "safe":
      return isOutput
        ? "the schema as a whole allows no answer that it did not allow before"
        : "the schema as a whole accepts every value that it accepted before";
    case "breaking":
      return isOutput
        ? "an answer that was not allowed is now possible"
        : "a value that was accepted is now rejected";
    case "dangerous":
    case "unknown":
      return undefined;
    default:
      return change.class satisfies never;
  }
}

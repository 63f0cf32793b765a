import { LIMIT_RULES } from "./limit-rules.js";
import { SHAPE_RULES } from "./shape-rules.js";
import type { Side, SidedRule } from "./sided-rule.js";

export { SIDES, type Side, type SidedRule } from "./sided-rule.js";

const TABLE = { ...SHAPE_RULES, ...LIMIT_RULES };

export type SidedRuleName = keyof typeof TABLE;

/** The rules of schemas, by name without the side. */
export const SIDED_RULES: Readonly<Record<SidedRuleName, SidedRule>> = TABLE;

/** The rules that only one side has. */
export type OneSidedRuleName = {
  [K in SidedRuleName]: (typeof TABLE)[K] extends { only: Side } ? K : never;
}[SidedRuleName];

import type { BudgetExcess } from "../pipeline/reports.js";
import { formatNumber } from "./count.js";
import { printable } from "../contract/printable.js";

/** One line with the cost of a server's tools, the budget, and the tools that cost most. */
export function describeExcess({ of, tokens, budget, isEstimate, largest }: BudgetExcess): string {
  const whose = of === "lock" ? "The locked tools" : "The server's current tools";
  const most = largest.map((one) => `${printable(one.tool, 80)} ${formatNumber(one.tokens)}`).join(", ");
  return (
    `${whose} cost ${isEstimate ? "about " : ""}${formatNumber(tokens)} tokens, and check.tokenBudget is ${formatNumber(budget)}. ` +
    `Largest: ${most}. Exclude tools with tools.exclude, or raise the budget.`
  );
}

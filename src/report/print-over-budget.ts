import type { BudgetExcess } from "../pipeline/reports.js";
import { formatNumber } from "./count.js";
import { placeOf } from "./group-changes.js";
import type { Paint } from "./paint.js";
import { printable } from "../contract/printable.js";

/** Prints the servers whose tools exceed their token budget. */
export function printOverBudget(overBudget: readonly BudgetExcess[], paint: Paint): readonly string[] {
  return [
    paint.bold("Over budget:"),
    ...overBudget.flatMap((excess) => [
      paint.red(`  ${printable(placeOf(excess), 160)}`),
      `    ${describeExcess(excess)}`,
    ]),
  ];
}

/** Returns one line with the cost of a server's tools, the budget, and the most expensive tools. */
export function describeExcess({ of, tokens, budget, isEstimate, largest }: BudgetExcess): string {
  const whose = of === "lock" ? "The locked tools" : "The server's current tools";
  const most = largest.map((one) => `${printable(one.tool, 80)} ${formatNumber(one.tokens)}`).join(", ");
  return (
    `${whose} cost ${isEstimate ? "about " : ""}${formatNumber(tokens)} tokens, and check.tokenBudget is ${formatNumber(budget)}. ` +
    `Largest: ${most}. Exclude tools with tools.exclude, or raise the budget.`
  );
}

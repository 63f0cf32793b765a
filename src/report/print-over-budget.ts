import type { BudgetExcess } from "../pipeline/reports.js";
import { describeExcess } from "./describe-excess.js";
import { placeOf } from "./group-changes.js";
import type { Paint } from "./paint.js";
import { printable } from "../contract/printable.js";

/** Servers whose tools cost more than they may. */
export function printOverBudget(overBudget: readonly BudgetExcess[], paint: Paint): readonly string[] {
  return [
    paint.bold("Over budget:"),
    ...overBudget.flatMap((excess) => [
      paint.red(`  ${printable(placeOf(excess), 160)}`),
      `    ${describeExcess(excess)}`,
    ]),
  ];
}

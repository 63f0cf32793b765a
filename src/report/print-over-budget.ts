import type { BudgetExcess } from "../pipeline/reports.js";
import { describeExcess } from "./describe-excess.js";
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

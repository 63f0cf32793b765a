import type { JsonValue } from "../../src/core/json.js";
import { printZodModule } from "../../src/schema/print/print-modules.js";
import type { BenchTool } from "./bench-tools.js";

/** The minimum number of schemas per second of processor time. */
const GOAL = 5_000;

/** Measures how many schemas the warm printer prints per second of processor time, unformatted. */
export function measurePrinter(tools: readonly BenchTool[]): string {
  const schemas = tools.flatMap(({ inputSchema, outputSchema }) =>
    [inputSchema, outputSchema].filter((schema) => schema !== undefined),
  ) as readonly JsonValue[];
  const printAll = (): number => {
    const before = process.cpuUsage();
    for (const schema of schemas) printZodModule(schema, { name: "Printed" });
    const { user, system } = process.cpuUsage(before);
    return Math.round(schemas.length / ((user + system) / 1_000_000));
  };
  printAll();
  // The best of several rounds, since other work also evicts the processor's caches.
  const rate = Math.max(...Array.from({ length: 4 }, printAll));
  const goal = `${rate >= GOAL ? "meets" : "MISSES"} ≥ ${GOAL.toLocaleString("en")} a second`;
  return `${schemas.length.toLocaleString("en")} schemas printed as Zod, ${rate.toLocaleString("en")} a second of one core, ${goal}`;
}

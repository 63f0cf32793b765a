import { McpCodegenError } from "../contract/errors.js";
import { readPattern } from "./pattern.js";

/** The most steps for all patterns of one schema: about a second. A real schema takes less than 80,000. */
const MAX_STEPS = 5_000_000;

/** Counts the steps to analyse the patterns of one schema. */
export class PatternBudget {
  readonly #seen = new Set<string>();
  #steps = 0;

  /** @throws McpCodegenError `SCHEMA_INVALID` beyond the limit */
  count(pattern: string): void {
    if (this.#seen.has(pattern)) return;
    this.#seen.add(pattern);
    this.#steps += readPattern(pattern).steps;
    if (this.#steps <= MAX_STEPS) return;
    const message = `The patterns of the schema take more than ${MAX_STEPS} steps to analyse.`;
    throw new McpCodegenError("SCHEMA_INVALID", message);
  }
}

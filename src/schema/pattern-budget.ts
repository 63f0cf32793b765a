import { McpCodegenError } from "../contract/errors.js";
import { readPattern } from "./pattern.js";

/** The steps for all patterns of one schema: about a second. A real schema takes less than 80,000. */
const MOST_STEPS = 5_000_000;

/** Counts the steps that the patterns of one schema take to judge. */
export class PatternBudget {
  readonly #seen = new Set<string>();
  #steps = 0;

  /** @throws McpCodegenError `SCHEMA_INVALID` past the limit */
  count(pattern: string): void {
    if (this.#seen.has(pattern)) return;
    this.#seen.add(pattern);
    this.#steps += readPattern(pattern).steps;
    if (this.#steps <= MOST_STEPS) return;
    const message = `The patterns of the schema take more than ${MOST_STEPS} steps to judge.`;
    throw new McpCodegenError("SCHEMA_INVALID", message);
  }
}

import { backtrackingDegree, isCatastrophic } from "./backtracking.js";
import { PatternSteps } from "./pattern-automaton.js";
import { flagsOf } from "./pattern-tree.js";

/**
 * The flags of a pattern as a `RegExp` and the degree of the polynomial that bounds its steps, or the reason why it is not
 * executed.
 */
type PatternReading = (
  | { readonly flags: "u" | ""; readonly degree: number }
  | { readonly problem: string }
) & {
  /** The steps of the analysis. */
  readonly steps: number;
};

/**
 * Analyses a pattern. Returns the flags with which JavaScript compiles it, `u` if possible as JSON Schema requires, or the
 * reason why it cannot be used. Compiles the pattern but never executes it, since it may be hostile.
 */
export function readPattern(pattern: string): PatternReading {
  const known = READ.get(pattern);
  if (known !== undefined) return known;
  const reading = analyse(pattern);
  if (READ.size < MAX_KNOWN) READ.set(pattern, reading);
  return reading;
}

/** Whether values are checked against a pattern. */
export function isChecked(pattern: string): boolean {
  return "flags" in readPattern(pattern);
}

/** Returns the compiled pattern; undefined for a pattern that is not executed. */
export function compilePattern(pattern: string): RegExp | undefined {
  const reading = readPattern(pattern);
  return "flags" in reading ? new RegExp(pattern, reading.flags) : undefined;
}

// A cache, since many tools share the same few patterns.
const READ = new Map<string, PatternReading>();
const MAX_KNOWN = 1000;
/** Common patterns such as `\\S+@\\S+` take quadratic time: a tenth of a second for 10,000 characters. */
const MAX_DEGREE = 2;

function analyse(pattern: string): PatternReading {
  const flags = flagsOf(pattern);
  if (flags === undefined) return { problem: "is not a valid JavaScript regular expression", steps: 0 };
  const steps = new PatternSteps();
  const isExponential = isCatastrophic(pattern, flags, steps);
  const degree = isExponential ? Infinity : backtrackingDegree(pattern, flags, steps);
  if (degree <= MAX_DEGREE) return { flags, degree, steps: Math.min(steps.count, PatternSteps.most) };
  return { problem: problemOf(isExponential, steps), steps: Math.min(steps.count, PatternSteps.most) };
}

function problemOf(isExponential: boolean, steps: PatternSteps): string {
  if (steps.areTooMany) return `takes more than ${PatternSteps.most} steps to analyse`;
  return isExponential
    ? "may take time that doubles with every character of a text"
    : "may take time that grows with the third power of a text's length";
}

import { backtrackingDegree } from "./backtracking-degree.js";
import { isCatastrophic } from "./is-catastrophic.js";
import { PatternSteps } from "./pattern-automaton.js";

/**
 * How a pattern is written as a `RegExp`, with the power of a text's length that its steps grow with at most; or why it is
 * not.
 */
export type PatternReading = (
  { readonly flags: "u" | ""; readonly degree: number } | { readonly problem: string }
) & {
  /** What it took to judge the pattern. */
  readonly steps: number;
};

/**
 * Reads a pattern: the flags with which JavaScript compiles it, the one that JSON Schema asks for where the pattern
 * allows it; or why it cannot be used. It is compiled here and never run: it may be hostile.
 */
export function readPattern(pattern: string): PatternReading {
  const known = READ.get(pattern);
  if (known !== undefined) return known;
  const reading = judge(pattern);
  if (READ.size < MAX_KNOWN) READ.set(pattern, reading);
  return reading;
}

/** Whether values are checked against a pattern at all. */
export function isChecked(pattern: string): boolean {
  return "flags" in readPattern(pattern);
}

/** The pattern ready to be run; undefined for one that is not. */
export function compilePattern(pattern: string): RegExp | undefined {
  const reading = readPattern(pattern);
  return "flags" in reading ? new RegExp(pattern, reading.flags) : undefined;
}

// The same few patterns come back in tool after tool.
const READ = new Map<string, PatternReading>();
const MAX_KNOWN = 1000;
/** The square of a text's length is what `\\S+@\\S+` and its like take: a tenth of a second for 10,000 characters. */
const MAX_DEGREE = 2;

function judge(pattern: string): PatternReading {
  const flags = flagsOf(pattern);
  if (flags === undefined) return { problem: "is not a regular expression of JavaScript", steps: 0 };
  const steps = new PatternSteps();
  const isExponential = isCatastrophic(pattern, flags, steps);
  const degree = isExponential ? Infinity : backtrackingDegree(pattern, flags, steps);
  if (degree <= MAX_DEGREE) return { flags, degree, steps: Math.min(steps.count, PatternSteps.most) };
  return { problem: problemOf(isExponential, steps), steps: Math.min(steps.count, PatternSteps.most) };
}

function problemOf(isExponential: boolean, steps: PatternSteps): string {
  if (steps.areTooMany) return `takes more than ${PatternSteps.most} steps to judge`;
  return isExponential
    ? "may take time that doubles with every character of a text"
    : "may take time that grows with the third power of a text's length";
}

/** The flags with which JavaScript compiles a pattern; undefined for an invalid one. */
export function flagsOf(pattern: string): "u" | "" | undefined {
  return (["u", ""] as const).find((candidate) => compiles(pattern, candidate));
}

function compiles(pattern: string, flags: string): boolean {
  try {
    return new RegExp(pattern, flags) instanceof RegExp;
  } catch {
    return false;
  }
}

import { createMatcher } from "../../schema/match-pattern.js";
import { readPattern } from "../../schema/pattern.js";
import { OutOfStepsError, Steps } from "../steps.js";

/** The steps of JavaScript's engine for one text: some milliseconds. */
const MAX_NATIVE_STEPS = 10_000_000;
/** The steps of our own matcher for one text; names and samples take some hundreds. */
const MAX_COUNTED_STEPS = 20_000;

/** Whether a text matches a pattern; false if the match takes too many steps. */
export type MatchText = (text: string) => boolean;

/**
 * Compiles a pattern of a server for this thread. JavaScript's engine runs it only on short texts, and only if it cannot
 * take exponential time. Our own matcher counts its steps, so a hostile pattern ends at the same place on every machine.
 */
export function compileMatch(pattern: string): MatchText {
  const reading = readPattern(pattern);
  const native =
    "flags" in reading ? { ...reading, expression: new RegExp(pattern, reading.flags) } : undefined;
  let counted: ReturnType<typeof createMatcher> | undefined;
  return (text) => {
    if (native !== undefined && text.length ** native.degree <= MAX_NATIVE_STEPS)
      return native.expression.test(text);
    counted ??= createMatcher(pattern);
    if (counted === undefined) return false;
    const steps = new Steps(MAX_COUNTED_STEPS);
    steps.begin(MAX_COUNTED_STEPS);
    try {
      return counted(text, steps.spend);
    } catch (error) {
      if (error instanceof OutOfStepsError) return false;
      throw error;
    }
  };
}

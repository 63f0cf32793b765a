import { flagsOf } from "../../schema/pattern.js";
import { comparePatterns } from "./compare-patterns.js";
import { boundsOf } from "./hypotheses.js";
import type { InnerProver, Sequent } from "./prover.js";
import type { Term } from "./term.js";

/** The most patterns of one side that are compared. Leaving patterns out proves less but nothing wrong. */
const MAX_PATTERNS = 6;
/** Larger limits of length are left out for the same reason. */
const MAX_LENGTH = 300;
/** The cost of a state of an automaton, in steps of a proof. */
const STEPS_OF_STATE = 0.1;

/** Tries to prove a sequent of patterns and lengths: every string that fits the left fits a pattern on the right. */
export function closePatterns({ left, right }: Sequent, prover: InnerProver): boolean {
  const [lefts, rights] = [patternsOf(left), patternsOf(right)];
  if (rights.length === 0 && lefts.length + boundsOf(left).length + boundsOf(right).length < 2) return false;
  if (lefts.length + rights.length === 0) return false;
  const hasLengths = [...lefts, ...rights].every((pattern) => flagsOf(pattern) === "u");
  const [least, most] = hasLengths ? [lengthPatterns(left), lengthPatterns(right)] : [[], []];
  if (least.length + most.length === 0) return isCovered(lefts, rights, prover);
  // Without lengths, the comparison visits far fewer states, and patterns alone often decide.
  const hasBoth = lefts.length > 0 && rights.length > 0;
  if (hasBoth && isCovered(lefts, rights, prover)) return true;
  return isCovered([...lefts, ...least], [...rights, ...most], prover);
}

/** Whether every text that matches all patterns on the left matches one on the right. */
function isCovered(left: readonly string[], right: readonly string[], prover: InnerProver): boolean {
  const { answer, steps } = comparePatterns(left, right);
  prover.spend(steps * STEPS_OF_STATE);
  if (answer.kind === "undecided" && answer.limit !== undefined) prover.giveUp(answer.limit);
  return answer.kind === "none";
}

function patternsOf(terms: readonly Term[]): readonly string[] {
  return terms.flatMap((term) => (term.kind === "pattern" ? [term.pattern] : [])).slice(0, MAX_PATTERNS);
}

/** Limits of length as patterns. With the flag `u` a character is a code point, as `minLength` counts. */
function lengthPatterns(terms: readonly Term[]): readonly string[] {
  return boundsOf(terms)
    .filter(({ of, bound }) => of === "string" && bound >= 0 && bound <= MAX_LENGTH)
    .map(({ kind, bound }) => (kind === "lower" ? `^[^]{${bound},}$` : `^[^]{0,${bound}}$`));
}

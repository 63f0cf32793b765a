import { flagsOf } from "../../schema/pattern.js";
import { comparePatterns } from "./compare-patterns.js";
import { boundsOf } from "./hypotheses.js";
import type { InnerProver, Sequent } from "./prover.js";
import type { Term } from "./term.js";

/** So many patterns of one side are compared at once: with fewer of them, less is proved and nothing wrong. */
const MAX_PATTERNS = 6;
/** Limits of length beyond this are left out for the same reason. */
const MAX_LENGTH = 300;
/** What a state of an automaton takes, in steps of a proof. */
const STEPS_OF_STATE = 0.1;

/** Proves a sequent over patterns and lengths of texts: none that fits the left fits nothing on the right. */
export function closePatterns({ left, right }: Sequent, prover: InnerProver): boolean {
  const [lefts, rights] = [patternsOf(left), patternsOf(right)];
  if (rights.length === 0 && lefts.length + boundsOf(left).length + boundsOf(right).length < 2) return false;
  if (lefts.length + rights.length === 0) return false;
  const hasLengths = [...lefts, ...rights].every((pattern) => flagsOf(pattern) === "u");
  const lengthsOf = (terms: readonly Term[]): readonly string[] => (hasLengths ? lengthPatterns(terms) : []);
  const { answer, steps } = comparePatterns([...lefts, ...lengthsOf(left)], [...rights, ...lengthsOf(right)]);
  prover.spend(steps * STEPS_OF_STATE);
  if (answer.kind === "undecided" && answer.limit !== undefined) prover.giveUp(answer.limit);
  return answer.kind === "none";
}

function patternsOf(terms: readonly Term[]): readonly string[] {
  return terms.flatMap((term) => (term.kind === "pattern" ? [term.pattern] : [])).slice(0, MAX_PATTERNS);
}

/** Limits of length as patterns, in which a character is a code point as it is for `minLength`. */
function lengthPatterns(terms: readonly Term[]): readonly string[] {
  return boundsOf(terms)
    .filter(({ of, bound }) => of === "string" && bound >= 0 && bound <= MAX_LENGTH)
    .map(({ kind, bound }) => (kind === "lower" ? `^[^]{${bound},}$` : `^[^]{0,${bound}}$`));
}

import { canonicalJson, type JsonValue } from "../../core/json.js";
import type { JsonType } from "../../core/schema-ir.js";
import { flagsOf } from "../../schema/pattern/pattern-tree.js";
import { comparePatterns } from "./compare-patterns.js";
import { boundsIn, hypothesesOf } from "./hypotheses.js";
import type { Bound, InnerProver, Sequent, Term } from "./term.js";

/** The largest interval of integers that is enumerated. */
const MAX_TRIED = 64;

/** Returns all values of a type that may fit the terms; undefined if there may be many. */
export function findFew(type: JsonType, left: readonly Term[]): readonly JsonValue[] | undefined {
  const [first, ...others] = left.filter((term) => term.kind === "literal");
  if (first !== undefined) {
    if (others.length === 0) return first.values;
    return first.values.filter((value) => {
      const text = canonicalJson(value);
      return others.every(({ texts }) => texts.has(text));
    });
  }
  if (type === "null") return [null];
  if (type === "boolean") return [true, false];
  const { low, high } = intervalOf(hypothesesOf(left).bounds);
  if (type === "number") {
    if (low === high && Number.isFinite(low)) return [low];
    const isWhole = left.some((term) => term.kind === "multipleOf" && Number.isInteger(term.by));
    if (!isWhole || !(high - low <= MAX_TRIED)) return undefined;
    const start = Math.ceil(low);
    return Array.from({ length: Math.max(Math.floor(high) - start + 1, 0) }, (_, index) => start + index);
  }
  if (high !== 0) return undefined;
  return [type === "string" ? "" : type === "array" ? [] : {}];
}

interface Interval {
  readonly low: number;
  readonly isLowOut: boolean;
  readonly high: number;
  readonly isHighOut: boolean;
}

const ALL: Interval = { low: -Infinity, isLowOut: true, high: Infinity, isHighOut: true };

function intervalOf(bounds: readonly Bound[], start: Interval = ALL): Interval {
  return bounds.reduce((interval, { kind, bound, isExclusive }): Interval => {
    if (kind === "lower") {
      const isTighter = bound > interval.low || (bound === interval.low && isExclusive);
      return isTighter ? { ...interval, low: bound, isLowOut: isExclusive } : interval;
    }
    const isTighter = bound < interval.high || (bound === interval.high && isExclusive);
    return isTighter ? { ...interval, high: bound, isHighOut: isExclusive } : interval;
  }, start);
}

/** The complement of a bound: the complement of a lower bound is an upper bound. */
function negate(bound: Bound): Bound {
  return { ...bound, kind: bound.kind === "lower" ? "upper" : "lower", isExclusive: !bound.isExclusive };
}

/** Whether an interval has no values. If `step` is given, only its multiples count. */
function isEmpty({ low, isLowOut, high, isHighOut }: Interval, step?: number): boolean {
  if (low > high || (low === high && (isLowOut || isHighOut))) return true;
  if (step === undefined || !Number.isFinite(low) || !Number.isFinite(high)) return false;
  const [least, most] = [
    isLowOut ? Math.floor(low) + 1 : Math.ceil(low),
    isHighOut ? Math.ceil(high) - 1 : Math.floor(high),
  ];
  if (least > most) return true;
  // Remainders of larger numbers are not exact.
  if (!Number.isSafeInteger(most + step) || !Number.isSafeInteger(least - step)) return false;
  const last = most - (((most % step) + step) % step);
  return last < least;
}

export function closeNumber({ left, right }: Sequent): boolean {
  const divisors = left.flatMap((term) => (term.kind === "multipleOf" ? [term.by] : []));
  const steps = divisors.filter((by) => Number.isSafeInteger(by));
  const step = steps.length === 0 ? undefined : Math.max(...steps);
  if (isEmpty(intervalOf([...hypothesesOf(left).bounds, ...boundsIn(right).map(negate)]), step)) return true;
  return right.some((term) => term.kind === "multipleOf" && divisors.some((by) => divides(term.by, by)));
}

function divides(divisor: number, by: number): boolean {
  if (divisor === by) return true;
  return Number.isSafeInteger(by) && Number.isSafeInteger(divisor) && by % divisor === 0;
}

/** Tries to prove a sequent of rules for strings: lengths and patterns. */
export function closeString(sequent: Sequent, prover: InnerProver): boolean {
  return closeSize("string", sequent) || closePatterns(sequent, prover);
}

export function closeSize(of: "string" | "array" | "object", { left, right }: Sequent): boolean {
  // A size is an integer of at least zero.
  const zero = { ...ALL, low: 0, isLowOut: false };
  const bounds = [...hypothesesOf(left).bounds, ...boundsIn(right).map(negate)].filter(
    (bound) => bound.of === of,
  );
  return isEmpty(intervalOf(bounds, zero), 1);
}

/** The most patterns of one side that are compared. Leaving patterns out proves less but nothing wrong. */
const MAX_PATTERNS = 6;
/** Larger limits of length are left out for the same reason. */
const MAX_LENGTH = 300;
/** The cost of a state of an automaton, in steps of a proof. */
const STEPS_OF_STATE = 0.1;

/** Tries to prove a sequent of patterns and lengths: every string that fits the left fits a pattern on the right. */
function closePatterns({ left, right }: Sequent, prover: InnerProver): boolean {
  const [lefts, rights] = [patternsOf(left), patternsOf(right)];
  if (rights.length === 0 && lefts.length + boundsIn(left).length + boundsIn(right).length < 2) return false;
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
  return boundsIn(terms)
    .filter(({ of, bound }) => of === "string" && bound >= 0 && bound <= MAX_LENGTH)
    .map(({ kind, bound }) => (kind === "lower" ? `^[^]{${bound},}$` : `^[^]{0,${bound}}$`));
}

import { groupBy } from "../../core/collections.js";
import { canonicalJson, type JsonValue } from "../../core/json.js";
import type { JsonType } from "../../core/schema-ir.js";
import { flagsOf } from "../../schema/pattern/pattern-tree.js";
import { comparePatterns } from "./compare-patterns.js";
import { evaluateTerm, isCovered } from "./evaluate-term.js";
import { boundsIn, hypothesesOf, type PropertyRules } from "./hypotheses.js";
import { matchPattern } from "../../schema/pattern/match-pattern.js";
import {
  arrayAtoms,
  type Bound,
  type InnerProver,
  type ObjectAtom,
  objectAtoms,
  type Sequent,
  STEPS_OF_TERM,
  type Term,
} from "./term.js";

/** Tries to prove a sequent of rules for arrays. */
export function closeArray({ left, right, isLenient }: Sequent, prover: InnerProver): boolean {
  prover.spend((left.length + right.length) * STEPS_OF_TERM);
  const items = new ItemRules(left, right);
  const inside = (terms: readonly Term[], goals: readonly Term[]): boolean =>
    prover.prove({ left: terms, right: goals, isLenient });
  // The left is contradictory if no value fits a required item.
  for (let index = 0; index < Math.min(items.min, items.prefix + 1); index += 1) {
    if (inside(items.at(index), [])) return true;
  }
  const goals = arrayAtoms(right);
  const indexes = new Set(goals.flatMap((goal) => (goal.kind === "item" ? [goal.index] : [])));
  for (const index of indexes) {
    const terms = goals.flatMap((goal) => (goal.kind === "item" && goal.index === index ? [goal.term] : []));
    if (index >= items.max || inside(items.at(index), terms)) return true;
  }
  return goals.some((goal) => {
    switch (goal.kind) {
      case "item":
        return false;
      case "rest": {
        const places = Array.from(
          { length: Math.max(items.prefix - goal.from, 0) + 1 },
          (_, i) => goal.from + i,
        );
        return places.every((index) => index >= items.max || inside(items.at(index), [goal.term]));
      }
      case "unique":
        return items.max <= 1;
      case "contains":
        return (
          left.some(
            (term) => term.kind === "contains" && term.min >= goal.min && inside([term.term], [goal.term]),
          ) ||
          (items.min >= goal.min && items.areAll((terms) => inside(terms, [goal.term])))
        );
      case "containsAtMost":
        return (
          items.max <= goal.max ||
          left.some(
            (term) =>
              term.kind === "containsAtMost" && term.max <= goal.max && inside([goal.term], [term.term]),
          )
        );
      default:
        return goal satisfies never;
    }
  });
}

/** The rules of the left for each item, and the numbers of items with which the right can be false. */
class ItemRules {
  readonly min: number;
  readonly max: number;
  /** How many indexes have their own rules; all later indexes share their rules. */
  readonly prefix: number;
  readonly #left: readonly Term[];

  constructor(left: readonly Term[], right: readonly Term[]) {
    this.#left = left;
    let min = 0;
    let max = Infinity;
    let prefix = 0;
    for (const term of left) {
      if (term.kind === "lower" && term.of === "array") min = Math.max(min, term.bound);
      if (term.kind === "upper" && term.of === "array") max = Math.min(max, term.bound);
      if (term.kind === "item") prefix = Math.max(prefix, term.index + 1);
      if (term.kind === "rest") prefix = Math.max(prefix, term.from);
      if (term.kind === "contains") min = Math.max(min, term.min);
    }
    for (const term of right) {
      if (term.kind === "upper" && term.of === "array") min = Math.max(min, term.bound + 1);
      if (term.kind === "lower" && term.of === "array") max = Math.min(max, term.bound - 1);
    }
    [this.min, this.max, this.prefix] = [min, max, prefix];
  }

  at(index: number): readonly Term[] {
    return this.#left.flatMap((term) => {
      if (term.kind === "item" && term.index === index) return [term.term];
      return term.kind === "rest" && term.from <= index ? [term.term] : [];
    });
  }

  areAll(holds: (terms: readonly Term[]) => boolean): boolean {
    return Array.from({ length: this.prefix + 1 }, (_, index) => index).every(
      (index) => index >= this.max || holds(this.at(index)),
    );
  }
}

/** Tries to prove a sequent of rules for objects. */
export function closeObject({ left, right, isLenient }: Sequent, prover: InnerProver): boolean {
  const rules = hypothesesOf(left).properties;
  const goals = objectAtoms(right);
  const inside = (terms: readonly Term[], wanted: readonly Term[]): boolean =>
    prover.prove({ left: terms, right: wanted, isLenient });
  const isImpossible = (name: string): boolean => rules.forbids(name) || inside(rules.of(name), []);
  if (isContradictory(left, rules, isLenient, isImpossible, prover)) return true;
  if (closeNamed(goals, rules, isLenient, inside)) return true;
  return (
    goals.some((goal) => {
      switch (goal.kind) {
        case "required":
        case "property":
          return false;
        case "matching":
          prover.spend(rules.names.size * (1 + rules.breadth));
          return rules.isEvery(
            (name) => matchPattern(goal.pattern, name) === false,
            [],
            (terms) => inside(terms, [goal.term]),
            goal.pattern,
          );
        case "additional":
          prover.spend(rules.names.size * (1 + rules.breadth) + goal.patterns.length);
          return rules.isEvery(
            (name) => isCovered(name, goal.names, goal.patterns) === true,
            goal.patterns,
            (terms) => inside(terms, [goal.term]),
          );
        case "names":
          prover.spend(rules.names.size * (1 + rules.breadth));
          return (
            left.some((term) => term.kind === "names" && inside([term.term], [goal.term])) ||
            rules.isEvery(
              (name) => evaluateTerm(goal.term, name) === true,
              [],
              (terms) => inside(terms, []),
            )
          );
        default:
          return goal satisfies never;
      }
    }) || closeCount(left, right, rules, isImpossible, inside)
  );
}

/** Left sides without an impossible required property, by whether the proof was lenient. */
const CONSISTENT = { lenient: new WeakSet<readonly Term[]>(), strict: new WeakSet<readonly Term[]>() };

/** Whether a required property is impossible. This depends only on the left side, so negative results are cached. */
function isContradictory(
  left: readonly Term[],
  rules: PropertyRules,
  isLenient: boolean,
  isImpossible: (name: string) => boolean,
  prover: InnerProver,
): boolean {
  const consistent = CONSISTENT[isLenient ? "lenient" : "strict"];
  if (consistent.has(left)) return false;
  prover.spend(rules.required.size * (1 + rules.breadth));
  if ([...rules.required].some(isImpossible)) return true;
  consistent.add(left);
  return false;
}

/** Tries to prove the goals for single properties. All goals for one name are proved together. */
function closeNamed(
  goals: readonly ObjectAtom[],
  rules: PropertyRules,
  isLenient: boolean,
  inside: (terms: readonly Term[], wanted: readonly Term[]) => boolean,
): boolean {
  const absent = new Set(goals.flatMap((goal) => (goal.kind === "required" ? [goal.name] : [])));
  const properties = goals.filter((goal) => goal.kind === "property");
  return [...groupBy(properties, ({ name }) => name)].some(
    ([name, named]) =>
      absent.has(name) ||
      (isLenient && !rules.mentions(name)) ||
      rules.forbids(name) ||
      inside(
        rules.of(name),
        named.map(({ term }) => term),
      ),
  );
}

/** Tries to prove limits on the number of properties from their names. */
function closeCount(
  left: readonly Term[],
  right: readonly Term[],
  rules: PropertyRules,
  isImpossible: (name: string) => boolean,
  inside: (terms: readonly Term[], wanted: readonly Term[]) => boolean,
): boolean {
  const min = rules.required.size;
  if (left.some((term) => term.kind === "upper" && term.of === "object" && term.bound < min)) return true;
  return right.some((term) => {
    if (term.kind === "lower" && term.of === "object") return min >= term.bound;
    if (term.kind !== "upper" || term.of !== "object") return false;
    const possible = [...rules.names].filter((name) => !isImpossible(name)).length;
    return (
      possible <= term.bound &&
      rules.isEvery(
        (name) => rules.names.has(name),
        [],
        (terms) => inside(terms, []),
      )
    );
  });
}

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
  const least = isLowOut ? Math.floor(low) + 1 : Math.ceil(low);
  const most = isHighOut ? Math.ceil(high) - 1 : Math.floor(high);
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
  const lefts = patternsOf(left);
  const rights = patternsOf(right);
  if (rights.length === 0 && lefts.length + boundsIn(left).length + boundsIn(right).length < 2) return false;
  if (lefts.length + rights.length === 0) return false;
  const hasLengths = [...lefts, ...rights].every((pattern) => flagsOf(pattern) === "u");
  const [least, most] = hasLengths ? [lengthPatterns(left), lengthPatterns(right)] : [[], []];
  if (least.length + most.length === 0) return arePatternsCovered(lefts, rights, prover);
  // Without lengths, the comparison visits far fewer states, and patterns alone often decide.
  const hasBoth = lefts.length > 0 && rights.length > 0;
  if (hasBoth && arePatternsCovered(lefts, rights, prover)) return true;
  return arePatternsCovered([...lefts, ...least], [...rights, ...most], prover);
}

function arePatternsCovered(left: readonly string[], right: readonly string[], prover: InnerProver): boolean {
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

import {
  arrayAtoms,
  type InnerProver,
  type ObjectAtom,
  objectAtoms,
  type Sequent,
  STEPS_OF_TERM,
  type Term,
} from "./term.js";
import { groupBy } from "../../core/collections.js";
import { evaluateTerm, isCovered, matchPattern } from "./evaluate-term.js";
import { hypothesesOf, type PropertyRules } from "./hypotheses.js";

/** Tries to prove a sequent of rules for arrays. */
export function closeArray({ left, right, isLenient }: Sequent, prover: InnerProver): boolean {
  prover.spend((left.length + right.length) * STEPS_OF_TERM);
  const known = new ItemRules(left, right);
  const inside = (terms: readonly Term[], goals: readonly Term[]): boolean =>
    prover.prove({ left: terms, right: goals, isLenient });
  // The left is contradictory if no value fits a required item.
  for (let index = 0; index < Math.min(known.min, known.prefix + 1); index += 1) {
    if (inside(known.at(index), [])) return true;
  }
  const goals = arrayAtoms(right);
  const indexes = new Set(goals.flatMap((goal) => (goal.kind === "item" ? [goal.index] : [])));
  for (const index of indexes) {
    const terms = goals.flatMap((goal) => (goal.kind === "item" && goal.index === index ? [goal.term] : []));
    if (index >= known.max || inside(known.at(index), terms)) return true;
  }
  return goals.some((goal) => {
    switch (goal.kind) {
      case "item":
        return false;
      case "rest": {
        const places = Array.from(
          { length: Math.max(known.prefix - goal.from, 0) + 1 },
          (_, i) => goal.from + i,
        );
        return places.every((index) => index >= known.max || inside(known.at(index), [goal.term]));
      }
      case "unique":
        return known.max <= 1;
      case "contains":
        return (
          left.some(
            (term) => term.kind === "contains" && term.min >= goal.min && inside([term.term], [goal.term]),
          ) ||
          (known.min >= goal.min && known.areAll((terms) => inside(terms, [goal.term])))
        );
      case "containsAtMost":
        return (
          known.max <= goal.max ||
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
    let [min, max, prefix] = [0, Infinity, 0];
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
  const known = hypothesesOf(left).properties;
  const goals = objectAtoms(right);
  const inside = (terms: readonly Term[], wanted: readonly Term[]): boolean =>
    prover.prove({ left: terms, right: wanted, isLenient });
  const isImpossible = (name: string): boolean => known.forbids(name) || inside(known.of(name), []);
  if (isContradictory(left, known, isLenient, isImpossible, prover)) return true;
  if (closeNamed(goals, known, isLenient, inside)) return true;
  return (
    goals.some((goal) => {
      switch (goal.kind) {
        case "required":
        case "property":
          return false;
        case "matching":
          prover.spend(known.names.size * (1 + known.breadth));
          return known.isEvery(
            (name) => matchPattern(goal.pattern, name) === false,
            [],
            (terms) => inside(terms, [goal.term]),
            goal.pattern,
          );
        case "additional":
          prover.spend(known.names.size * (1 + known.breadth) + goal.patterns.length);
          return known.isEvery(
            (name) => isCovered(name, goal.names, goal.patterns) === true,
            goal.patterns,
            (terms) => inside(terms, [goal.term]),
          );
        case "names":
          prover.spend(known.names.size * (1 + known.breadth));
          return (
            left.some((term) => term.kind === "names" && inside([term.term], [goal.term])) ||
            known.isEvery(
              (name) => evaluateTerm(goal.term, name) === true,
              [],
              (terms) => inside(terms, []),
            )
          );
        default:
          return goal satisfies never;
      }
    }) || closeCount(left, right, known, isImpossible, inside)
  );
}

/** Left sides without an impossible required property, by whether the proof was lenient. */
const CONSISTENT = { lenient: new WeakSet<readonly Term[]>(), strict: new WeakSet<readonly Term[]>() };

/** Whether a required property is impossible. This depends only on the left side, so negative results are cached. */
function isContradictory(
  left: readonly Term[],
  known: PropertyRules,
  isLenient: boolean,
  isImpossible: (name: string) => boolean,
  prover: InnerProver,
): boolean {
  const consistent = CONSISTENT[isLenient ? "lenient" : "strict"];
  if (consistent.has(left)) return false;
  prover.spend(known.required.size * (1 + known.breadth));
  if ([...known.required].some(isImpossible)) return true;
  consistent.add(left);
  return false;
}

/** Tries to prove the goals for single properties. All goals for one name are proved together. */
function closeNamed(
  goals: readonly ObjectAtom[],
  known: PropertyRules,
  isLenient: boolean,
  inside: (terms: readonly Term[], wanted: readonly Term[]) => boolean,
): boolean {
  const absent = new Set(goals.flatMap((goal) => (goal.kind === "required" ? [goal.name] : [])));
  const properties = goals.filter((goal) => goal.kind === "property");
  return [...groupBy(properties, ({ name }) => name)].some(
    ([name, named]) =>
      absent.has(name) ||
      (isLenient && !known.mentions(name)) ||
      known.forbids(name) ||
      inside(
        known.of(name),
        named.map(({ term }) => term),
      ),
  );
}

/** Tries to prove limits on the number of properties from their names. */
function closeCount(
  left: readonly Term[],
  right: readonly Term[],
  known: PropertyRules,
  isImpossible: (name: string) => boolean,
  inside: (terms: readonly Term[], wanted: readonly Term[]) => boolean,
): boolean {
  const min = known.required.size;
  if (left.some((term) => term.kind === "upper" && term.of === "object" && term.bound < min)) return true;
  return right.some((term) => {
    if (term.kind === "lower" && term.of === "object") return min >= term.bound;
    if (term.kind !== "upper" || term.of !== "object") return false;
    const possible = [...known.names].filter((name) => !isImpossible(name)).length;
    return (
      possible <= term.bound &&
      known.isEvery(
        (name) => known.names.has(name),
        [],
        (terms) => inside(terms, []),
      )
    );
  });
}

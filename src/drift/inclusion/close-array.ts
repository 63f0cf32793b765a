import type { InnerProver, Sequent } from "./prover.js";
import { arrayAtoms, type Term, STEPS_OF_TERM } from "./term.js";

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

import { groupBy } from "../../contract/collections.js";
import { evaluateTerm, isCovered } from "./evaluate-term.js";
import { matchPattern } from "./match-pattern.js";
import type { InnerProver, Sequent } from "./prover.js";
import { hypothesesOf, type PropertyRules } from "./hypotheses.js";
import { objectAtoms, type ObjectAtom, type Term } from "./term.js";

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

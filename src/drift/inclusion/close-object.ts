import { evaluateTerm, isCovered } from "./evaluate-term.js";
import { matchPattern } from "./match-pattern.js";
import type { ProveInside, Sequent } from "./prover.js";
import { objectAtoms, type ObjectAtom, type Term } from "./term.js";

/** Proves a sequent over rules for objects, of which each on the right is taken not to hold. */
export function closeObject({ left, right, isLenient }: Sequent, prove: ProveInside): boolean {
  const known = new PropertyRules(left);
  const goals = objectAtoms(right);
  const inside = (terms: readonly Term[], wanted: readonly Term[]): boolean =>
    prove({ left: terms, right: wanted, isLenient });
  const isImpossible = (name: string): boolean => known.forbids(name) || inside(known.of(name), []);
  if ([...known.required].some(isImpossible)) return true;
  if (closeNamed(goals, known, isLenient, inside)) return true;
  return (
    goals.some((goal) => {
      switch (goal.kind) {
        case "required":
        case "property":
          return false;
        case "matching":
          return known.isEvery(
            (name) => matchPattern(goal.pattern, name) === false,
            [],
            (terms) => inside(terms, [goal.term]),
            goal.pattern,
          );
        case "additional":
          return known.isEvery(
            (name) => isCovered(name, goal.names, goal.patterns) === true,
            goal.patterns,
            (terms) => inside(terms, [goal.term]),
          );
        case "names":
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

/** What the right says of properties by name: all that it says of one name is taken not to hold together. */
function closeNamed(
  goals: readonly ObjectAtom[],
  known: PropertyRules,
  isLenient: boolean,
  inside: (terms: readonly Term[], wanted: readonly Term[]) => boolean,
): boolean {
  const absent = new Set(goals.flatMap((goal) => (goal.kind === "required" ? [goal.name] : [])));
  const byName = new Map<string, Term[]>();
  for (const goal of goals) {
    if (goal.kind === "property") byName.set(goal.name, [...(byName.get(goal.name) ?? []), goal.term]);
  }
  return [...byName].some(
    ([name, terms]) =>
      absent.has(name) ||
      (isLenient && !known.mentions(name)) ||
      known.forbids(name) ||
      inside(known.of(name), terms),
  );
}

/** How many properties there are, as far as names show it. */
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
    const possible = known.names.filter((name) => !isImpossible(name)).length;
    return (
      possible <= term.bound &&
      known.isEvery(
        (name) => known.names.includes(name),
        [],
        (terms) => inside(terms, []),
      )
    );
  });
}

/** What the left says of properties. */
class PropertyRules {
  readonly required: ReadonlySet<string>;
  /** All names that it mentions. */
  readonly names: readonly string[];
  readonly #rules: readonly ObjectAtom[];
  readonly #patterns: readonly string[];

  constructor(left: readonly Term[]) {
    const rules = objectAtoms(left);
    const names = new Set<string>();
    const required = new Set<string>();
    const patterns = new Set<string>();
    for (const rule of rules) {
      if (rule.kind === "required") required.add(rule.name);
      if (rule.kind === "required" || rule.kind === "property") names.add(rule.name);
      if (rule.kind === "matching") patterns.add(rule.pattern);
      if (rule.kind === "additional") {
        for (const name of rule.names) names.add(name);
        for (const pattern of rule.patterns) patterns.add(pattern);
      }
    }
    this.#rules = rules;
    this.#patterns = [...patterns];
    this.required = required;
    this.names = [...names];
  }

  /** All that is known of a property when it is there. */
  of(name: string): readonly Term[] {
    return this.#rules.flatMap((rule) => {
      if (rule.kind === "property") return rule.name === name ? [rule.term] : [];
      if (rule.kind === "matching") return matchPattern(rule.pattern, name) === true ? [rule.term] : [];
      if (rule.kind !== "additional") return [];
      return isCovered(name, rule.names, rule.patterns) === false ? [rule.term] : [];
    });
  }

  /** Whether no property may be called so. */
  forbids(name: string): boolean {
    return this.#rules.some((rule) => rule.kind === "names" && evaluateTerm(rule.term, name) === false);
  }

  /** Whether anything but an open end speaks of a property. */
  mentions(name: string): boolean {
    return (
      this.names.includes(name) ||
      this.of(name).length > 0 ||
      this.#patterns.some((pattern) => matchPattern(pattern, name) !== false) ||
      this.#rules.some(
        (rule) => rule.kind === "additional" && isCovered(name, rule.names, rule.patterns) !== true,
      )
    );
  }

  /**
   * Whether something holds of every property there can be, but for those that are left out.
   *
   * @param patterns names that match one of these are left out as well
   * @param only when given, names that do not match it are left out
   */
  isEvery(
    isLeftOut: (name: string) => boolean,
    patterns: readonly string[],
    holds: (terms: readonly Term[]) => boolean,
    only?: string,
  ): boolean {
    const isFine = (name: string): boolean => isLeftOut(name) || this.forbids(name) || holds(this.of(name));
    if (!this.names.every(isFine)) return false;
    const listed = this.#rules.flatMap((rule) =>
      rule.kind === "names" && rule.term.kind === "literal" ? [rule.term.values] : [],
    )[0];
    if (listed !== undefined) return listed.every((name) => typeof name !== "string" || isFine(name));
    const always = this.#rules.flatMap((rule) =>
      rule.kind === "matching" && rule.pattern === only ? [rule.term] : [],
    );
    // Any other name: one that matches a pattern of the left, or one that matches none.
    const unmatched = this.#rules.flatMap((rule) => (rule.kind === "additional" ? [rule.term] : []));
    const matched = this.#patterns
      .filter((pattern) => !patterns.includes(pattern))
      .map((pattern) => this.#rules.flatMap((rule) => this.#termsMatching(rule, pattern)));
    return [unmatched, ...matched].every((terms) => holds([...always, ...terms]));
  }

  /** What a rule says of a name that is not mentioned and matches a pattern. */
  #termsMatching(rule: ObjectAtom, pattern: string): readonly Term[] {
    if (rule.kind === "matching") return rule.pattern === pattern ? [rule.term] : [];
    // The name may match other patterns as well, by which a rule with patterns may leave it out.
    return rule.kind === "additional" && rule.patterns.length === 0 ? [rule.term] : [];
  }
}

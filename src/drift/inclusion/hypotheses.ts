import { groupBy } from "../../core/collections.js";
import { evaluateTerm, isCovered } from "./evaluate-term.js";
import { matchPattern } from "../../schema/pattern/match-pattern.js";
import { type Bound, type ObjectAtom, objectAtoms, type Term } from "./term.js";

/** The rules of the left side of a sequent, collected once: large objects prove many goals from the same left side. */
class Hypotheses {
  readonly terms: ReadonlySet<Term>;
  /** An `or` that still has to be split. */
  readonly choice: (Term & { readonly kind: "or" }) | undefined;
  readonly bounds: readonly Bound[];
  readonly #left: readonly Term[];
  #properties: PropertyRules | undefined;

  constructor(left: readonly Term[]) {
    this.#left = left;
    this.terms = new Set(left);
    this.choice = left.find((term): term is Term & { readonly kind: "or" } => term.kind === "or");
    this.bounds = boundsIn(left);
  }

  get properties(): PropertyRules {
    return (this.#properties ??= new PropertyRules(this.#left));
  }
}

const KNOWN = new WeakMap<readonly Term[], Hypotheses>();

/** Returns the hypotheses of a flat left side: each term is a rule or an `or`. */
export function hypothesesOf(left: readonly Term[]): Hypotheses {
  const hypotheses = KNOWN.get(left) ?? new Hypotheses(left);
  KNOWN.set(left, hypotheses);
  return hypotheses;
}

/** Whether a left side is known to be flat, because its hypotheses were collected before. */
export function isKnownFlat(left: readonly Term[]): boolean {
  return KNOWN.has(left);
}

/** Returns the terms that limit numbers or sizes. */
export function boundsIn(terms: readonly Term[]): readonly Bound[] {
  return terms.filter((term): term is Bound => term.kind === "lower" || term.kind === "upper");
}

type Property = ObjectAtom & { readonly kind: "property" };
type Matching = ObjectAtom & { readonly kind: "matching" };
type Additional = ObjectAtom & { readonly kind: "additional" };
type Names = ObjectAtom & { readonly kind: "names" };

/** The rules for properties on the left side of a sequent, by name. */
export class PropertyRules {
  readonly required: ReadonlySet<string>;
  readonly names: ReadonlySet<string>;
  /** The number of rules that must be compared with a name: the cost of one lookup. */
  readonly breadth: number;
  readonly #named: ReadonlyMap<string, readonly Property[]>;
  readonly #matching: readonly Matching[];
  readonly #additional: readonly Additional[];
  readonly #ofNames: readonly Names[];
  readonly #patterns: ReadonlySet<string>;
  readonly #known = new Map<string, readonly Term[]>();

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
    const properties = rules.filter((rule): rule is Property => rule.kind === "property");
    this.#named = groupBy(properties, ({ name }) => name);
    this.#matching = rules.filter((rule): rule is Matching => rule.kind === "matching");
    this.#additional = rules.filter((rule): rule is Additional => rule.kind === "additional");
    this.#ofNames = rules.filter((rule): rule is Names => rule.kind === "names");
    this.#patterns = patterns;
    this.required = required;
    this.names = names;
    this.breadth = patterns.size + this.#matching.length + this.#additional.length + this.#ofNames.length;
  }

  /** Returns the terms that a present property must fit. */
  of(name: string): readonly Term[] {
    const cached = this.#known.get(name);
    if (cached !== undefined) return cached;
    const terms = [
      ...(this.#named.get(name) ?? []).map(({ term }) => term),
      ...this.#matching.filter(({ pattern }) => matchPattern(pattern, name) === true).map(({ term }) => term),
      ...this.#additional
        .filter((rule) => isCovered(name, rule.names, rule.patterns) === false)
        .map(({ term }) => term),
    ];
    this.#known.set(name, terms);
    return terms;
  }

  /** Whether no property may have this name. */
  forbids(name: string): boolean {
    return this.#ofNames.some(({ term }) => evaluateTerm(term, name) === false);
  }

  /** Whether any rule applies to a property. */
  mentions(name: string): boolean {
    return (
      this.names.has(name) ||
      this.#ofNames.some(({ term }) => term.kind === "literal" && term.values.includes(name)) ||
      this.of(name).length > 0 ||
      [...this.#patterns].some((pattern) => matchPattern(pattern, name) !== false) ||
      this.#additional.some((rule) => isCovered(name, rule.names, rule.patterns) !== true)
    );
  }

  /**
   * Whether `holds` is true for the terms of every possible property that is not left out.
   *
   * @param patterns names that match one of these are left out as well
   * @param only if given, names that do not match this pattern are left out
   */
  isEvery(
    isLeftOut: (name: string) => boolean,
    patterns: readonly string[],
    holds: (terms: readonly Term[]) => boolean,
    only?: string,
  ): boolean {
    const isFine = (name: string): boolean => isLeftOut(name) || this.forbids(name) || holds(this.of(name));
    if (![...this.names].every(isFine)) return false;
    const listed = this.#ofNames.flatMap(({ term }) => (term.kind === "literal" ? [term.values] : []))[0];
    if (listed !== undefined) return listed.every((name) => typeof name !== "string" || isFine(name));
    const always = this.#matching.filter(({ pattern }) => pattern === only).map(({ term }) => term);
    // Any other name either matches a pattern of the left or matches none.
    const unmatched = this.#additional.map(({ term }) => term);
    if (!holds([...always, ...unmatched])) return false;
    const leftOut = new Set(patterns);
    const byPattern = groupBy(this.#matching, ({ pattern }) => pattern);
    // The name may also match the patterns of an "additional" rule, which then does not apply.
    const others = this.#additional.filter((rule) => rule.patterns.length === 0).map(({ term }) => term);
    return [...this.#patterns]
      .filter((pattern) => !leftOut.has(pattern))
      .every((pattern) =>
        holds([...always, ...(byPattern.get(pattern) ?? []).map(({ term }) => term), ...others]),
      );
  }
}

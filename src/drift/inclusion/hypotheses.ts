import { PropertyRules } from "./property-rules.js";
import type { Bound, Term } from "./term.js";

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
    this.bounds = boundsOf(left);
  }

  get properties(): PropertyRules {
    return (this.#properties ??= new PropertyRules(this.#left));
  }
}

const KNOWN = new WeakMap<readonly Term[], Hypotheses>();

/** Returns the hypotheses of a flat left side: each term is a rule or an `or`. */
export function hypothesesOf(left: readonly Term[]): Hypotheses {
  const known = KNOWN.get(left) ?? new Hypotheses(left);
  KNOWN.set(left, known);
  return known;
}

/** Whether a left side is known to be flat, because its hypotheses were collected before. */
export function isFlat(left: readonly Term[]): boolean {
  return KNOWN.has(left);
}

/** Returns the terms that limit numbers or sizes. */
export function boundsOf(terms: readonly Term[]): readonly Bound[] {
  return terms.filter((term): term is Bound => term.kind === "lower" || term.kind === "upper");
}

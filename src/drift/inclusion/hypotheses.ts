import { PropertyRules } from "./property-rules.js";
import type { Bound, Term } from "./term.js";

/** What the left side of a sequent says, gathered once: large objects meet it with one goal after another. */
export class Hypotheses {
  readonly terms: ReadonlySet<Term>;
  /** An `or` that is still to be taken apart. */
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

/** The hypotheses of a left side that is flat: each term of it is a rule or an `or`. */
export function hypothesesOf(left: readonly Term[]): Hypotheses {
  const known = KNOWN.get(left) ?? new Hypotheses(left);
  KNOWN.set(left, known);
  return known;
}

/** Whether the hypotheses of a left side were gathered before, so that it is known to be flat. */
export function isFlat(left: readonly Term[]): boolean {
  return KNOWN.has(left);
}

/** The limits of numbers and sizes among terms. */
export function boundsOf(terms: readonly Term[]): readonly Bound[] {
  return terms.filter((term): term is Bound => term.kind === "lower" || term.kind === "upper");
}

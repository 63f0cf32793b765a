import { canonicalJson, type JsonValue } from "../../core/json.js";
import type { JsonType } from "../../core/schema-ir.js";
import { ALL_TYPES, type TypeSet } from "../../schema/ir/node-types.js";

/**
 * The set of values that a schema accepts, without names, order and annotations. The kinds with a type (`of`) accept every
 * value of another type, as keywords of JSON Schema do. Equal terms are the same object.
 */
export type Term =
  | TermOf<"any" | "never">
  | TermOf<"types", { types: TypeSet }>
  /** `texts` has the values in canonical JSON. */
  | TermOf<"literal", { values: readonly JsonValue[]; texts: ReadonlySet<string> }>
  | TermOf<"and" | "or", { terms: readonly Term[] }>
  | TermOf<"not", { term: Term }>
  /** A recursive reference, which is resolved on demand. */
  | TermOf<"later", { open: () => Term }>
  /** A rule that the prover does not analyze: it only follows from itself. */
  | TermOf<"opaque">
  | Atom;

type TermOf<Kind extends string, Fields = object> = {
  readonly id: number;
  readonly kind: Kind;
} & Readonly<Fields>;

/** One rule for values of one type. */
export type Atom =
  | Bound
  /** An integer is a multiple of 1. */
  | TermOf<"multipleOf", { of: "number"; by: number }>
  | TermOf<"pattern", { of: "string"; pattern: string }>
  /** An asserted format. No format implies another. */
  | TermOf<"format", { of: "string"; format: string }>
  | ArrayAtom
  | ObjectAtom;

/** A limit of a number, or of a size: code points of a string, items of an array, properties of an object. */
export type Bound = TermOf<"lower" | "upper", { of: JsonType; bound: number; isExclusive: boolean }>;

export type ArrayAtom =
  | TermOf<"item", { of: "array"; index: number; term: Term }>
  | TermOf<"rest", { of: "array"; from: number; term: Term }>
  | TermOf<"unique", { of: "array" }>
  /** At least `min` items fit the term. */
  | TermOf<"contains", { of: "array"; term: Term; min: number }>
  /** At most `max` items fit the term. */
  | TermOf<"containsAtMost", { of: "array"; term: Term; max: number }>;

export type ObjectAtom =
  | TermOf<"required", { of: "object"; name: string }>
  | TermOf<"property", { of: "object"; name: string; term: Term }>
  | TermOf<"matching", { of: "object"; pattern: string; term: Term }>
  /** The term for properties that are neither in `names` nor match a pattern. */
  | TermOf<
      "additional",
      { of: "object"; names: ReadonlySet<string>; patterns: readonly string[]; term: Term }
    >
  /** The term for the names of properties. */
  | TermOf<"names", { of: "object"; term: Term }>;

type WithoutId<T> = T extends unknown ? Omit<T, "id"> : never;

/** Creates terms, each of them once. */
export class TermTable {
  readonly #terms = new Map<string, Term>();
  readonly any: Term = this.#intern("any", (id) => ({ id, kind: "any" }));
  readonly never: Term = this.#intern("never", (id) => ({ id, kind: "never" }));

  types(types: TypeSet): Term {
    if (types === ALL_TYPES) return this.any;
    return types === 0 ? this.never : this.#intern(`types ${types}`, (id) => ({ id, kind: "types", types }));
  }

  literal(values: readonly JsonValue[]): Term {
    if (values.length === 0) return this.never;
    const byText = new Map(values.map((value) => [canonicalJson(value), value]));
    const keys = [...byText.keys()].sort();
    return this.#intern(`literal ${keys.join()}`, (id) => ({
      id,
      kind: "literal",
      values: [...byText.values()],
      texts: new Set(keys),
    }));
  }

  and(terms: readonly Term[]): Term {
    return this.#combine("and", terms, this.any, this.never);
  }

  or(terms: readonly Term[]): Term {
    return this.#combine("or", terms, this.never, this.any);
  }

  not(term: Term): Term {
    if (term.kind === "any") return this.never;
    if (term.kind === "never") return this.any;
    if (term.kind === "not") return term.term;
    return this.#intern(`not ${term.id}`, (id) => ({ id, kind: "not", term }));
  }

  later(key: string, open: () => Term): Term {
    return this.#intern(`later ${key}`, (id) => ({ id, kind: "later", open }));
  }

  /** Whether a term is a rule that the prover does not analyze. */
  hasOpaque = false;

  opaque(key: string): Term {
    this.hasOpaque = true;
    return this.#intern(`opaque ${key}`, (id) => ({ id, kind: "opaque" }));
  }

  atom(atom: WithoutId<Atom>): Term {
    return this.#intern(keyOf(atom), (id) => ({ ...atom, id }));
  }

  /** @param empty the result without terms; `whole`: the term that makes all others redundant */
  #combine(kind: "and" | "or", terms: readonly Term[], empty: Term, whole: Term): Term {
    const flat = new Map<number, Term>();
    const literals: (Term & { readonly kind: "literal" })[] = [];
    let types = kind === "and" ? ALL_TYPES : 0;
    const add = (term: Term): void => {
      if (term.kind === kind) term.terms.forEach(add);
      else if (term.kind === "types") types = kind === "and" ? types & term.types : types | term.types;
      else if (kind === "or" && term.kind === "literal") literals.push(term);
      else if (term !== empty) flat.set(term.id, term);
    };
    terms.forEach(add);
    // A union of enumerations is one enumeration.
    const [literal, ...others] = literals;
    if (literal !== undefined) {
      const all = others.length === 0 ? literal : this.literal(literals.flatMap(({ values }) => values));
      flat.set(all.id, all);
    }
    const ofTypes = this.types(types);
    if (ofTypes !== empty) flat.set(ofTypes.id, ofTypes);
    if (flat.has(whole.id)) return whole;
    const members = [...flat.values()].sort((a, b) => a.id - b.id);
    const [only] = members;
    if (only === undefined) return empty;
    if (members.length === 1) return only;
    return this.#intern(`${kind} ${members.map(({ id }) => id).join()}`, (id) => ({
      id,
      kind,
      terms: members,
    }));
  }

  #intern(key: string, make: (id: number) => Term): Term {
    const cached = this.#terms.get(key);
    if (cached !== undefined) return cached;
    const term = make(this.#terms.size);
    this.#terms.set(key, term);
    return term;
  }
}

function keyOf(atom: WithoutId<Atom>): string {
  const parts = Object.entries(atom).map(([key, value]: readonly [string, unknown]): unknown => {
    if (key === "term") return (value as Term).id;
    return value instanceof Set ? [...(value as Set<string>)].sort() : value;
  });
  return JSON.stringify(parts);
}

/** Returns the terms with rules for objects, except limits on the number of properties. */
export function objectAtoms(terms: readonly Term[]): readonly ObjectAtom[] {
  return terms.filter((term): term is ObjectAtom => "of" in term && term.of === "object" && !isBound(term));
}

/** Returns the terms with rules for arrays, except limits on the number of items. */
export function arrayAtoms(terms: readonly Term[]): readonly ArrayAtom[] {
  return terms.filter((term): term is ArrayAtom => "of" in term && term.of === "array" && !isBound(term));
}

function isBound(term: Term): boolean {
  return term.kind === "lower" || term.kind === "upper";
}

/** The steps for one term of a sequent. */
export const STEPS_OF_TERM = 0.1;

/** The claim that every value that fits all terms on the left fits at least one term on the right. */
export interface Sequent {
  readonly left: readonly Term[];
  readonly right: readonly Term[];
  /** Whether to assume that properties without a rule on the left do not occur: see `Prover.isIncluded`. */
  readonly isLenient: boolean;
}

/** How a proof about a value proves sequents about its parts, such as a property or an item. */
export interface InnerProver {
  readonly prove: (sequent: Sequent) => boolean;
  /** @throws OutOfStepsError when the proof has used up its steps */
  readonly spend: (steps: number) => void;
  /** Records the limit that ended a part of the proof. The proof continues without that part. */
  readonly giveUp: (limit: string) => void;
}

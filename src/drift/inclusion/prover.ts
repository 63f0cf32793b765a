import { formatNumber } from "../../core/printable.js";
import type { JsonValue } from "../../core/json.js";
import type { JsonType } from "../../core/schema-ir.js";
import { closeArray, closeNumber, closeObject, closeSize, closeString, findFew } from "./close-sequent.js";
import { OutOfStepsError, Steps } from "../../core/steps.js";
import { evaluateTerm } from "./evaluate-term.js";
import { hypothesesOf, isKnownFlat } from "./hypotheses.js";
import { type InnerProver, type Sequent, STEPS_OF_TERM, type Term, type TermTable } from "./term.js";
import { bitOf, typeOfValue } from "../../schema/ir/node-types.js";

const TYPES: readonly JsonType[] = ["object", "array", "string", "number", "boolean", "null"];

/** The steps of one proof, and of all proofs about two schemas. Real proofs take some thousands of steps. */
const MAX_STEPS = 400_000;
const MAX_STEPS_OF_ALL = 4_000_000;
/** The steps for any sequent, in addition to its terms. */
const STEPS_OF_SEQUENT = 10;
/** How deep into a value a proof goes. A proof notices recursion long before. */
const MAX_DEPTH = 60;

/**
 * Proves that one schema accepts no more than another. The proofs are sound but not complete: an unproved claim may still
 * be true. The method is a sequent calculus over the logical keywords, type by type; the theories of numbers, sizes, items
 * and properties close sequents without logic. A recursive schema is proved by induction over the depth of the value: the
 * claim is assumed for the parts of the value.
 */
export class Prover {
  readonly #table: TermTable;
  readonly #projected = new Map<JsonType, Map<Term, Term>>();
  readonly #known = new Map<string, boolean>();
  /** The sequents that are being proved, which the proof assumes for the parts of the value. */
  readonly #open = new Set<string>();
  /** Sequents proved with the help of open ones. They are forgotten if an open one fails. */
  #provisional: string[] = [];
  readonly #steps = new Steps(MAX_STEPS_OF_ALL);
  readonly #inner: InnerProver = {
    prove: (sequent) => this.#prove(sequent),
    spend: this.#steps.spend,
    giveUp: (limit) => {
      this.limit = limit;
    },
  };
  /** The limit that ended the last proof; undefined if the proof was complete. */
  limit: string | undefined;

  constructor(table: TermTable) {
    this.#table = table;
  }

  /** The steps of all proofs so far. */
  get spent(): number {
    return this.#steps.spent;
  }

  /**
   * Whether a proof shows that `b` accepts every value that `a` accepts.
   *
   * @param isLenient whether to assume that callers pass no property that an open object of `a` does not declare. Then a
   *   new optional property breaks no caller, although `a` accepted any value under its name.
   */
  isIncluded(a: Term, b: Term, isLenient = false): boolean {
    return this.#start({ left: [a], right: [b], isLenient });
  }

  /** Whether a proof shows that no value fits both terms. */
  isDisjoint(a: Term, b: Term): boolean {
    return this.#start({ left: [a, b], right: [], isLenient: false });
  }

  #start(sequent: Sequent): boolean {
    this.limit = undefined;
    this.#steps.begin(MAX_STEPS);
    try {
      return this.#prove(sequent);
    } catch (error) {
      if (!(error instanceof OutOfStepsError)) throw error;
      for (const proved of this.#provisional) this.#known.delete(proved);
      this.#provisional = [];
      this.#open.clear();
      this.limit = this.#steps.hasMore
        ? `A proof takes more than ${formatNumber(MAX_STEPS)} steps.`
        : `The proofs about these schemas take more than ${formatNumber(MAX_STEPS_OF_ALL)} steps.`;
      return false;
    }
  }

  #prove(sequent: Sequent): boolean {
    const { left, right, isLenient } = sequent;
    if (left.some((term) => term.kind === "never" || right.includes(term))) return true;
    if (right.some(({ kind }) => kind === "any")) return true;
    const key = `${isLenient ? "l" : "s"} ${idsOf(left)} ${idsOf(right)}`;
    const cached = this.#known.get(key);
    if (cached !== undefined) return cached;
    if (this.#open.has(key)) return true;
    if (this.#open.size >= MAX_DEPTH) return false;
    const before = this.#provisional.length;
    this.#open.add(key);
    const isProved = TYPES.every((type) => this.#proveFor(type, sequent));
    this.#open.delete(key);
    if (!isProved) {
      // Later proofs may have assumed this sequent.
      for (const proved of this.#provisional.splice(before)) this.#known.delete(proved);
      this.#known.set(key, false);
      return false;
    }
    this.#known.set(key, true);
    this.#provisional.push(key);
    if (this.#open.size === 0) this.#provisional = [];
    return true;
  }

  #proveFor(type: JsonType, { left, right, isLenient }: Sequent): boolean {
    const project = (term: Term): Term => this.#project(term, type);
    return this.#search(type, { left: left.map(project), right: right.map(project), isLenient });
  }

  #search(type: JsonType, sequent: Sequent): boolean {
    const size = sequent.right.length + (isKnownFlat(sequent.left) ? 0 : sequent.left.length);
    this.#steps.spend(STEPS_OF_SEQUENT + size * STEPS_OF_TERM);
    const flat = flatten(sequent);
    if (flat === undefined) return true;
    const { left, right, isLenient } = flat;
    const { terms, choice } = hypothesesOf(left);
    if (right.some((term) => terms.has(term))) return true;
    const few = findFew(type, left);
    if (few !== undefined) {
      this.#steps.spend(few.length * (1 + left.length + right.length));
      return few.every((value) => isClosedFor(value, flat));
    }
    if (choice !== undefined) {
      const others = left.filter((term) => term !== choice);
      return choice.terms.every((term) => this.#search(type, { left: [...others, term], right, isLenient }));
    }
    return this.#proveRight(type, flat);
  }

  /** Proves a sequent with rules on the left, and rules or conjunctions of rules on the right. */
  #proveRight(type: JsonType, { left, right, isLenient }: Sequent): boolean {
    const groups = right.flatMap((term) => (term.kind === "and" ? [term] : []));
    const rules = right.filter(({ kind }) => kind !== "and");
    if (this.#close(type, { left, right: rules, isLenient })) return true;
    const unproved: { readonly group: Term; readonly terms: readonly Term[] }[] = [];
    for (const group of groups) {
      const terms = group.terms.filter(
        (term) => !this.#search(type, { left, right: [...rules, term], isLenient }),
      );
      if (terms.length === 0) return true;
      unproved.push({ group, terms });
    }
    if (groups.length < 2) return false;
    const [first] = unproved.sort((a, b) => a.terms.length - b.terms.length);
    const others = right.filter((term) => term !== first?.group);
    return (
      first?.terms.every((term) => this.#search(type, { left, right: [...others, term], isLenient })) === true
    );
  }

  #close(type: JsonType, sequent: Sequent): boolean {
    switch (type) {
      case "null":
      case "boolean":
        return false;
      case "number":
        return closeNumber(sequent);
      case "string":
        return closeString(sequent, this.#inner);
      case "array":
        return closeSize(type, sequent) || closeArray(sequent, this.#inner);
      case "object":
        return closeSize(type, sequent) || closeObject(sequent, this.#inner);
      default:
        return type satisfies never;
    }
  }

  /** Reduces a term to values of one type: the result has no rule for another type, and no reference at its top level. */
  #project(term: Term, type: JsonType): Term {
    const cached = this.#projected.get(type) ?? new Map<Term, Term>();
    this.#projected.set(type, cached);
    const projected = cached.get(term) ?? this.#makeProjected(term, type);
    cached.set(term, projected);
    return projected;
  }

  #makeProjected(term: Term, type: JsonType): Term {
    const table = this.#table;
    if ("of" in term) return term.of === type ? term : table.any;
    switch (term.kind) {
      case "any":
      case "never":
      case "opaque":
        return term;
      case "types":
        return (term.types & bitOf(type)) === 0 ? table.never : table.any;
      case "literal": {
        const values = term.values.filter((value) => typeOfValue(value) === type);
        const isAll = values.length === (type === "null" ? 1 : type === "boolean" ? 2 : Infinity);
        return isAll ? table.any : table.literal(values);
      }
      case "and":
      case "or":
        return table[term.kind](term.terms.map((part) => this.#project(part, type)));
      case "not":
        return table.not(this.#project(term.term, type));
      case "later":
        return this.#project(term.open(), type);
      default:
        return term satisfies never;
    }
  }
}

/** Splits the terms that can be split in only one way. Returns undefined if that already proves the sequent. */
function flatten({ left, right, isLenient }: Sequent): Sequent | undefined {
  // Keep a flat left side as the same object, because caches use it as their key.
  let lefts = isKnownFlat(left) ? undefined : new Set<Term>();
  const rights = new Set<Term>();
  let isStillLenient = isLenient;
  const addLeft = (term: Term): boolean => {
    if (term.kind === "and") return term.terms.every(addLeft);
    if (term.kind === "not") {
      isStillLenient = false;
      return addRight(term.term);
    }
    if (term.kind !== "any") (lefts ??= new Set(left)).add(term);
    return term.kind !== "never";
  };
  const addRight = (term: Term): boolean => {
    if (term.kind === "or") return term.terms.every(addRight);
    if (term.kind === "not") {
      isStillLenient = false;
      return addLeft(term.term);
    }
    if (term.kind !== "never") rights.add(term);
    return term.kind !== "any";
  };
  const isOpen = (lefts === undefined || left.every(addLeft)) && right.every(addRight);
  if (!isOpen) return undefined;
  return { left: lefts === undefined ? left : [...lefts], right: [...rights], isLenient: isStillLenient };
}

function isClosedFor(value: JsonValue, { left, right }: Sequent): boolean {
  return (
    left.some((term) => evaluateTerm(term, value) === false) ||
    right.some((term) => evaluateTerm(term, value) === true)
  );
}

function idsOf(terms: readonly Term[]): string {
  return [...new Set(terms.map(({ id }) => id))].sort((a, b) => a - b).join();
}

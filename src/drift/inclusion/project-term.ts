import type { JsonType } from "../../contract/schema-ir.js";
import { bitOf, typeOfValue } from "../../schema/node-types.js";
import type { Term, TermTable } from "./term.js";

/** Reduces terms to values of one type: the result has no rule for another type, and no reference at its top level. */
export class Projector {
  readonly #table: TermTable;
  readonly #known = new Map<JsonType, Map<Term, Term>>();

  constructor(table: TermTable) {
    this.#table = table;
  }

  project(term: Term, type: JsonType): Term {
    const known = this.#known.get(type) ?? new Map<Term, Term>();
    this.#known.set(type, known);
    const done = known.get(term);
    if (done !== undefined) return done;
    const projected = this.#project(term, type);
    known.set(term, projected);
    return projected;
  }

  #project(term: Term, type: JsonType): Term {
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
        return table[term.kind](term.terms.map((part) => this.project(part, type)));
      case "not":
        return table.not(this.project(term.term, type));
      case "later":
        return this.project(term.open(), type);
      default:
        return term satisfies never;
    }
  }
}

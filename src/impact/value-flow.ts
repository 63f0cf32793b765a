import type { ts } from "ts-morph";
import type { Holder, NameIndex } from "./name-index.js";
import { readBy, sourcesOf } from "./value-sources.js";
import { type Uses, usesOf, usesOfName } from "./value-uses.js";

/**
 * Follows values through the user's code: variables, parameters, results of functions, lists, and properties of its own
 * types. A value is only likely to get there, since conditions are not looked at.
 */
export class ValueFlow {
  readonly #index: NameIndex;
  readonly #given: ReadonlyMap<Holder, ReadonlySet<Holder>>;
  readonly #sources = new Map<Holder, readonly Holder[]>();

  /** @param given for properties of the user's own types, the properties of objects that code gives to these types */
  constructor(index: NameIndex, given: ReadonlyMap<Holder, ReadonlySet<Holder>>) {
    this.#index = index;
    this.#given = given;
  }

  /** Returns the declarations whose values an expression may have. */
  findOrigins(expression: ts.Expression): ReadonlySet<Holder> {
    const found = new Set(readBy(expression, this.#index));
    for (const holder of found) this.#sourcesOf(holder).forEach((source) => found.add(source));
    return found;
  }

  /** Returns the declarations that may get an expression's value, and what this value may be compared with. */
  findUses(expression: ts.Expression): Uses {
    const first = usesOf(expression, this.#index);
    const takers = new Set(first.takers);
    const compared = [...first.compared];
    for (const taker of takers)
      for (const name of this.#index.referencesTo(taker)) {
        const next = usesOfName(name, this.#index);
        next.takers.forEach((holder) => takers.add(holder));
        compared.push(...next.compared);
      }
    return { takers: [...takers], compared };
  }

  #sourcesOf(holder: Holder): readonly Holder[] {
    const known = this.#sources.get(holder);
    if (known !== undefined) return known;
    const found = [...(this.#given.get(holder) ?? []), ...sourcesOf(holder, this.#index)];
    this.#sources.set(holder, found);
    return found;
  }
}

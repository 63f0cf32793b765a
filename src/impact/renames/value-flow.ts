import type { ts } from "ts-morph";
import { findGiven } from "./find-given.js";
import { type Holder, NameIndex } from "./name-index.js";
import { type OpenedCode, ownFilesOf } from "./open-code.js";
import { originsOf } from "./property-origins.js";
import { readBy, sourcesOf } from "./value-sources.js";
import { type Uses, usesOf, usesOfName } from "./value-uses.js";

/**
 * Follows values through the user's code: variables, parameters, results of functions, lists, and properties of its own
 * types. A value is only likely to get there, since conditions are not looked at.
 */
export class ValueFlow {
  readonly #opened: OpenedCode;
  readonly #index: NameIndex;
  readonly #names: ReadonlySet<string>;
  readonly #sources = new Map<Holder, readonly Holder[]>();
  #given: ReadonlyMap<Holder, ReadonlySet<Holder>> | undefined;

  /** @param names the properties whose values are followed where code gives a whole object to a type of its own */
  constructor(opened: OpenedCode, names: ReadonlySet<string>) {
    this.#opened = opened;
    this.#index = new NameIndex(ownFilesOf(opened), opened.program.getTypeChecker());
    this.#names = names;
  }

  /** Returns the declarations whose values an expression may have. */
  findOrigins(expression: ts.Expression): ReadonlySet<Holder> {
    const found = new Set(readBy(expression, this.#index));
    for (const holder of found) this.#sourcesOf(holder).forEach((source) => found.add(source));
    return found;
  }

  /** Returns the declarations that may get an expression's value, and what this value may be compared with. */
  findUses(expression: ts.Expression): Uses {
    return this.#follow(usesOf(expression, this.#index));
  }

  /** Returns what may be looked up in an object, anywhere: `counts[order.state]` for the `counts` of `counts["PAID"]`. */
  findLookups(object: ts.Expression): Uses {
    return this.#follow({ takers: readBy(object, this.#index), compared: [] });
  }

  #follow(first: Uses): Uses {
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
    this.#given ??= this.#findGiven();
    const found = [...(this.#given.get(holder) ?? []), ...sourcesOf(holder, this.#index)];
    this.#sources.set(holder, found);
    return found;
  }

  /** For properties of the user's own types, the properties of objects that code gives to these types. */
  #findGiven(): ReadonlyMap<Holder, ReadonlySet<Holder>> {
    const { files, program } = this.#opened;
    const checker = program.getTypeChecker();
    const given = new Map<Holder, Set<Holder>>();
    findGiven(files, checker, this.#names, (from, to) => {
      for (const taker of originsOf(to, checker))
        given.set(taker, new Set([...(given.get(taker) ?? []), ...originsOf(from, checker)]));
      return false;
    });
    return given;
  }
}

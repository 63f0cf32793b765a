import { isEqual } from "../../contract/json.js";
import { zodPart, type KeyRules, type SchemaPart } from "../key-rules.js";
import { keyRulesOfJsonSchema, keyRulesOfZod } from "./declared-keys.js";

/** A value without the unknown keys, and their paths. */
interface Removal {
  readonly value: unknown;
  /** Each once; `*` replaces the index of an item. */
  readonly paths: readonly (readonly string[])[];
}

/** Deeper levels of a value are returned unchanged. */
const MAX_DEPTH = 500;

/**
 * Removes unknown keys from the closed objects of a schema.
 *
 * A key is known if any schema of the same value names it, has a pattern that matches it, or has a schema for additional
 * keys. The branches of a union count too, except those that a property with listed values rules out. So a key that
 * decides between branches is never removed.
 */
export function removeUnknownKeys(schema: object, value: unknown): Removal {
  const filter = new KeyFilter();
  const kept = filter.filter(value, [zodPart(schema)], []);
  return { value: kept, paths: [...filter.paths.values()] };
}

class KeyFilter {
  readonly paths = new Map<string, readonly string[]>();
  readonly #rules = new Map<unknown, KeyRules>();

  /** Returns the value without its unknown keys, or the same value if it has none. */
  filter(value: unknown, parts: readonly SchemaPart[], path: readonly string[]): unknown {
    if (parts.length === 0 || path.length > MAX_DEPTH) return value;
    if (Array.isArray(value)) return this.#filterItems(value, this.#collect(parts, value), path);
    return isPlainObject(value) ? this.#filterKeys(value, this.#collect(parts, value), path) : value;
  }

  #filterItems(value: readonly unknown[], rules: readonly KeyRules[], path: readonly string[]): unknown {
    const inside = [...path, "*"];
    const kept = value.map((item, index) => {
      const parts = rules.flatMap(({ prefix = [], items, anyItem = [] }) => [
        ...[prefix[index] ?? items].filter((part) => part !== undefined),
        ...anyItem,
      ]);
      return this.filter(item, parts, inside);
    });
    return kept.every((item, index) => item === value[index]) ? value : kept;
  }

  #filterKeys(value: PlainObject, rules: readonly KeyRules[], path: readonly string[]): unknown {
    const accepts = rules.map(({ additional }) => additional && this.#rulesOf(additional).accepts);
    const mayRemove =
      accepts.includes("nothing") && !rules.some(({ constrainsAllKeys }) => constrainsAllKeys === true);
    const isGoverned = rules.some(
      ({ additional }, at) => additional !== undefined && accepts[at] === undefined,
    );
    const isKnown = (key: string): boolean =>
      isGoverned ||
      rules.some(
        ({ properties, patterns = [] }) =>
          properties?.has(key) === true || patterns.some(({ matches }) => matches(key)),
      );
    const kept: (readonly [string, unknown])[] = [];
    let isSame = true;
    for (const [key, item] of Object.entries(value)) {
      const isRemoved = mayRemove && !isKnown(key);
      const isLeaf = typeof item !== "object" || item === null;
      if (isLeaf && !isRemoved) {
        kept.push([key, item]);
        continue;
      }
      const inside = [...path, key];
      const filtered = isRemoved ? undefined : this.filter(item, partsOfKey(key, rules), inside);
      if (isRemoved) this.paths.set(JSON.stringify(inside), inside);
      else kept.push([key, filtered]);
      isSame &&= !isRemoved && filtered === item;
    }
    return isSame ? value : Object.fromEntries(kept);
  }

  /** Returns the rules of all schemas that may apply to a value. */
  #collect(parts: readonly SchemaPart[], value: unknown): readonly KeyRules[] {
    return this.#follow(parts, ({ also = [], maybe = [], unions = [] }) => [
      ...also,
      ...maybe,
      ...unions.flatMap((members) => this.#possible(members, value)),
    ]);
  }

  #follow(
    parts: readonly SchemaPart[],
    next: (rules: KeyRules) => readonly SchemaPart[],
  ): readonly KeyRules[] {
    const found = new Map<unknown, KeyRules>();
    const open = [...parts];
    for (let part = open.pop(); part !== undefined; part = open.pop()) {
      if (found.has(part.schema)) continue;
      const rules = this.#rulesOf(part);
      found.set(part.schema, rules);
      open.push(...next(rules));
    }
    return [...found.values()];
  }

  /** Returns the members of a union that no property with listed values rules out, or all members if none remains. */
  #possible(members: readonly SchemaPart[], value: unknown): readonly SchemaPart[] {
    if (!isPlainObject(value)) return members;
    const possible = members.filter((member) => !this.#isRuledOut(member, value));
    return possible.length > 0 ? possible : members;
  }

  #isRuledOut(member: SchemaPart, value: PlainObject): boolean {
    const must = ({ also = [] }: KeyRules): readonly SchemaPart[] => also;
    const properties = this.#follow([member], must).flatMap((rules) => [...(rules.properties ?? [])]);
    return properties.some(([name, part]) => {
      if (part === undefined || !Object.hasOwn(value, name)) return false;
      return this.#follow([part], must).some(
        ({ values }) => values !== undefined && !values.some((one) => isEqual(one, value[name])),
      );
    });
  }

  #rulesOf(part: SchemaPart): KeyRules {
    const known = this.#rules.get(part.schema);
    if (known !== undefined) return known;
    const rules =
      part.kind === "zod" ? keyRulesOfZod(part.schema) : keyRulesOfJsonSchema(part.schema, part.definitions);
    this.#rules.set(part.schema, rules);
    return rules;
  }
}

/** Returns the schemas that apply to the value of a key. */
function partsOfKey(key: string, rules: readonly KeyRules[]): readonly SchemaPart[] {
  return rules.flatMap(({ properties, patterns = [], additional }) => {
    const named = properties?.get(key);
    const matching = patterns.filter(({ matches }) => matches(key)).map(({ schema }) => schema);
    const isOther = properties?.has(key) !== true && matching.length === 0;
    return [named, ...matching, isOther ? additional : undefined].filter((part) => part !== undefined);
  });
}

type PlainObject = { readonly [key: string]: unknown };

/** Whether a value is a JSON object. A program's own tools may also return other objects, such as dates. */
function isPlainObject(value: unknown): value is PlainObject {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

import { getOwn, isJsonArray, isJsonObject, type JsonObject, type JsonValue } from "../contract/json.js";
import { decodeFragment, findAt, joinPointer } from "../contract/json-pointer.js";
import { splitPath } from "../contract/consumer.js";
import { subschemasOf } from "../contract/subschemas.js";

/**
 * A subschema that applies to a value: its pointer in the schema, and a name, which is the same or a pointer through the
 * references that led to it. Changes are reported at either.
 */
interface Place {
  readonly pointer: string;
  readonly name: string;
}

/** More places than any schema has for one value. */
const MOST_PLACES = 2_000;
const LISTS = ["allOf", "anyOf", "oneOf"] as const;
const SINGLES = ["if", "then", "else", "not"] as const;

/** Finds the subschemas that apply to the values at paths of a schema's values. */
export class SchemaPaths {
  readonly #root: JsonValue;
  readonly #known = new Map<string, readonly Place[]>();

  constructor(root: JsonValue) {
    this.#root = root;
  }

  /** The pointers of the subschemas for the value at a path, and of those that lead to them through references. */
  at(path: string): ReadonlySet<string> {
    return new Set(this.#placesAt(path).map(({ name }) => name));
  }

  /** As `at`, with every subschema below the value. */
  below(path: string): ReadonlySet<string> {
    const seen = new Set<string>();
    const open = this.#placesAt(path).map(({ pointer, name }) => [pointer, name]);
    for (let next = open.pop(); next !== undefined && seen.size < MOST_PLACES; next = open.pop()) {
      const [pointer = "", name = ""] = next;
      if (seen.has(name)) continue;
      seen.add(name);
      const schema = findAt(this.#root, pointer);
      if (!isJsonObject(schema)) continue;
      for (const [, at] of subschemasOf(schema, "")) open.push([pointer + at, name + at]);
      const target = this.#targetOf(schema);
      if (target !== undefined) open.push([target, target]);
    }
    return seen;
  }

  #placesAt(path: string): readonly Place[] {
    const known = this.#known.get(path);
    if (known !== undefined) return known;
    const end = path.lastIndexOf("/");
    const [step] = path === "" ? [] : splitPath(path.slice(end)).slice(-1);
    const places =
      path === ""
        ? this.#expand([{ pointer: "", name: "" }])
        : this.#expand(this.#placesAt(path.slice(0, end)).flatMap((place) => this.#step(place, step)));
    this.#known.set(path, places);
    return places;
  }

  /** The subschemas for a property, or for any item or key. */
  #step({ pointer, name }: Place, step: string | undefined): readonly Place[] {
    const schema = findAt(this.#root, pointer);
    if (!isJsonObject(schema)) return [];
    const below = (...steps: readonly (string | number)[]): Place => ({
      pointer: joinPointer(pointer, ...steps),
      name: joinPointer(name, ...steps),
    });
    const each = (keyword: string): readonly Place[] => {
      const value = getOwn(schema, keyword);
      if (isJsonArray(value)) return value.map((_, index) => below(keyword, index));
      return value === undefined ? [] : [below(keyword)];
    };
    const patterns = Object.keys(objectAt(schema, "patternProperties")).map((pattern) =>
      below("patternProperties", pattern),
    );
    if (step === undefined)
      return [
        ...["prefixItems", "items", "additionalItems", "unevaluatedItems", "contains"].flatMap(each),
        ...["additionalProperties", "unevaluatedProperties"].flatMap(each),
        ...patterns,
      ];
    const dependent = Object.hasOwn(objectAt(schema, "properties"), step);
    return dependent
      ? [below("properties", step), ...patterns]
      : [...["additionalProperties", "unevaluatedProperties"].flatMap(each), ...patterns];
  }

  /** Adds the subschemas that apply to the same value. */
  #expand(places: readonly Place[]): readonly Place[] {
    const found = new Map<string, Place>();
    const open = [...places];
    for (let next = open.pop(); next !== undefined && found.size < MOST_PLACES; next = open.pop()) {
      const { pointer, name } = next;
      const key = `${pointer} ${name}`;
      if (found.has(key)) continue;
      found.set(key, next);
      const schema = findAt(this.#root, pointer);
      if (!isJsonObject(schema)) continue;
      const add = (...steps: readonly (string | number)[]): void => {
        open.push({ pointer: joinPointer(pointer, ...steps), name: joinPointer(name, ...steps) });
      };
      for (const keyword of LISTS) {
        const branches = getOwn(schema, keyword);
        if (isJsonArray(branches))
          branches.forEach((_, index) => {
            add(keyword, index);
          });
      }
      for (const keyword of SINGLES) if (Object.hasOwn(schema, keyword)) add(keyword);
      for (const trigger of Object.keys(objectAt(schema, "dependentSchemas")))
        add("dependentSchemas", trigger);
      const target = this.#targetOf(schema);
      // A path through many references has many names; the pointer alone is enough then.
      if (target !== undefined) open.push({ pointer: target, name: target }, { pointer: target, name });
    }
    return [...found.values()];
  }

  #targetOf(schema: JsonObject): string | undefined {
    const ref = getOwn(schema, "$ref");
    if (typeof ref !== "string" || !ref.startsWith("#")) return undefined;
    const pointer = decodeFragment(ref.slice(1));
    return pointer === "" || pointer.startsWith("/") ? pointer : undefined;
  }
}

function objectAt(schema: JsonObject, key: string): JsonObject {
  const value = getOwn(schema, key);
  return isJsonObject(value) ? value : {};
}

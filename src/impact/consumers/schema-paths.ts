import { type ConsumedServer, type ConsumedTool, digestOfSchemas, splitPath } from "../../core/consumer.js";
import { findAt, splitPointer } from "../../core/json-pointer.js";
import { isJsonObject, type JsonValue } from "../../core/json.js";
import type { ServerSnapshot, ToolSnapshot } from "../../core/snapshot.js";
import { pointerOfRef, subschemasOf } from "../../core/subschemas.js";

/**
 * A subschema that applies to a value: its pointer in the schema, and a name, which is the same or a pointer through the
 * references that led to it. Changes are reported at either.
 */
interface Place {
  readonly pointer: string;
  readonly name: string;
}

/** A schema right below another: `/properties/id` is at keyword `properties` with key `id`. */
interface Below {
  readonly at: string;
  readonly keyword: string;
  readonly key: string | undefined;
}

interface Parts {
  readonly below: readonly Below[];
  readonly target: string | undefined;
}

/** More places than any schema has for one value. */
const MOST_PLACES = 2_000;
/** Keywords whose schemas apply to the same value. */
const IN_PLACE: ReadonlySet<string> = new Set(
  "allOf anyOf oneOf if then else not dependentSchemas".split(" "),
);
/** Keywords whose schemas apply to properties that `properties` does not name. */
const REST: ReadonlySet<string> = new Set(["additionalProperties", "unevaluatedProperties"]);
/** Keywords whose schemas apply to items, or to keys of a map. */
const ANY: ReadonlySet<string> = new Set([
  ...["prefixItems", "items", "additionalItems", "unevaluatedItems", "contains", "patternProperties"],
  ...REST,
]);

/** Finds the subschemas that apply to the values at paths of a schema's values. */
export class SchemaPaths {
  readonly #root: JsonValue;
  readonly #known = new Map<string, readonly Place[]>();
  readonly #parts = new Map<string, Parts>();

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
      const { below, target } = this.#partsAt(pointer);
      for (const { at } of below) open.push([pointer + at, name + at]);
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

  #step({ pointer, name }: Place, step: string | undefined): readonly Place[] {
    const { below } = this.#partsAt(pointer);
    const isNamed = ({ keyword, key }: Below): boolean => keyword === "properties" && key === step;
    const isDeclared = below.some(isNamed);
    return below
      .filter((one) => {
        if (step === undefined) return ANY.has(one.keyword);
        return isNamed(one) || one.keyword === "patternProperties" || (!isDeclared && REST.has(one.keyword));
      })
      .map(({ at }) => ({ pointer: pointer + at, name: name + at }));
  }

  #expand(places: readonly Place[]): readonly Place[] {
    const found = new Map<string, Place>();
    const open = [...places];
    for (let next = open.pop(); next !== undefined && found.size < MOST_PLACES; next = open.pop()) {
      const { pointer, name } = next;
      const key = `${pointer} ${name}`;
      if (found.has(key)) continue;
      found.set(key, next);
      const { below, target } = this.#partsAt(pointer);
      for (const { at, keyword } of below)
        if (IN_PLACE.has(keyword)) open.push({ pointer: pointer + at, name: name + at });
      // A path through many references has many names; the pointer alone is enough then.
      if (target !== undefined) open.push({ pointer: target, name: target }, { pointer: target, name });
    }
    return [...found.values()];
  }

  #partsAt(pointer: string): Parts {
    const known = this.#parts.get(pointer);
    if (known !== undefined) return known;
    const schema = findAt(this.#root, pointer);
    const parts: Parts = isJsonObject(schema)
      ? {
          below: subschemasOf(schema, "").map(([, at]) => {
            const [keyword = "", key] = splitPointer(at);
            return { at, keyword, key };
          }),
          target: pointerOfRef(schema),
        }
      : { below: [], target: undefined };
    this.#parts.set(pointer, parts);
    return parts;
  }
}

/** A server of the provider before and after changes. One is absent where the server is new or was removed. */
export interface ProvidedServer {
  readonly server: string;
  readonly before?: ServerSnapshot | undefined;
  readonly after?: ServerSnapshot | undefined;
  /** Definitions of earlier locks, as {@link keyOfDefinition}. */
  readonly former?: ReadonlySet<string> | undefined;
}

export function keyOfDefinition(tool: string, schemas: string): string {
  return JSON.stringify([tool, schemas]);
}

/** The tools of a provided server, by name. */
export interface ProvidedTools {
  readonly before: ReadonlyMap<string, ToolSnapshot>;
  readonly after: ReadonlyMap<string, ToolSnapshot>;
  /** Names of tools by the name of their ability. */
  readonly byAbility: ReadonlyMap<string, string>;
}

export function providedTools({ before, after }: ProvidedServer): ProvidedTools {
  const byName = (snapshot: ServerSnapshot | undefined): ReadonlyMap<string, ToolSnapshot> =>
    new Map((snapshot?.tools ?? []).map((tool) => [tool.name, tool]));
  const abilities = [after, before].flatMap((snapshot) => Object.entries(snapshot?.abilities ?? {}));
  return {
    before: byName(before),
    after: byName(after),
    byAbility: new Map(abilities.map(([tool, { definition }]) => [definition.name, tool])),
  };
}

/** The name that the provider gives to a consumed tool: the tool of the same ability, or else of the same name. */
export function providedNameOf(
  name: string,
  { ability }: ConsumedTool,
  tools: ProvidedTools,
): string | undefined {
  const own = ability === undefined ? undefined : tools.byAbility.get(ability);
  if (own !== undefined) return own;
  return tools.before.has(name) || tools.after.has(name) ? name : undefined;
}

/**
 * How well a consumed server fits a provided one: by an ability that both have, by a tool with the same schemas, now or in an
 * earlier lock, by the name that the server gives itself, or by the name in both configurations. 0 if it does not fit.
 */
export function fitOf(
  name: string,
  { serverName, tools: consumed }: ConsumedServer,
  provided: ProvidedServer,
  tools: ProvidedTools,
): number {
  const entries = Object.entries(consumed);
  if (entries.some(([, { ability }]) => ability !== undefined && tools.byAbility.has(ability))) return 4;
  const isSame = ([tool, { schemas }]: readonly [string, ConsumedTool]): boolean =>
    provided.former?.has(keyOfDefinition(tool, schemas)) === true ||
    [tools.before, tools.after].some((side) => {
      const definition = side.get(tool);
      return definition !== undefined && digestOfSchemas(definition) === schemas;
    });
  const named = [provided.before, provided.after].flatMap(
    (snapshot) => snapshot?.identity.serverInfo["name"] ?? [],
  );
  const isNamed = serverName !== undefined && named.includes(serverName);
  const hasCommon = entries.some(([tool, use]) => providedNameOf(tool, use, tools) !== undefined);
  if (isNamed && hasCommon) return 3;
  if (entries.some(isSame)) return 2;
  return name === provided.server ? 1 : 0;
}

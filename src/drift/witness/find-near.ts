import { findAt, joinPointer, splitPointer } from "../../core/json-pointer.js";
import { holderOf } from "../../core/subschemas.js";
import { findOwn, getOwn, isJsonArray, type JsonValue, listOrEmpty } from "../../core/json.js";
import { findPlaces, type InstancePlace } from "./instance-places.js";
import { samplePattern } from "../../schema/sample/sample-pattern.js";
import { partsAt } from "../../schema/sample/sample-value.js";
import {
  type Branches,
  expandParts,
  EXTRA_NAME,
  findReferred,
  keywordsOf,
  partBelow,
  rootPart,
  type DocumentPart,
  type InstanceStep,
} from "../../schema/sample/schema-part.js";

/** The most uses of one definition that are searched. */
const MAX_USES = 4;

/**
 * Returns the places in instances for a JSON Pointer into one of two schemas, and for the routes to it. The first way to each
 * place takes the branches in the pointer, because a union may have more branches than can be tried.
 */
export function findNear(
  places: readonly InstancePlace[],
  accepts: DocumentPart,
  rejects: DocumentPart,
  { at, routes }: { readonly at: string; readonly routes: readonly Route[] },
): readonly InstancePlace[] {
  const found = findPlaces(places, at).slice(0, MAX_USES);
  const all = routes.slice(0, MAX_USES);
  const isSame = (place: InstancePlace, route: Route): boolean =>
    JSON.stringify(place.path) === JSON.stringify(route.path);
  const missed = all.filter((route) => !found.some((place) => isSame(place, route)));
  return [
    ...missed.map((route) => placeOn(accepts, rejects, route)),
    ...found.map((place) => {
      const first = all.filter((route) => isSame(place, route)).map(({ branches }) => branches);
      return first.length === 0 ? place : { ...place, ways: joinWays(first, place.ways) };
    }),
  ];
}

function joinWays(first: readonly Branches[], others: readonly Branches[]): readonly Branches[] {
  const ways = [...first, ...others].map((way) => [JSON.stringify([...way]), way] as const);
  return [...new Map(ways).values()];
}

/** Returns the place of a route that is not among the listed places, because it is too deep or in a large union. */
function placeOn(accepts: DocumentPart, rejects: DocumentPart, { path, branches }: Route): InstancePlace {
  const partsOf = (root: DocumentPart): readonly DocumentPart[] =>
    expandParts([0, 1].flatMap((turn) => partsAt(root, path, { turn, branches })));
  return { path, accepting: partsOf(accepts), rejecting: partsOf(rejects), ways: [branches] };
}

/** A way from the root of a schema to a subschema. */
export interface Route {
  /** The JSON Pointer that the subschema would have without the references on the way. */
  readonly pointer: string;
  /** The place in instances. */
  readonly path: readonly InstanceStep[];
  /** The branch of each union on the way. */
  readonly branches: Branches;
}

/** The most routes to one definition. */
const MAX_ROUTES = 4;

/**
 * Returns the routes to a JSON Pointer into one of two schemas, those of the schema that has a value there first: the other
 * may use a definition of the same name for something else.
 */
export function findRoutesInPair(accepts: JsonValue, rejects: JsonValue, at: string): readonly Route[] {
  const documents = findAt(accepts, at) === undefined ? [rejects, accepts] : [accepts, rejects];
  const routes = documents.flatMap((document) => findRoutes(document, at));
  return [...new Map(routes.map((route) => [route.pointer, route] as const)).values()];
}

/**
 * Returns the routes from the root of a schema to the subschema at a pointer, so that one branch among many needs no search.
 * A definition may have several routes; an unused one has none.
 */
function findRoutes(document: JsonValue, at: string): readonly Route[] {
  let references: readonly Reference[] | undefined;
  const ways = new Map<string, readonly Route[]>();
  const follow = (pointer: string): readonly Route[] => {
    const { from, path, branches } = readPointer(document, pointer);
    if (from === "") return [{ pointer, path, branches }];
    const known = ways.get(from);
    if (known === undefined) {
      // A schema that refers to itself is reached by another path.
      ways.set(from, []);
      references ??= [...listReferences(document)];
      const uses = references.filter(({ to }) => to === from);
      const found: Route[] = [];
      for (const use of uses) {
        if (found.length >= MAX_ROUTES) break;
        found.push(...follow(use.at));
      }
      ways.set(from, found.slice(0, MAX_ROUTES));
    }
    return (ways.get(from) ?? []).map((way) => ({
      pointer: way.pointer + pointer.slice(from.length),
      path: [...way.path, ...path],
      branches: new Map([...way.branches, ...branches]),
    }));
  };
  return follow(at);
}

/** A way that starts at a definition, or at the root. */
interface PartialRoute extends Omit<Route, "pointer"> {
  readonly from: string;
}

/** Follows a pointer as long as each step leads to a schema. */
function readPointer(document: JsonValue, at: string): PartialRoute {
  const steps = splitPointer(at);
  const path: InstanceStep[] = [];
  const branches = new Map<string, number>();
  let from = "";
  let part = rootPart(document);
  for (let index = 0; index < steps.length;) {
    const keyword = steps[index] ?? "";
    const next = steps[index + 1];
    const value = getOwn(keywordsOf(part), keyword);
    const holder = holderOf(keyword);
    if (holder === undefined || APART.has(keyword)) break;
    const isNamed = holder !== "one" || (keyword === "items" && isJsonArray(value));
    if (isNamed && next === undefined) break;
    if (keyword === "$defs" || keyword === "definitions") {
      from = joinPointer(part.pointer, keyword, next ?? "");
      path.length = 0;
      branches.clear();
    }
    if (keyword === "anyOf" || keyword === "oneOf")
      branches.set(joinPointer(part.pointer, keyword), Number(next));
    path.push(...stepsInto(part, keyword, isNamed ? next : undefined));
    const below = isNamed ? childOf(value, next ?? "") : value;
    part = partBelow(part, below ?? {}, keyword, ...(isNamed ? [next ?? ""] : []));
    index += isNamed ? 2 : 1;
  }
  return { from, path, branches };
}

/** Keywords with one schema that applies neither to the value itself nor to a part of it. */
const APART: ReadonlySet<string> = new Set(["propertyNames", "contentSchema"]);

function childOf(value: JsonValue | undefined, name: string): JsonValue | undefined {
  if (isJsonArray(value)) return value[Number(name)];
  return findOwn(value, name);
}

/** The steps from the value of a part to the value of the schema under one of its keywords. */
function stepsInto(part: DocumentPart, keyword: string, name: string | undefined): readonly InstanceStep[] {
  switch (keyword) {
    case "properties":
      return [name ?? ""];
    case "patternProperties":
      return samplePattern(name ?? "", { characters: [], counts: [1] }).slice(0, 1);
    case "additionalProperties":
    case "unevaluatedProperties":
      return [EXTRA_NAME];
    case "prefixItems":
    case "contains":
      return [Number(name ?? 0)];
    case "items":
    case "additionalItems":
    case "unevaluatedItems": {
      const items = getOwn(keywordsOf(part), "items");
      const tuple = Array.isArray(items) ? items : listOrEmpty(getOwn(keywordsOf(part), "prefixItems"));
      return [name === undefined ? tuple.length : Number(name)];
    }
    default:
      return [];
  }
}

interface Reference {
  readonly at: string;
  readonly to: string;
}

function* listReferences(document: JsonValue): Generator<Reference> {
  const open: (readonly [JsonValue, string])[] = [[document, ""]];
  for (let entry = open.pop(); entry !== undefined; entry = open.pop()) {
    const [value, pointer] = entry;
    if (typeof value !== "object" || value === null) continue;
    for (const { pointer: to } of findReferred({ ...rootPart(document), schema: value, pointer }))
      yield { at: pointer, to };
    // Reversed, because `pop` takes the last entry: references are found in their order in the document.
    for (const [key, item] of Object.entries(value).reverse()) open.push([item, joinPointer(pointer, key)]);
  }
}

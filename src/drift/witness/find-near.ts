import { partsAt } from "../../schema/sample/sample-value.js";
import {
  type Branches,
  childParts,
  expandParts,
  type InstanceStep,
  pointerOfTarget,
  referredParts,
  rootPart,
  type SchemaPart,
} from "../../schema/sample/schema-part.js";
import { findPlaces, type InstancePlace } from "./instance-places.js";

/** The most uses of one definition that are searched. */
const MAX_USES = 4;

/**
 * Returns the places in instances for a JSON Pointer into one of two schemas, and for the routes to it. The first way to each
 * place takes the branches in the pointer, because a union may have more branches than can be tried.
 */
export function findNear(
  places: readonly InstancePlace[],
  accepts: SchemaPart,
  rejects: SchemaPart,
  { at, routes }: { readonly at: string; readonly routes: readonly Route[] },
): readonly InstancePlace[] {
  const uses = findPlaces(places, at).slice(0, MAX_USES);
  const all = routes.slice(0, MAX_USES);
  const isSame = (place: InstancePlace, route: Route): boolean =>
    JSON.stringify(place.path) === JSON.stringify(route.path);
  const missed = all.filter((route) => !uses.some((place) => isSame(place, route)));
  return [
    ...missed.map((route) => placeOn(accepts, rejects, route)),
    ...uses.map((place) => {
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
function placeOn(accepts: SchemaPart, rejects: SchemaPart, { path, branches }: Route): InstancePlace {
  const partsOf = (root: SchemaPart): readonly SchemaPart[] =>
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

/** A schema of a document, with the way to it from a definition, or from the root. */
interface Site {
  readonly pointer: string;
  /** The pointer of the definition; empty for the root. */
  readonly owner: string;
  readonly path: readonly InstanceStep[];
  readonly branches: Branches;
}

/** The schemas of a document by their pointers, and the schemas that refer to each definition. */
export interface SchemaIndex {
  readonly sites: ReadonlyMap<string, Site>;
  readonly uses: ReadonlyMap<string, readonly Site[]>;
}

/** Lists the schemas of a document, so that one branch among many needs no search. */
export function indexSchema(root: SchemaPart): SchemaIndex {
  const sites = new Map<string, Site>();
  const uses = new Map<string, Site[]>();
  const visit = (part: SchemaPart, owner: string, path: readonly InstanceStep[]): void => {
    const { pointer, branches } = part;
    if (sites.has(pointer)) return;
    const site = { pointer, owner, path, branches };
    sites.set(pointer, site);
    for (const { pointer: target } of referredParts(part)) {
      const others = uses.get(target) ?? [];
      others.push(site);
      uses.set(target, others);
    }
    for (const [below, ...steps] of childParts(part)) visit(below, owner, [...path, ...steps]);
  };
  visit(root, "", []);
  for (const [target, node] of root.definitions) {
    const pointer = pointerOfTarget(target);
    visit({ ...rootPart({ ...root, ir: node }, root.spend), pointer }, pointer, []);
  }
  return { sites, uses };
}

/** Returns the innermost schema around a pointer that is in the document. */
function siteAround({ sites }: SchemaIndex, at: string): Site | undefined {
  for (let pointer = at; ; pointer = pointer.slice(0, pointer.lastIndexOf("/"))) {
    const site = sites.get(pointer);
    // A definition without references is not read.
    if (site !== undefined)
      return /^\/(?:\$defs|definitions)\//.test(at.slice(pointer.length)) ? undefined : site;
    if (pointer === "") return undefined;
  }
}

/**
 * Returns the routes to a JSON Pointer into one of two schemas. Only one may have the changed part, so the schema counts in
 * which the pointer leads deeper.
 */
export function findRoutesInPair(accepts: SchemaIndex, rejects: SchemaIndex, at: string): readonly Route[] {
  const sides = [accepts, rejects].map((index) => ({ index, site: siteAround(index, at) }));
  const deepest = Math.max(...sides.map(({ site }) => site?.pointer.length ?? -1));
  const routes = sides.flatMap(({ index, site }) =>
    site?.pointer.length === deepest ? routesTo(index, site, at, new Map()) : [],
  );
  return [...new Map(routes.map((route) => [route.pointer, route] as const)).values()];
}

/** Returns the routes from the root. A definition may have several routes; one that only refers to itself has none. */
function routesTo(
  index: SchemaIndex,
  { owner, path, branches }: Site,
  at: string,
  cache: Map<string, readonly Route[]>,
): readonly Route[] {
  if (owner === "") return [{ pointer: at, path, branches }];
  let ways = cache.get(owner);
  if (ways === undefined) {
    // A schema that refers to itself is reached by another path.
    cache.set(owner, []);
    const routes: Route[] = [];
    for (const use of index.uses.get(owner) ?? []) {
      if (routes.length >= MAX_ROUTES) break;
      routes.push(...routesTo(index, use, use.pointer, cache));
    }
    ways = routes.slice(0, MAX_ROUTES);
    cache.set(owner, ways);
  }
  return ways.map((way) => ({
    pointer: way.pointer + at.slice(owner.length),
    path: [...way.path, ...path],
    branches: new Map([...way.branches, ...branches]),
  }));
}

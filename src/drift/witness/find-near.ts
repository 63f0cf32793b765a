import type { JsonValue } from "../../contract/json.js";
import { findPlaces, type Place } from "./find-places.js";
import { findRoutes, type Route } from "./find-routes.js";
import { partsAt } from "./sample-value.js";
import { expandParts, type Branches, type SchemaPart } from "./schema-part.js";

/** The most uses of one definition that are searched. */
const MAX_USES = 4;

/**
 * Returns the places in instances for a JSON Pointer into one of two schemas. The first way to each place takes the branches
 * in the pointer, because a union may have more branches than can be tried.
 */
export function findNear(
  places: readonly Place[],
  accepts: JsonValue,
  rejects: JsonValue,
  at: string,
): readonly Place[] {
  const found = findPlaces(places, at).slice(0, MAX_USES);
  const routes = findRoutes(accepts, at);
  // Only the rejecting schema has routes to an added part.
  const all = (routes.length > 0 ? routes : findRoutes(rejects, at)).slice(0, MAX_USES);
  const isSame = (place: Place, route: Route): boolean =>
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
function placeOn(accepts: JsonValue, rejects: JsonValue, { path, branches }: Route): Place {
  const partsOf = (schema: JsonValue): readonly SchemaPart[] =>
    expandParts([0, 1].flatMap((turn) => partsAt(schema, path, { turn, branches })));
  return { path, accepting: partsOf(accepts), rejecting: partsOf(rejects), ways: [branches] };
}

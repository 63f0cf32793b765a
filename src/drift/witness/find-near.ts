import type { JsonValue } from "../../contract/json.js";
import { findPlaces, type Place } from "./find-places.js";
import { findRoutes, type Route } from "./find-routes.js";
import { partsAt } from "./parts-at.js";
import { expandParts, type Branches, type SchemaPart } from "./schema-part.js";

/** A definition may be used all over a schema: this many of its uses are looked at. */
const MAX_USES = 4;

/**
 * The places that a JSON Pointer into one of two schemas is about, and first of the ways to each the one through the very
 * branches that the pointer names: a union may have more of them than can be tried.
 */
export function findNear(
  places: readonly Place[],
  accepts: JsonValue,
  rejects: JsonValue,
  at: string,
): readonly Place[] {
  const found = findPlaces(places, at).slice(0, MAX_USES);
  const routes = findRoutes(accepts, at);
  // Of what is new, the other schema alone knows how it is reached.
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

/** A place that is too deep, or in too wide a union, to be among those that are listed. */
function placeOn(accepts: JsonValue, rejects: JsonValue, { path, branches }: Route): Place {
  const partsOf = (schema: JsonValue): readonly SchemaPart[] =>
    expandParts([0, 1].flatMap((turn) => partsAt(schema, path, { turn, branches })));
  return { path, accepting: partsOf(accepts), rejecting: partsOf(rejects), ways: [branches] };
}

import { canonicalJson } from "../../contract/canonical-json.js";
import { getOwn, type JsonValue } from "../../contract/json.js";
import { samplePattern } from "./sample-pattern.js";
import {
  type Branches,
  expandParts,
  itemParts,
  keywordsOf,
  listOf,
  mapOf,
  propertyParts,
  rootPart,
  type SchemaPart,
  type Step,
} from "./schema-part.js";

/** A place in instances, and all that both schemas say about the values there. */
export interface Place {
  readonly path: readonly Step[];
  readonly accepting: readonly SchemaPart[];
  readonly rejecting: readonly SchemaPart[];
  /** The branches on the way of what the accepting schema says, each way once. */
  readonly ways: readonly Branches[];
}

/** A schema that refers to itself has no end of places. */
const MAX_PLACES = 2_000;
const MAX_WAYS = 6;

/** A name that schemas are unlikely to know. */
export const EXTRA_NAME = "extra";

/** The places that two schemas speak of, the outermost first; each pair of what they say once. */
export function listPlaces(accepts: JsonValue, rejects: JsonValue): readonly Place[] {
  const first = placeOf([], [rootPart(accepts)], [rootPart(rejects)]);
  const places: Place[] = [];
  const seen = new Set<string>();
  const queue = [first];
  for (let place = queue.shift(); place !== undefined && places.length < MAX_PLACES; place = queue.shift()) {
    const key = keyOf(place);
    if (seen.has(key)) continue;
    seen.add(key);
    places.push(place);
    for (const step of stepsOf([...place.accepting, ...place.rejecting])) {
      const below = (parts: readonly SchemaPart[]): readonly SchemaPart[] =>
        typeof step === "string" ? propertyParts(parts, step) : itemParts(parts, step);
      queue.push(placeOf([...place.path, step], below(place.accepting), below(place.rejecting)));
    }
  }
  return places;
}

function placeOf(
  path: readonly Step[],
  accepting: readonly SchemaPart[],
  rejecting: readonly SchemaPart[],
): Place {
  const parts = expandParts(accepting);
  const ways = new Map(parts.map(({ branches }) => [JSON.stringify([...branches]), branches]));
  return {
    path,
    accepting: parts,
    rejecting: expandParts(rejecting),
    ways: [...ways.values()].slice(0, MAX_WAYS),
  };
}

function keyOf({ path, accepting, rejecting }: Place): string {
  if (accepting.length + rejecting.length === 0) return JSON.stringify(path);
  return [accepting, rejecting].map((parts) => parts.map(({ pointer }) => pointer).join(" ")).join("|");
}

function stepsOf(parts: readonly SchemaPart[]): readonly Step[] {
  const steps = new Set<Step>();
  for (const part of parts) {
    const keywords = keywordsOf(part);
    for (const name of Object.keys(mapOf(getOwn(keywords, "properties")))) steps.add(name);
    for (const name of listOf(getOwn(keywords, "required"))) if (typeof name === "string") steps.add(name);
    for (const pattern of Object.keys(mapOf(getOwn(keywords, "patternProperties"))))
      for (const name of samplePattern(pattern, { characters: [], counts: [1] }).slice(0, 1)) steps.add(name);
    const hasOthers = ["additionalProperties", "unevaluatedProperties"].some((keyword) =>
      Object.hasOwn(keywords, keyword),
    );
    if (hasOthers) steps.add(EXTRA_NAME);
    const items = getOwn(keywords, "items");
    const tuple = Array.isArray(items) ? listOf(items) : listOf(getOwn(keywords, "prefixItems"));
    const hasRest = ["items", "additionalItems", "unevaluatedItems"].some((keyword) =>
      Object.hasOwn(keywords, keyword),
    );
    for (let index = 0; index < Math.min(tuple.length + (hasRest ? 1 : 0), 20); index++) steps.add(index);
  }
  return [...steps];
}

/**
 * The places that a JSON Pointer into one of the two schemas is about: those whose schema it points at, or into the
 * keywords of. There may be several where a definition is used more than once.
 */
export function findPlaces(places: readonly Place[], at: string): readonly Place[] {
  let best = -1;
  let found: Place[] = [];
  for (const place of places) {
    const reach = Math.max(
      -1,
      ...[...place.accepting, ...place.rejecting].map(({ pointer }) => reachOf(pointer, at)),
    );
    if (reach < best) continue;
    if (reach > best) found = [];
    best = reach;
    found.push(place);
  }
  return found;
}

function reachOf(pointer: string, at: string): number {
  return at === pointer || at.startsWith(`${pointer}/`) ? pointer.length : -1;
}

/** The places of which the two schemas do not say the same. */
export function findDifferences(places: readonly Place[]): readonly Place[] {
  const textOf = (parts: readonly SchemaPart[]): string =>
    parts.map(({ schema }) => canonicalJson(schema)).join();
  return places.filter(({ accepting, rejecting }) => textOf(accepting) !== textOf(rejecting));
}

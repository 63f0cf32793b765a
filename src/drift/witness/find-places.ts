import { canonicalJson, getOwn, objectOrEmpty } from "../../core/json.js";
import type { Spend } from "../../schema/pattern/pattern-tree.js";
import { samplePattern } from "./sample-pattern.js";
import { sampleText } from "./sample-scalar.js";
import {
  type Branches,
  EXTRA_NAME,
  expandParts,
  itemParts,
  keywordsOf,
  asList,
  partBelow,
  propertyParts,
  type DocumentPart,
  type InstanceStep,
} from "./schema-part.js";

/** A place before its parts are expanded. */
interface UnexpandedPlace {
  readonly path: readonly InstanceStep[];
  readonly accepting: readonly DocumentPart[];
  readonly rejecting: readonly DocumentPart[];
}

/** A place in instances, and the parts of both schemas for its values. */
export interface InstancePlace extends UnexpandedPlace {
  /** The ways to the place through the unions of the accepting schema, each once, the likeliest first. */
  readonly ways: readonly Branches[];
}

/** A recursive schema has any number of places. */
const MAX_PLACES = 2_000;
/** The names that are matched with one pattern per step. */
const MATCHES_PER_STEP = 1;

/**
 * Lists the places in instances of two schemas, the outermost first, each pair of parts once.
 *
 * @throws OutOfStepsError when there are too many names and patterns to compare
 */
export function listPlaces(
  accepts: DocumentPart,
  rejects: DocumentPart,
  spend: Spend,
): readonly InstancePlace[] {
  const places: InstancePlace[] = [];
  const seen = new Set<string>();
  const queue: UnexpandedPlace[] = [{ path: [], accepting: [accepts], rejecting: [rejects] }];
  // Many paths of a large schema lead to the same parts, which are listed once.
  const isNew = (place: UnexpandedPlace, level: string): boolean => {
    const key = level + keyOf(place);
    return !seen.has(key) && seen.add(key).size > 0;
  };
  for (const unexpanded of queue) {
    if (places.length >= MAX_PLACES) break;
    if (!isNew(unexpanded, "found ")) continue;
    const place = placeOf(unexpanded);
    if (!isNew(place, "")) continue;
    places.push(place);
    const described = [...place.accepting, ...place.rejecting];
    const patterns = sum(described.map(countPatterns));
    for (const step of stepsOf(described)) {
      // Each name is matched with each pattern.
      if (typeof step === "string") spend(1 + patterns / MATCHES_PER_STEP);
      const below = (parts: readonly DocumentPart[]): readonly DocumentPart[] =>
        typeof step === "string" ? propertyParts(parts, step) : itemParts(parts, step);
      queue.push({
        path: [...place.path, step],
        accepting: below(place.accepting),
        rejecting: below(place.rejecting),
      });
    }
  }
  return places;
}

function countPatterns(part: DocumentPart): number {
  return Object.keys(objectOrEmpty(getOwn(keywordsOf(part), "patternProperties"))).length;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

function placeOf({ path, accepting, rejecting }: UnexpandedPlace): InstancePlace {
  const parts = expandParts(accepting);
  const ways = new Map(parts.map(({ branches }) => [JSON.stringify([...branches]), branches]));
  return { path, accepting: parts, rejecting: expandParts(rejecting), ways: [...ways.values()] };
}

function keyOf({ path, accepting, rejecting }: UnexpandedPlace): string {
  if (accepting.length + rejecting.length === 0) return JSON.stringify(path);
  return [accepting, rejecting].map((parts) => parts.map(({ pointer }) => pointer).join(" ")).join("|");
}

function stepsOf(parts: readonly DocumentPart[]): readonly InstanceStep[] {
  const steps = new Set<InstanceStep>();
  for (const part of parts) {
    const keywords = keywordsOf(part);
    for (const name of Object.keys(objectOrEmpty(getOwn(keywords, "properties")))) steps.add(name);
    for (const name of asList(getOwn(keywords, "required"))) if (typeof name === "string") steps.add(name);
    for (const pattern of Object.keys(objectOrEmpty(getOwn(keywords, "patternProperties"))))
      for (const name of samplePattern(pattern, { characters: [], counts: [1] }).slice(0, 1)) steps.add(name);
    const hasOthers = ["additionalProperties", "unevaluatedProperties"].some((keyword) =>
      Object.hasOwn(keywords, keyword),
    );
    const names = parts.flatMap((each) => {
      const schema = getOwn(keywordsOf(each), "propertyNames");
      return schema === undefined ? [] : [partBelow(each, schema, "propertyNames")];
    });
    if (hasOthers) steps.add(names.length > 0 ? sampleText(names, 0) : EXTRA_NAME);
    const items = getOwn(keywords, "items");
    const tuple = Array.isArray(items) ? asList(items) : asList(getOwn(keywords, "prefixItems"));
    const hasRest = ["items", "additionalItems", "unevaluatedItems"].some((keyword) =>
      Object.hasOwn(keywords, keyword),
    );
    for (let index = 0; index < Math.min(tuple.length + (hasRest ? 1 : 0), 20); index++) steps.add(index);
  }
  return [...steps];
}

/**
 * Returns the places for a JSON Pointer into one of the two schemas: the pointer leads to the schema of the place or to one
 * of its keywords. A definition with several uses has several places.
 */
export function findPlaces(places: readonly InstancePlace[], at: string): readonly InstancePlace[] {
  let best = -1;
  let found: InstancePlace[] = [];
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

/** Returns the places whose parts differ between the two schemas. */
export function findDifferences(places: readonly InstancePlace[]): readonly InstancePlace[] {
  const textOf = (parts: readonly DocumentPart[]): string =>
    parts.map(({ schema }) => canonicalJson(schema)).join();
  return places.filter(({ accepting, rejecting }) => textOf(accepting) !== textOf(rejecting));
}

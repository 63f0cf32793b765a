import { canonicalJson, getOwn, isJsonArray, isJsonObject, type JsonValue } from "../../core/json.js";
import type { SchemaIR } from "../../core/schema-ir.js";
import { findAt, joinPointer, splitPointer } from "../../core/json-pointer.js";
import type { Spend } from "../../schema/pattern/pattern-tree.js";
import { samplePattern } from "../../schema/sample/sample-pattern.js";
import { sampleText } from "../../schema/sample/sample-scalar.js";
import { sampleValue } from "../../schema/sample/sample-value.js";
import { printForJudge } from "../../schema/print/print-json-schema.js";
import {
  allOfParts,
  type Branches,
  closeParts,
  declaredNames,
  expandParts,
  EXTRA_NAME,
  type InstanceStep,
  itemParts,
  propertyPatterns,
  nameParts,
  propertyParts,
  referredParts,
  requiredBy,
  type SchemaPart,
  stepParts,
  unionParts,
} from "../../schema/sample/schema-part.js";

/** A place before its parts are expanded. */
interface UnexpandedPlace {
  readonly path: readonly InstanceStep[];
  readonly accepting: readonly SchemaPart[];
  readonly rejecting: readonly SchemaPart[];
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
export function listPlaces(accepts: SchemaPart, rejects: SchemaPart, spend: Spend): readonly InstancePlace[] {
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
    const patterns = propertyPatterns(described).length;
    for (const step of stepsOf(described)) {
      // Each name is matched with each pattern.
      if (typeof step === "string") spend(1 + patterns / MATCHES_PER_STEP);
      queue.push({
        path: [...place.path, step],
        accepting: stepParts(place.accepting, step),
        rejecting: stepParts(place.rejecting, step),
      });
    }
  }
  return places;
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

function stepsOf(parts: readonly SchemaPart[]): readonly InstanceStep[] {
  const steps = new Set<InstanceStep>();
  for (const part of parts) {
    const { array, object, unevaluated } = part.rules;
    for (const name of [...declaredNames([part]), ...requiredBy([part])]) steps.add(name);
    for (const pattern of propertyPatterns([part]))
      for (const name of samplePattern(pattern, { characters: [], counts: [1] }).slice(0, 1)) steps.add(name);
    const names = parts.flatMap(nameParts);
    if ((object?.additional ?? unevaluated?.properties) !== undefined)
      steps.add(names.length > 0 ? sampleText(names, 0) : EXTRA_NAME);
    const rest = (array?.items ?? unevaluated?.items) === undefined ? 0 : 1;
    const length = (array?.prefix.length ?? 0) + rest;
    for (let index = 0; index < Math.min(length, 20); index++) steps.add(index);
  }
  return [...steps];
}

/**
 * Returns the places for a JSON Pointer into one of the two schemas: the pointer leads to the schema of the place or to one
 * of its keywords. A definition with several uses has several places.
 */
export function findPlaces(places: readonly InstancePlace[], at: string): readonly InstancePlace[] {
  let best = -1;
  let level: InstancePlace[] = [];
  for (const place of places) {
    const parts = [...place.accepting, ...place.rejecting];
    const reach = Math.max(-1, ...parts.map(({ pointer }) => reachOf(pointer, at)));
    if (reach < best) continue;
    if (reach > best) level = [];
    best = reach;
    level.push(place);
  }
  return level;
}

function reachOf(pointer: string, at: string): number {
  return at === pointer || at.startsWith(`${pointer}/`) ? pointer.length : -1;
}

/** Returns the places whose parts differ between the two schemas. */
export function findDifferences(places: readonly InstancePlace[]): readonly InstancePlace[] {
  const textsOf = (parts: readonly SchemaPart[]): string => parts.map(textOf).join();
  return places.filter(({ accepting, rejecting }) => textsOf(accepting) !== textsOf(rejecting));
}

const TEXTS = new WeakMap<SchemaIR, string>();

/** Returns a text that equals that of schemas with the same rules: an `allOf` with one rule has none itself. */
export function textOf({ node }: SchemaPart): string {
  const text = TEXTS.get(node) ?? node.kind + canonicalJson(printForJudge(node, new Map(), new WeakMap()));
  TEXTS.set(node, text);
  return text;
}

/** Generates the values in an instance with their paths, outer values first. */
export function* valuesIn(
  instance: JsonValue,
  path: readonly InstanceStep[] = [],
): Generator<readonly [path: readonly InstanceStep[], value: JsonValue]> {
  yield [path, instance];
  if (isJsonArray(instance))
    for (const [index, item] of instance.entries()) yield* valuesIn(item, [...path, index]);
  else if (isJsonObject(instance))
    for (const [key, item] of Object.entries(instance)) yield* valuesIn(item, [...path, key]);
}

/** Returns a copy with another value at a path, or with that value removed. Returns the value itself if the path is invalid. */
export function editInstance(
  value: JsonValue,
  [step, ...rest]: readonly InstanceStep[],
  edit: (before: JsonValue | undefined) => JsonValue | undefined,
): JsonValue {
  if (step === undefined) return edit(value) ?? value;
  const editPart = (part: JsonValue | undefined): JsonValue | undefined =>
    rest.length === 0 ? edit(part) : part === undefined ? undefined : editInstance(part, rest, edit);
  if (typeof step === "string") {
    if (!isJsonObject(value)) return value;
    const entries = Object.entries(value);
    const before = getOwn(value, step);
    const after = editPart(before);
    if (before !== undefined && after !== undefined)
      return Object.fromEntries(entries.map(([key, item]) => [key, key === step ? after : item]));
    const others = entries.filter(([key]) => key !== step);
    return Object.fromEntries(after === undefined ? others : [...others, [step, after]]);
  }
  if (!Array.isArray(value)) return value;
  const list: readonly JsonValue[] = value;
  const after = editPart(list[step]);
  return [...list.slice(0, step), ...(after === undefined ? [] : [after]), ...list.slice(step + 1)];
}

/** As {@link editInstance}, with a JSON Pointer to the value. */
export function editAt(
  root: JsonValue,
  pointer: string,
  edit: (before: JsonValue | undefined) => JsonValue | undefined,
): JsonValue {
  const path: InstanceStep[] = [];
  let at: JsonValue | undefined = root;
  for (const step of splitPointer(pointer)) {
    path.push(isJsonArray(at) ? Number(step) : step);
    at = findAt(at ?? null, joinPointer("", step));
  }
  return editInstance(root, path, edit);
}

const PLAIN = { turn: 0, branches: new Map<string, number>(), path: [] } as const;

/** Returns the names that a schema requires at a path outside unions. */
export function requiredAt(schema: SchemaPart, path: readonly InstanceStep[]): ReadonlySet<string> {
  let parts = withoutBranches([schema]);
  for (const step of path) parts = withoutBranches(stepParts(parts, step));
  return new Set(requiredBy(parts));
}

/** Whether a schema lists the values that it accepts at a path, or around it. */
export function isEnumeratedAt(schema: SchemaPart, path: readonly InstanceStep[]): boolean {
  let parts = withoutBranches([schema]);
  for (const step of path) {
    if (parts.some(isEnumerated)) return true;
    parts = withoutBranches(stepParts(parts, step));
  }
  return parts.some(isEnumerated);
}

function isEnumerated(part: SchemaPart): boolean {
  return (
    hasLiterals(part) ||
    unionParts(part).some((branches) =>
      branches.every((branch) => withoutBranches([branch]).some(hasLiterals)),
    )
  );
}

function hasLiterals({ rules }: SchemaPart): boolean {
  return rules.lists.length > 0;
}

/** Adds samples of the properties that schemas require outside unions and that an instance lacks. */
export function fillRequired(start: readonly SchemaPart[], value: JsonValue): JsonValue {
  const parts = withoutBranches(start);
  if (parts.length === 0) return value;
  if (isJsonArray(value)) return value.map((item, index) => fillRequired(itemParts(parts, index), item));
  if (!isJsonObject(value)) return value;
  const missing = new Set(requiredBy(parts).filter((name) => !Object.hasOwn(value, name)));
  return Object.fromEntries([
    ...Object.entries(value).map(
      ([name, item]) => [name, fillRequired(propertyParts(parts, name), item)] as const,
    ),
    ...Array.from(missing, (name) => [name, sampleValue(propertyParts(parts, name), PLAIN)] as const),
  ]);
}

function withoutBranches(start: readonly SchemaPart[]): readonly SchemaPart[] {
  return closeParts(start, (part) => [...allOfParts(part), ...referredParts(part)]);
}

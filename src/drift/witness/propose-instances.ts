import { groupBy } from "../../core/collections.js";
import { canonicalJson, isJsonObject, type JsonValue } from "../../core/json.js";
import { isSameJson } from "../../core/json-pointer.js";
import { editInstance, type InstancePlace, textOf } from "./instance-places.js";
import { proposeValues } from "./propose-values.js";
import { partsAt, type SampleChoice, sampleValue } from "../../schema/sample/sample-value.js";
import {
  type Branches,
  declaredNames,
  type InstanceStep,
  propertyParts,
  type SchemaPart,
} from "../../schema/sample/schema-part.js";

/** An instance that may show a change, and the path of the change in it. */
export interface Proposal {
  readonly instance: JsonValue;
  readonly path: readonly InstanceStep[];
}

/** The most instances that are tried for one place. */
const MAX_PROPOSALS = 1_500;
/** The most instances that are generated for one place: different ways often give the same instance. */
const MAX_MADE = 3 * MAX_PROPOSALS;
/** How many variants of the choices outside a place are tried. */
const TURNS = 3;

/**
 * Generates instances of the accepting schema, each with a value at a place that the rejecting schema may not accept, the
 * likeliest first. The other values of the first instances also fit `undone`, the rejecting schema without the change, so
 * that other changes do not reject them.
 */
export function* proposeInstances(
  accepts: SchemaPart,
  place: InstancePlace,
  value: JsonValue | undefined,
  undone: SchemaPart | undefined,
): Generator<Proposal> {
  const { path } = place;
  const seen = new Set<string>();
  let made = 0;
  for (const instance of editInstances(accepts, place, value, undone)) {
    made += 1;
    if (made > MAX_MADE) return;
    const key = canonicalJson(instance);
    if (seen.has(key)) continue;
    seen.add(key);
    yield { instance, path };
    if (seen.size === MAX_PROPOSALS) return;
  }
}

function* editInstances(
  accepts: SchemaPart,
  place: InstancePlace,
  value: JsonValue | undefined,
  undone: SchemaPart | undefined,
): Generator<JsonValue> {
  const { path } = place;
  // Branches often have equal schemas for a place.
  const about = { ...place, accepting: distinctOf(place.accepting), rejecting: distinctOf(place.rejecting) };
  const edit = (base: JsonValue, choice: SampleChoice): Generator<JsonValue> =>
    editBases(base, accepts, about, choice, value);
  const [first = new Map(), ...others]: readonly Branches[] = place.ways;
  if (undone !== undefined) {
    const choice = { turn: 0, branches: first };
    const base = sampleValue([accepts, undone], { ...choice, path });
    const isOther = !isSameJson(base, sampleValue([accepts], { ...choice, path }));
    if (isOther) yield* edit(base, choice);
  }
  for (let turn = 0; turn < TURNS; turn++) {
    const walk = function* (branches: Branches): Generator<JsonValue> {
      const choice = { turn, branches };
      yield* edit(sampleValue([accepts], { ...choice, path }), choice);
    };
    if (turn === 0) yield* walk(first);
    // A union may have any number of branches, so take one instance of each in turn.
    yield* takeInTurn((turn === 0 ? others : [first, ...others]).map(walk));
  }
}

function distinctOf(parts: readonly SchemaPart[]): readonly SchemaPart[] {
  if (parts.length < 2) return parts;
  // The first of equal parts.
  return [...groupBy(parts, textOf).values()].map(([part]) => part);
}

/** Generates copies of an instance with other values at a place, and copies with further properties beside it. */
function* editBases(
  base: JsonValue,
  accepts: SchemaPart,
  place: InstancePlace,
  choice: SampleChoice,
  value: JsonValue | undefined,
): Generator<JsonValue> {
  yield* editBase(base, accepts, place, choice, value);
  if (!isConditional(place)) return;
  // Conditions may depend on properties beside the place.
  const outer = place.path.slice(0, -1);
  const parts = partsAt(accepts, outer, choice);
  const names = declaredNames(parts);
  const siblings = names.slice(0, MAX_SIBLINGS).map((name) => {
    const sample = sampleValue(propertyParts(parts, name), { ...choice, path: [] });
    return [name, sample] as const;
  });
  const full = editInstance(base, outer, (before) =>
    isJsonObject(before) ? { ...Object.fromEntries(siblings), ...before } : before,
  );
  if (!isSameJson(full, base)) yield* editBase(full, accepts, place, choice, value);
}

/** The most properties that are added beside a place. */
const MAX_SIBLINGS = 150;

/** Whether a rule for the place applies only on a condition. */
function isConditional({ path, accepting, rejecting }: InstancePlace): boolean {
  return (
    path.length > 0 &&
    [...accepting, ...rejecting].some(({ pointer }) =>
      /\/(?:dependentSchemas|dependencies|if|then|else)(?:\/|$)/.test(pointer),
    )
  );
}

function* editBase(
  base: JsonValue,
  accepts: SchemaPart,
  place: InstancePlace,
  choice: SampleChoice,
  value: JsonValue | undefined,
): Generator<JsonValue> {
  const { path } = place;
  // The simplest instance has no value at the place.
  if (value === undefined && path.length > 0) yield editInstance(base, path, () => undefined);
  const inside = partsAt(accepts, path, choice);
  const values = value === undefined ? proposeValues(place, inside, choice.branches) : [value];
  for (const each of values) yield editInstance(base, path, () => each);
  if (value === undefined) yield base;
}

/** Yields the first item of each generator, then the second of each, and so on. */
function* takeInTurn<T>(lists: readonly Generator<T>[]): Generator<T> {
  for (let open = lists; open.length > 0;) {
    const going: Generator<T>[] = [];
    for (const list of open) {
      const next = list.next();
      if (next.done === true) continue;
      yield next.value;
      going.push(list);
    }
    open = going;
  }
}

import { canonicalJson } from "../../contract/canonical-json.js";
import type { JsonValue } from "../../contract/json.js";
import { editValue } from "./edit-value.js";
import type { Place } from "./find-places.js";
import { proposeValues } from "./propose-values.js";
import { chooseParts, sampleValue } from "./sample-value.js";
import {
  type Branches,
  itemParts,
  propertyParts,
  rootPart,
  type SchemaPart,
  type Step,
} from "./schema-part.js";

/** A whole instance that may show a change, and the place in it that the change is at. */
export interface Proposal {
  readonly instance: JsonValue;
  readonly path: readonly Step[];
}

/** How many instances are tried for one place. */
const MAX_PROPOSALS = 1_500;
/** How often the choices around a place are turned. */
const TURNS = 3;

/**
 * Instances of the accepting schema with values at a place that the rejecting one may not accept, the likeliest first;
 * each is made when it is asked for.
 */
export function* proposeInstances(
  accepts: JsonValue,
  place: Place,
  value: JsonValue | undefined,
): Generator<Proposal> {
  const { path } = place;
  const seen = new Set<string>();
  for (const instance of editInstances(accepts, place, value)) {
    const key = canonicalJson(instance);
    if (seen.has(key)) continue;
    seen.add(key);
    yield { instance, path };
    if (seen.size === MAX_PROPOSALS) return;
  }
}

function* editInstances(
  accepts: JsonValue,
  place: Place,
  value: JsonValue | undefined,
): Generator<JsonValue> {
  const { path } = place;
  const ways: readonly Branches[] = place.ways.length === 0 ? [new Map()] : place.ways;
  for (let turn = 0; turn < TURNS; turn++) {
    for (const branches of ways) {
      const base = sampleValue([rootPart(accepts)], { turn, branches, path });
      const inside = partsAt(accepts, path, { turn, branches });
      const values = value === undefined ? proposeValues(place, inside, branches) : [value];
      // Nothing there is the plainest thing that may be there.
      if (value === undefined && path.length > 0) yield editValue(base, path, () => undefined);
      for (const each of values) yield editValue(base, path, () => each);
      if (value === undefined) yield base;
    }
  }
}

/** What the schema says about a place on one way to it. */
function partsAt(
  schema: JsonValue,
  path: readonly Step[],
  choice: { readonly turn: number; readonly branches: Branches },
): readonly SchemaPart[] {
  let parts = chooseParts([rootPart(schema)], choice);
  for (const step of path) {
    const below = typeof step === "string" ? propertyParts(parts, step) : itemParts(parts, step);
    parts = chooseParts(below, choice);
  }
  return parts;
}

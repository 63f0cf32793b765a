import { type Check, type CheckPayload, report, type Schema } from "./check.js";
import { isEqual } from "../contract/json.js";
import { withKeyRules, zodPart } from "./key-rules.js";

/** The message for an item that violates `uniqueItems`. */
export const DUPLICATE_ITEM = "Duplicate item";

/** Requires that no two items are equal as JSON. */
export function uniqueItems(payload: CheckPayload): void {
  if (!Array.isArray(payload.value)) return;
  for (const index of findDuplicates(payload.value)) report(payload, DUPLICATE_ITEM, [index]);
}

/** Returns the indices of items that equal an earlier item. */
export function findDuplicates(items: readonly unknown[]): readonly number[] {
  // Use a set for scalars, since there may be many. Compare objects and arrays one by one.
  const scalars = new Set<unknown>();
  const structures: unknown[] = [];
  return [...items.keys()].filter((index) => {
    const item = items[index];
    const isStructure = typeof item === "object" && item !== null;
    const isKnown = isStructure ? structures.some((other) => isEqual(other, item)) : scalars.has(item);
    if (isStructure) structures.push(item);
    else scalars.add(item);
    return isKnown;
  });
}

/** Requires that between `min` and `max` items fit the schema. */
export function contains(schema: Schema, min: number = 1, max: number = Infinity): Check {
  const check: Check = (payload) => {
    if (!Array.isArray(payload.value)) return;
    const count = payload.value.filter((item) => schema.safeParse(item).success).length;
    if (count < min) report(payload, `Too few matching items: ${count}, expected at least ${min}`);
    if (count > max) report(payload, `Too many matching items: ${count}, expected at most ${max}`);
  };
  return withKeyRules(check, { anyItem: [zodPart(schema)] });
}

/** Requires at least that many items, for tuples. */
export function minItems(min: number): Check {
  return (payload) => {
    if (Array.isArray(payload.value) && payload.value.length < min)
      report(payload, `Too few items: expected at least ${min}`);
  };
}

/** Requires at most that many items, for tuples. */
export function maxItems(max: number): Check {
  return (payload) => {
    if (Array.isArray(payload.value) && payload.value.length > max)
      report(payload, `Too many items: expected at most ${max}`);
  };
}

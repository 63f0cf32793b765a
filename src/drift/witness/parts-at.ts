import type { JsonValue } from "../../contract/json.js";
import { chooseParts, type SampleOptions } from "./sample-value.js";
import { itemParts, propertyParts, rootPart, type SchemaPart, type Step } from "./schema-part.js";

/** What the schema says about a place on one way to it. */
export function partsAt(
  schema: JsonValue,
  path: readonly Step[],
  choice: Pick<SampleOptions, "turn" | "branches">,
): readonly SchemaPart[] {
  let parts = chooseParts([rootPart(schema)], choice);
  for (const step of path) {
    const below = typeof step === "string" ? propertyParts(parts, step) : itemParts(parts, step);
    parts = chooseParts(below, choice);
  }
  return parts;
}

import { getOwn, isJsonObject, type JsonValue } from "../contract/json.js";
import { isEqual } from "./is-equal.js";
import type { SchemaSide } from "./schema-side.js";

const REFERENCES = new Set(["$ref", "$dynamicRef", "$recursiveRef"]);

/**
 * Tells parts of two schemas that are written alike and mean the same: nearly all of a large schema of which little has
 * changed. A part with references means the same only where what they lead to is written alike as well.
 */
export class SameParts {
  readonly #isComparable: boolean;
  readonly #areReferencesSame: boolean;

  constructor(old: SchemaSide, now: SchemaSide) {
    this.#isComparable = old.parsed.dialect === now.parsed.dialect;
    this.#areReferencesSame =
      ["$defs", "definitions"].every((key) => isEqual(partOf(old.raw, key), partOf(now.raw, key))) &&
      [old, now].every(({ raw }) => referencesIn(raw).every((ref) => /^#\/(\$defs|definitions)\//.test(ref)));
  }

  areSame(before: JsonValue | undefined, after: JsonValue | undefined): boolean {
    if (!this.#isComparable || before === undefined || !isEqual(before, after)) return false;
    return this.#areReferencesSame || referencesIn(before).length === 0;
  }
}

function partOf(schema: JsonValue, key: string): JsonValue | undefined {
  return isJsonObject(schema) ? getOwn(schema, key) : undefined;
}

function referencesIn(root: JsonValue): readonly string[] {
  const found: string[] = [];
  const open: JsonValue[] = [root];
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    if (typeof value !== "object" || value === null) continue;
    for (const [key, item] of Object.entries(value)) {
      if (REFERENCES.has(key)) found.push(typeof item === "string" ? item : "");
      open.push(item);
    }
  }
  return found;
}

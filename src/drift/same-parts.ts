import { getOwn, isJsonObject, type JsonValue } from "../contract/json.js";
import { isEqual } from "./is-equal.js";
import type { SchemaSide } from "./schema-side.js";

const REFERENCES = new Set(["$ref", "$dynamicRef", "$recursiveRef"]);

/**
 * Recognizes parts of two schemas with the same text and the same meaning, so that a small change in a large schema is
 * compared fast. A part with references has the same meaning only if the targets have the same text as well.
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

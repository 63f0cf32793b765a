import { McpCodegenError } from "../../core/errors.js";
import { isEmptyList, isJsonObject, type JsonObject, type JsonValue } from "../../core/json.js";

/** Far deeper than any real schema (14 levels), and far from the limit of the call stack. */
const MAX_DEPTH = 256;
/** Values without keys. The largest real schema has a few thousand. Comparing or printing this many takes seconds. */
const MAX_VALUES = 50_000;

/**
 * Throws for a schema that is too deep or too large for recursive functions.
 *
 * @throws McpCodegenError `SCHEMA_INVALID`
 */
export function assertBounded(schema: JsonValue): void {
  const problem = findExcess(schema);
  if (problem !== undefined) throw new McpCodegenError("SCHEMA_INVALID", problem);
}

/** Whether a schema is shallow and small enough for recursive functions. */
export function isBounded(schema: JsonValue): boolean {
  return findExcess(schema) === undefined;
}

function findExcess(schema: JsonValue): string | undefined {
  let level: readonly JsonValue[] = [schema];
  let count = 0;
  for (let depth = 0; level.length > 0; depth += 1) {
    count += level.length;
    if (depth > MAX_DEPTH) return `The schema is nested more than ${MAX_DEPTH} levels deep.`;
    if (count > MAX_VALUES) return `The schema has more than ${MAX_VALUES} values.`;
    const next: JsonValue[] = [];
    for (const value of level) {
      if (typeof value !== "object" || value === null) continue;
      for (const item of Object.values(value)) next.push(item);
    }
    level = next;
  }
  return undefined;
}

/** Whether a value can be a schema. */
export function isSchema(value: JsonValue): value is JsonObject | boolean | readonly [] {
  return typeof value === "boolean" || isJsonObject(value) || isEmptyList(value);
}

import { canonicalJson } from "../contract/canonical-json.js";
import type { JsonValue } from "../contract/json.js";

/** Whether two values are the same JSON, whatever the order of their keys; a missing one equals a missing one. */
export function isEqual(before: JsonValue | undefined, after: JsonValue | undefined): boolean {
  if (before === undefined || after === undefined) return before === after;
  return before === after || canonicalJson(before) === canonicalJson(after);
}

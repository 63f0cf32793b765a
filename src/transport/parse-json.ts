import type { JsonValue } from "../contract/json.js";

/** What `JSON.parse` gives, or undefined for text that is no JSON. */
export function parseJson(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}

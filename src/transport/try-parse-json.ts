import type { JsonValue } from "../contract/json.js";

/** Returns the parsed text, or undefined for a text that is not JSON. */
export function tryParseJson(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}

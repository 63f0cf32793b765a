import type { JsonValue } from "../contract/json.js";

const STRING_OR_COMMENT = /"(?:[^"\\]|\\.)*"|\/\/[^\n]*|\/\*[\s\S]*?\*\//g;
const STRING_OR_TRAILING_COMMA = /"(?:[^"\\]|\\.)*"|,(?=\s*[}\]])/g;

/** Parses JSON with comments and trailing commas; undefined when the text is not valid. */
export function parseJsonWithComments(text: string): JsonValue | undefined {
  const keepStrings = (match: string): string => (match.startsWith('"') ? match : " ");
  const json = text
    .replace(/^\uFEFF/, "")
    .replace(STRING_OR_COMMENT, keepStrings)
    .replace(STRING_OR_TRAILING_COMMA, keepStrings);
  try {
    return JSON.parse(json) as JsonValue;
  } catch {
    return undefined;
  }
}

/**
 * Escapes U+2028 and U+2029 in the text of a JSON string: older JavaScript parsers treat them as line ends, and they
 * are invisible.
 */
export function escapeLineSeparators(json: string): string {
  return json.replaceAll("\u2028", "\\u2028").replaceAll("\u2029", "\\u2029");
}

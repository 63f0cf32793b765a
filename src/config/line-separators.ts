/**
 * Escapes U+2028 and U+2029 in the text of a JSON string: they are line ends to older readers of JavaScript, and
 * invisible to people.
 */
export function escapeLineSeparators(json: string): string {
  return json.replaceAll("\u2028", "\\u2028").replaceAll("\u2029", "\\u2029");
}

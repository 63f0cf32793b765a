/**
 * A text that somebody else wrote on one line, without what ends a line, hides text or turns its direction, and no longer
 * than `longest` characters: where it is cut, it ends with "…".
 */
export function oneLine(text: string, longest: number): string {
  // A character is two code units at most, and what is cut first is not searched.
  const line = text
    .slice(0, longest * 4)
    .replace(/[\p{C}\p{Z}]+/gu, " ")
    .trim();
  const characters = Array.from(line);
  return characters.length <= longest ? line : `${characters.slice(0, longest - 1).join("")}…`;
}

import { oneLine } from "../../contract/one-line.js";

const LONGEST = 120;

/** The first sentence of a description on one line, cut where it is long. */
export function summarize(description: string): string {
  const line = oneLine(description, LONGEST);
  // "e.g. a" is no sentence that ends.
  const end = /(?<!\b(?:e\.g|i\.e|etc|vs|no))\.(?= [\p{Lu}\p{N}"'([])/u.exec(line);
  return end === null || end.index < 10 ? line : line.slice(0, end.index + 1);
}

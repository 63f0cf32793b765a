import type { JsonValue } from "../contract/json.js";
import { printable } from "../contract/printable.js";

/** How many equal characters are shown before the first difference, for orientation. */
const LEAD = 16;

/**
 * Two values as JSON, each on one printable line of about `limit` characters. Long texts are cut, but both still show
 * the first difference.
 */
export function contrast(
  before: JsonValue,
  after: JsonValue,
  limit: number,
): readonly [before: string, after: string] {
  const texts = [JSON.stringify(before), JSON.stringify(after)] as const;
  const isShort = texts.every((text) => text.length <= limit);
  const start = isShort ? 0 : startOf(texts, limit);
  return [cut(texts[0], start, limit), cut(texts[1], start, limit)];
}

function startOf([a, b]: readonly [string, string], limit: number): number {
  let same = 0;
  while (same < a.length && a[same] === b[same]) same += 1;
  if (same < limit - LEAD) return 0;
  const start = Math.max(0, same - LEAD);
  return isSecondHalf(a, start) ? start - 1 : start;
}

function cut(text: string, start: number, limit: number): string {
  return `${start > 0 ? "…" : ""}${printable(text.slice(start), limit)}`;
}

/** Whether the code unit at `at` is the second half of a surrogate pair. */
function isSecondHalf(text: string, at: number): boolean {
  return at > 0 && /[\uDC00-\uDFFF]/.test(text[at] ?? "");
}

import { findAt, joinPointer, splitPointer } from "../core/json-pointer.js";
import { isJsonArray, isJsonObject, type JsonValue } from "../core/json.js";
import { printable } from "../core/printable.js";

/**
 * An instance as JSON of about `limit` characters, without most of many equal items. A long one keeps the names on the path, and the value there or the
 * object that lacks it; an ellipsis replaces the rest.
 */
export function showWitness(witness: JsonValue, pointer: string, limit: number): string {
  const whole = JSON.stringify(witness).replace(EQUAL_ITEMS, "$1,$1,$1,…,$1");
  if (whole.length <= limit) return printable(whole, limit);
  const steps = splitPointer(pointer);
  let text = shorten(witness, steps, limit);
  // The place of the change names the path too, so the outermost steps are dropped first.
  for (let from = 1; text.length > limit && from < steps.length; from += 1) {
    const inner = findAt(witness, joinPointer("", ...steps.slice(0, from)));
    if (inner === undefined) break;
    text = `${GAP}${shorten(inner, steps.slice(from), limit - 1)}`;
  }
  return printable(text, text.length + 1);
}

/** More than eight equal items of a list, such as one more than `maxItems` allows. */
const EQUAL_ITEMS = /(?<=[[,])("(?:[^"\\]|\\.)*"|[\w.+-]+|\{[^{}]*\}|\[\]),(?:\1,){7,}\1(?=[\],])/g;

function entriesOf(value: JsonValue | undefined): readonly (readonly [string | number, JsonValue])[] {
  if (isJsonArray(value)) return value.map((item, index) => [index, item] as const);
  return isJsonObject(value) ? Object.entries(value) : [];
}

const GAP = "…";

/** Prints a value with the members on a path, and further ones as far as there is room. */
function shorten(value: JsonValue, [step, ...rest]: readonly string[], limit: number): string {
  const whole = JSON.stringify(value);
  if (whole.length <= limit) return whole;
  if (typeof value === "string") return JSON.stringify(cutMiddle(value, Math.max(LEAST, limit - 3)));
  const entries = entriesOf(value);
  if (entries.length === 0) return whole;
  const isList = isJsonArray(value);
  const nameOf = (name: string | number): string =>
    isList ? "" : `${JSON.stringify(cutMiddle(String(name), LONGEST_NAME))}:`;
  const position = entries.findIndex(([name]) => String(name) === step);
  const focus = position < 0 ? findShown(entries, isList) : position;
  const [name = "", item = null] = entries[focus] ?? [];
  const room = limit - nameOf(name).length - AROUND;
  const member = `${nameOf(name)}${shorten(item, position < 0 ? [] : rest, room)}`;
  const shown = new Map([[focus, member]]);
  let left = limit - member.length - AROUND;
  for (const [index, [other, sibling]] of entries.entries()) {
    const text = `${nameOf(other)}${JSON.stringify(sibling)}`;
    if (index === focus || text.length + 1 > left) continue;
    shown.set(index, text);
    left -= text.length + 1;
  }
  const parts = entries.flatMap((_, index) => {
    const part = shown.get(index);
    if (part !== undefined) return [part];
    return index === 0 || shown.has(index - 1) ? [GAP] : [];
  });
  return isList ? `[${parts.join(",")}]` : `{${parts.join(",")}}`;
}

/** The member to show where none is on the path: the last item of a list, or the shortest property. */
function findShown(entries: readonly (readonly [string | number, JsonValue])[], isList: boolean): number {
  if (isList) return entries.length - 1;
  const lengths = entries.map((entry) => JSON.stringify(entry).length);
  return lengths.indexOf(lengths.reduce((least, length) => Math.min(least, length)));
}

/** Brackets, and a gap on either side. */
const AROUND = 6;
const LONGEST_NAME = 60;
/** A cut text keeps at least so many characters. */
const LEAST = 8;

function cutMiddle(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const end = Math.floor(limit / 3);
  return `${text.slice(0, limit - end)}${GAP}${text.slice(text.length - end)}`.replace(LONE, "");
}

/** Half of a surrogate pair beside the gap. */
const LONE = /[\uD800-\uDBFF](?=…)|(?<=…)[\uDC00-\uDFFF]/g;

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
  const beforeText = JSON.stringify(before);
  const afterText = JSON.stringify(after);
  const { start: same } = commonEnds(beforeText, afterText);
  const isWhole = (beforeText.length <= limit && afterText.length <= limit) || same < limit - LEAD;
  const from = isWhole ? 0 : Math.max(0, same - LEAD);
  // Half of a surrogate pair is not a character.
  const start = from > 0 && /[\uDC00-\uDFFF]/.test(beforeText.charAt(from)) ? from - 1 : from;
  return [cut(beforeText, start, limit), cut(afterText, start, limit)];
}

/** How many characters are the same at the start of two texts, and at the end of what follows. */
export function commonEnds(a: string, b: string): { readonly start: number; readonly end: number } {
  const most = Math.min(a.length, b.length);
  let start = 0;
  while (start < most && a.charCodeAt(start) === b.charCodeAt(start)) start += 1;
  let end = 0;
  while (end < most - start && a.charCodeAt(a.length - 1 - end) === b.charCodeAt(b.length - 1 - end))
    end += 1;
  return { start, end };
}

function cut(text: string, start: number, limit: number): string {
  return `${start > 0 ? "…" : ""}${printable(text.slice(start), limit)}`;
}

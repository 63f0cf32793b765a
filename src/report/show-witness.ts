import { splitPointer } from "../contract/json-pointer.js";
import { isJsonArray, isJsonObject, type JsonValue } from "../contract/json.js";
import { printable } from "../contract/printable.js";

/**
 * An instance as JSON of about `limit` characters. A long one is cut around the part that a change is about: the
 * value at its place, or the object that lacks it.
 */
export function showWitness(witness: JsonValue, pointer: string, limit: number): string {
  const text = JSON.stringify(witness);
  if (text.length <= limit) return printable(text, limit);
  const { from, to } = findSpan(witness, stepsOf(pointer), 0);
  // If the part does not fit, its start is shown.
  const spare = Math.max(0, limit - (to - from));
  const start = Math.max(0, Math.min(from - Math.floor(spare / 2), text.length - limit));
  const end = Math.min(text.length, start + limit);
  const [lead, tail] = [start > 0 ? "…" : "", end < text.length ? "…" : ""];
  const shown = text.slice(start + lead.length, end - tail.length);
  return `${lead}${printable(shown.replace(HALVES, ""), limit)}${tail}`;
}

/** Half of a surrogate pair at either end. */
const HALVES = /^[\uDC00-\uDFFF]|[\uD800-\uDBFF]$/g;

/** A step from a value into it: a property name, or any item. */
interface Step {
  readonly name?: string;
}

/** The steps into an instance for a JSON Pointer into a schema. */
function stepsOf(pointer: string): readonly Step[] {
  const parts = splitPointer(pointer).slice(1);
  const steps: Step[] = [];
  for (let at = 0; at < parts.length; at += 1) {
    const [keyword, next] = parts.slice(at, at + 2);
    if (keyword === "properties" && next !== undefined) steps.push({ name: next });
    else if (keyword === "items" || keyword === "prefixItems") steps.push({});
    // The next segment is a name or an index, not a keyword.
    if (keyword !== undefined && NAMED.has(keyword)) at += 1;
  }
  return steps;
}

const NAMED: ReadonlySet<string> = new Set([
  ...["properties", "patternProperties", "dependentSchemas", "$defs", "definitions"],
  ...["anyOf", "oneOf", "allOf", "prefixItems"],
]);

/** Offsets in the JSON text, in code units. */
interface Span {
  readonly from: number;
  readonly to: number;
}

function findSpan(value: JsonValue, [step, ...rest]: readonly Step[], offset: number): Span {
  const whole = { from: offset, to: offset + JSON.stringify(value).length };
  if (step === undefined) return whole;
  const parts = listParts(value, offset);
  const part = parts.find(({ name }) => step.name === undefined || name === step.name);
  if (part !== undefined) {
    const found = findSpan(part.value, rest, part.at);
    return rest.length === 0 ? { from: part.from, to: found.to } : found;
  }
  // The steps of a shared definition may start anywhere in the value.
  const holder = parts.find((each) => step.name !== undefined && hasName(each.value, step.name));
  return holder === undefined ? whole : findSpan(holder.value, [step, ...rest], holder.at);
}

function hasName(value: JsonValue, name: string): boolean {
  return listParts(value, 0).some((part) => part.name === name || hasName(part.value, name));
}

interface Part {
  readonly name?: string;
  readonly value: JsonValue;
  /** The offset where the part starts, with its name, and the offset of its value. */
  readonly from: number;
  readonly at: number;
}

function listParts(value: JsonValue, offset: number): readonly Part[] {
  const parts: Part[] = [];
  let from = offset + 1;
  const add = (item: JsonValue, name?: string): void => {
    const at = name === undefined ? from : from + JSON.stringify(name).length + 1;
    parts.push({ value: item, from, at, ...(name !== undefined && { name }) });
    from = at + JSON.stringify(item).length + 1;
  };
  if (isJsonArray(value)) for (const item of value) add(item);
  else if (isJsonObject(value)) for (const [name, item] of Object.entries(value)) add(item, name);
  return parts;
}

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

import type { Change } from "../contract/change.js";
import { joinPointer, splitPointer } from "../contract/json-pointer.js";
import { getOwn, isJsonArray, isJsonObject, type JsonValue } from "../contract/json.js";
import { printable } from "../contract/printable.js";

/**
 * The instance of a change as JSON of about `limit` characters. Of a long one, the path to the part that the change is
 * about stays, and this part: the value at its place, or the object that lacks it. An ellipsis replaces what is left out.
 */
export function showWitness(witness: JsonValue, change: Change, limit: number): string {
  const whole = JSON.stringify(witness);
  if (whole.length <= limit) return printable(whole, limit);
  const path = findPart(witness, stepsOf(pointerOf(change)));
  let text = shorten(witness, path, limit);
  // The place of the change names the path, too: the outermost steps go first where a line is short.
  for (let from = 1; text.length > limit && from < path.length; from += 1)
    text = `${GAP}${shorten(valueAt(witness, path.slice(0, from)) ?? null, path.slice(from), limit - 1)}`;
  return printable(text, text.length + 1);
}

/** Callers of a renamed property passed its old name. */
function pointerOf({ rule, path, before }: Change): string {
  if (rule !== "input-property-renamed" || typeof before !== "string") return path;
  return path.slice(0, path.lastIndexOf("/")) + joinPointer("", before);
}

/** A step from a value into it: a property, an item of a list, or the value of a map. */
type Step = { readonly name: string } | { readonly item: number | undefined } | { readonly isOfMap: true };

/** The steps into an instance for a JSON Pointer into a schema, and whether they may start anywhere in it. */
interface Steps {
  readonly steps: readonly Step[];
  readonly isShared: boolean;
}

const MAPS: ReadonlySet<string> = new Set([
  ...["additionalProperties", "unevaluatedProperties", "patternProperties", "propertyNames"],
]);
const LISTS: ReadonlySet<string> = new Set([
  ...["items", "prefixItems", "additionalItems", "unevaluatedItems", "contains"],
]);
/** Keywords whose next segment is a name or an index. */
const NAMED: ReadonlySet<string> = new Set([
  ...["properties", "patternProperties", "dependentSchemas", "dependentRequired", "dependencies"],
  ...["$defs", "definitions", "anyOf", "oneOf", "allOf"],
]);

function stepsOf(pointer: string): Steps {
  const parts = splitPointer(pointer).slice(1);
  let steps: Step[] = [];
  let isShared = false;
  for (let at = 0; at < parts.length; at += 1) {
    const [keyword = "", next] = parts.slice(at, at + 2);
    if (keyword === "$defs" || keyword === "definitions") {
      steps = [];
      isShared = true;
    } else if (keyword === "properties" && next !== undefined) steps.push({ name: next });
    else if (MAPS.has(keyword)) steps.push({ isOfMap: true });
    else if (LISTS.has(keyword)) {
      const index = next !== undefined && /^\d{1,9}$/.test(next) ? Number(next) : undefined;
      steps.push({ item: index });
      if (index !== undefined) at += 1;
    }
    if (NAMED.has(keyword)) at += 1;
  }
  return { steps, isShared };
}

/** The names and indices that lead to a part of an instance. */
type Path = readonly (string | number)[];

/** Finds the part that steps lead to, as far as the instance has it. */
function findPart(value: JsonValue, { steps, isShared }: Steps): Path {
  const [step] = steps;
  if (!isShared || step === undefined) return follow(value, steps);
  // A place where a shared definition is used has the first property of the steps.
  const holder = "name" in step ? findHolder(value, step.name) : [];
  return holder === undefined ? [] : [...holder, ...follow(valueAt(value, holder), steps)];
}

function follow(value: JsonValue | undefined, [step, ...rest]: readonly Step[]): Path {
  if (step === undefined) return [];
  const key = isJsonArray(value) ? keyOfItem(value, step) : keyOfMember(value, step);
  return key === undefined ? [] : [key, ...follow(valueAt(value, [key]), rest)];
}

function keyOfMember(value: JsonValue | undefined, step: Step): string | undefined {
  if (!isJsonObject(value)) return undefined;
  if ("name" in step) return Object.hasOwn(value, step.name) ? step.name : undefined;
  // The property that a schema does not declare comes last.
  return "isOfMap" in step ? Object.keys(value).at(-1) : undefined;
}

/** An item that is unlike the first is the one that a change is about: the others only fill the list. */
function keyOfItem(items: readonly JsonValue[], step: Step): number | undefined {
  if (!("item" in step) || items.length === 0) return undefined;
  if (step.item !== undefined && step.item < items.length) return step.item;
  const first = JSON.stringify(items[0]);
  return Math.max(
    0,
    items.findIndex((item) => JSON.stringify(item) !== first),
  );
}

function findHolder(value: JsonValue, name: string): Path | undefined {
  if (isJsonObject(value) && Object.hasOwn(value, name)) return [];
  for (const [key, item] of entriesOf(value)) {
    const path = findHolder(item, name);
    if (path !== undefined) return [key, ...path];
  }
  return undefined;
}

function entriesOf(value: JsonValue | undefined): readonly (readonly [string | number, JsonValue])[] {
  if (isJsonArray(value)) return value.map((item, index) => [index, item] as const);
  return isJsonObject(value) ? Object.entries(value) : [];
}

function valueAt(value: JsonValue | undefined, path: Path): JsonValue | undefined {
  return path.reduce<JsonValue | undefined>((part, key) => {
    if (isJsonArray(part)) return typeof key === "number" ? part[key] : undefined;
    return isJsonObject(part) ? getOwn(part, String(key)) : undefined;
  }, value);
}

const GAP = "…";

/** Prints a value with the members on a path, and further ones as far as there is room. */
function shorten(value: JsonValue, [key, ...rest]: Path, limit: number): string {
  const whole = JSON.stringify(value);
  if (whole.length <= limit) return whole;
  if (typeof value === "string") return JSON.stringify(cutMiddle(value, Math.max(LEAST, limit - 3)));
  const entries = entriesOf(value);
  if (entries.length === 0) return whole;
  const isList = isJsonArray(value);
  const nameOf = (name: string | number): string =>
    isList ? "" : `${JSON.stringify(cutMiddle(String(name), LONGEST_NAME))}:`;
  const focus = key === undefined ? findShown(entries, isList) : entries.findIndex(([name]) => name === key);
  const [name = "", item = null] = entries[focus] ?? [];
  const room = limit - nameOf(name).length - AROUND;
  const member = `${nameOf(name)}${shorten(item, rest, room)}`;
  const shown = new Map([[focus, member]]);
  let left = limit - member.length - AROUND;
  const others = entries.map((_, index) => index).filter((index) => index !== focus);
  for (const index of others) {
    const [other = "", sibling = null] = entries[index] ?? [];
    const text = `${nameOf(other)}${JSON.stringify(sibling)}`;
    if (text.length + 1 > left) continue;
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

/** The start and the end of a text. */
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

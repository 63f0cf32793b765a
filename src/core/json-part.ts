import { findAt, joinPointer } from "./json-pointer.js";
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue, findOwn, listOrEmpty } from "./json.js";

interface WantedPart {
  /** Paths such as `items.title`, which lead through arrays. Absent: everything. */
  readonly fields?: readonly string[] | undefined;
  /** From 1. */
  readonly page?: number | undefined;
  /** The maximum number of characters of a page, as JSON. */
  readonly most: number;
}

/** Describes the rest of a result. */
export interface PartOfResult extends JsonObject {
  readonly page: number;
  readonly pages: number;
  /** The path of the array or the text that is split; empty for the whole result. */
  readonly of: string;
  /** The number of its items, or of characters. */
  readonly total: number;
  /** The types of the whole result. */
  readonly shape: string;
}

interface TakenPart {
  /** Null beyond the last page, and if no page can show it. */
  readonly result: JsonValue;
  /** The wanted fields that the result does not have. */
  readonly missing?: readonly string[];
  /** Absent if the result is whole. */
  readonly part?: PartOfResult;
}

/** Returns the wanted fields of a result. A result that is too long is split into pages of its largest array or text. */
export function takePart(value: JsonValue, { fields, page = 1, most }: WantedPart): TakenPart {
  const result = fields === undefined || fields.length === 0 ? value : pick(value, fields.map(splitPath));
  const absent = (fields ?? []).filter((field) => !hasField(value, splitPath(field)));
  const missing = absent.length > 0 ? { missing: absent } : {};
  if (sizeOf(result) <= most && page === 1) return { result, ...missing };
  const shape = printShape(value);
  const path = findLargest(result);
  const rest = replaceAt(result, path, null);
  const large = findAt(result, joinPointer("", ...path)) ?? null;
  // Only fields help with many values, or with a large item.
  const isRestShort = sizeOf(rest) < most;
  // The part takes the place of `null`.
  const starts = isRestShort ? splitValue(large, most - sizeOf(rest) + 4) : [0];
  const isPage = page <= starts.length && (typeof large === "string" || isJsonArray(large));
  const shown = isPage ? large.slice(starts[page - 1], starts[page]) : null;
  const fits = shown !== null && sizeOf(shown) <= most && isRestShort;
  return {
    result: fits ? replaceAt(result, path, shown) : null,
    ...missing,
    part: {
      page,
      pages: starts.length,
      of: path.join("."),
      total: typeof large === "string" || isJsonArray(large) ? large.length : 0,
      shape,
    },
  };
}

type PartPath = readonly string[];

function splitPath(field: string): PartPath {
  return field
    .replaceAll("[]", ".*")
    .split(".")
    .filter((key) => key !== "");
}

/** An empty array may have items with any field. */
function hasField(value: JsonValue, path: PartPath): boolean {
  const [key, ...rest] = path;
  if (key === undefined) return true;
  if (isJsonArray(value))
    return value.length === 0 || value.some((item) => hasField(item, withoutIndex(path)));
  const inner = findOwn(value, key);
  return inner !== undefined && hasField(inner, rest);
}

function pick(value: JsonValue, paths: readonly PartPath[]): JsonValue {
  if (paths.some((path) => path.length === 0)) return value;
  if (isJsonArray(value)) return value.map((item) => pick(item, paths.map(withoutIndex)));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, inner]) => {
      const rests = paths.filter(([head]) => head === key).map((path) => path.slice(1));
      return rests.length === 0 ? [] : [[key, pick(inner, rests)]];
    }),
  );
}

/** `items.0.title` and `items.*.title` mean the titles of all items. */
function withoutIndex(path: PartPath): PartPath {
  return /^(?:\d+|\*)$/.test(path[0] ?? "") ? path.slice(1) : path;
}

function sizeOf(value: JsonValue): number {
  return typeof value === "string" ? value.length : JSON.stringify(value).length;
}

/** Returns the path of the largest array or text that is not part of an array's item. */
function findLargest(value: JsonValue): PartPath {
  let largest: { readonly path: PartPath; readonly size: number } = { path: [], size: 0 };
  const walk = (inner: JsonValue, path: PartPath): void => {
    if (isJsonObject(inner)) for (const [key, item] of Object.entries(inner)) walk(item, [...path, key]);
    else if (sizeOf(inner) > largest.size) largest = { path, size: sizeOf(inner) };
  };
  walk(value, []);
  return largest.path;
}

function replaceAt(value: JsonValue, [key, ...rest]: PartPath, inner: JsonValue): JsonValue {
  if (key === undefined || !isJsonObject(value)) return inner;
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [name, name === key ? replaceAt(item, rest, inner) : item]),
  );
}

function splitValue(value: JsonValue, most: number): readonly number[] {
  const room = Math.max(1, most);
  if (typeof value === "string")
    return Array.from({ length: Math.ceil(value.length / room) }, (_, at) => at * room);
  const starts = [0];
  let size = 0;
  listOrEmpty(value).forEach((item, at) => {
    const cost = sizeOf(item) + 1;
    if (size > 0 && size + cost > room) {
      starts.push(at);
      size = 0;
    }
    size += cost;
  });
  return starts;
}

const LONGEST_SHAPE = 2_000;
const DEEPEST = 5;
const MOST_KEYS = 40;

/** Prints the types of a value: `{ items: { id: number; title: string }[312] }`. The first item stands for all. */
export function printShape(value: JsonValue): string {
  return printType(value, 0).slice(0, LONGEST_SHAPE);
}

function printType(value: JsonValue, depth: number): string {
  if (value === null) return "null";
  if (isJsonArray(value)) {
    const [first] = value;
    return first === undefined ? "[]" : `${printType(first, depth + 1)}[${value.length}]`;
  }
  if (!isJsonObject(value)) return typeof value;
  const entries = Object.entries(value);
  if (depth >= DEEPEST || entries.length === 0) return "{}";
  const shown = entries.slice(0, MOST_KEYS).map(([key, inner]) => `${key}: ${printType(inner, depth + 1)}`);
  return `{ ${[...shown, ...(entries.length > MOST_KEYS ? ["…"] : [])].join("; ")} }`;
}

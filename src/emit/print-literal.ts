import { getOwn, isJsonObject, type JsonObject, type JsonValue } from "../contract/json.js";
import { quoteLiteral } from "../schema/identifiers.js";
import type { FormatOptions } from "./format-text.js";

/** Where a literal stands. */
interface Place {
  /** The white space that the line begins with. */
  readonly indent: string;
  /** Columns before the literal. */
  readonly column: number;
  /** Columns after it. */
  readonly tail: number;
}

/** What of Prettier's options changes a literal. */
interface Layout {
  readonly width: number;
  readonly tabWidth: number;
  readonly step: string;
  readonly space: string;
  readonly comma: string;
  readonly quote: '"' | "'";
}

/**
 * JSON as a TypeScript literal, in the layout that Prettier gives to one written without a line break. Undefined where
 * that takes more than Prettier's plain rules: keys quoted otherwise than as needed, keys with a meaning of their own,
 * lists of numbers, lines whose length depends on the width of foreign letters. Then Prettier is to be asked.
 */
export function printLiteral(
  value: JsonValue,
  options: FormatOptions,
  line: { readonly before: string; readonly after: string },
): string | undefined {
  const layout = layoutOf(options);
  if (layout === undefined) return undefined;
  const [indent = ""] = /^\s*/.exec(line.before) ?? [];
  const column = columnsOf(indent, layout) + line.before.length - indent.length;
  try {
    return printValue(value, layout, { indent, column, tail: line.after.length });
  } catch (error) {
    if (error instanceof Unsure) return undefined;
    throw error;
  }
}

/** Thrown to leave a literal to Prettier. */
class Unsure extends Error {}

function layoutOf(options: FormatOptions): Layout | undefined {
  const { printWidth = 80, tabWidth = 2, useTabs = false, trailingComma = "all" } = options;
  const { quoteProps = "as-needed", bracketSpacing = true, singleQuote = false } = options;
  if (typeof printWidth !== "number" || typeof tabWidth !== "number" || quoteProps !== "as-needed")
    return undefined;
  return {
    width: printWidth,
    tabWidth,
    step: useTabs === true ? "\t" : " ".repeat(tabWidth),
    space: bracketSpacing === false ? "" : " ",
    comma: trailingComma === "none" ? "" : ",",
    quote: singleQuote === true ? "'" : '"',
  };
}

function printValue(value: JsonValue, layout: Layout, place: Place): string {
  const room = layout.width - place.column - place.tail;
  const flat = printFlat(value, layout, room);
  if (flat !== undefined) return flat;
  if (Array.isArray(value)) return printArray(value, layout, place.indent);
  if (isJsonObject(value)) return printObject(value, layout, place.indent);
  return printScalar(value, layout);
}

/** On one line, where that takes no more columns than there are. */
function printFlat(value: JsonValue, layout: Layout, room: number): string | undefined {
  if (room < 0) return undefined;
  if (typeof value !== "object" || value === null) {
    const text = printScalar(value, layout);
    return fits(text, room) ? text : undefined;
  }
  const isObject = isJsonObject(value);
  if (!isObject && isMatrix(value)) return undefined;
  const entries = isObject
    ? Object.entries(value).map(([key, item]) => [`${printKey(key, layout)}: `, item] as const)
    : value.map((item) => ["", item] as const);
  const members: string[] = [];
  let left = room;
  for (const [head, item] of entries) {
    const text = printFlat(item, layout, left - head.length);
    if (text === undefined) return undefined;
    members.push(head + text);
    left -= head.length + leastColumns(text);
  }
  const inner = members.join(", ");
  const space = inner === "" ? "" : layout.space;
  const text = isObject ? `{${space}${inner}${space}}` : `[${inner}]`;
  return fits(text, room) ? text : undefined;
}

function printArray(items: readonly JsonValue[], layout: Layout, indent: string): string {
  // Prettier fills lines with numbers.
  if (items.length > 0 && items.every((item) => typeof item === "number")) throw new Unsure();
  const inner = indent + layout.step;
  const column = columnsOf(inner, layout);
  const lines = items.map((item, at) => {
    const tail = at < items.length - 1 ? "," : layout.comma;
    return `${inner}${printValue(item, layout, { indent: inner, column, tail: tail.length })}${tail}`;
  });
  return lines.length === 0 ? "[]" : `[\n${lines.join("\n")}\n${indent}]`;
}

function printObject(object: JsonObject, layout: Layout, indent: string): string {
  const inner = indent + layout.step;
  const keys = Object.keys(object);
  const lines = keys.map((key, at) => {
    const tail = at < keys.length - 1 ? "," : layout.comma;
    const value = getOwn(object, key) ?? null;
    return `${inner}${printMember(key, value, layout, { indent: inner, tail: tail.length })}${tail}`;
  });
  return lines.length === 0 ? "{}" : `{\n${lines.join("\n")}\n${indent}}`;
}

function printMember(
  key: string,
  value: JsonValue,
  layout: Layout,
  { indent, tail }: { readonly indent: string; readonly tail: number },
): string {
  const head = `${printKey(key, layout)}:`;
  const column = columnsOf(indent, layout) + head.length + 1;
  const start = firstOf(value, layout);
  const isShort = head.length - 1 < layout.tabWidth + 3;
  const staysOnLine =
    isShort || typeof value === "boolean" || (typeof value === "number" && value >= 0)
      ? true
      : fits(start, layout.width - column - (start === "{" || start === "[" ? 0 : tail));
  if (staysOnLine) return `${head} ${printValue(value, layout, { indent, column, tail })}`;
  const inner = indent + layout.step;
  const below = { indent: inner, column: columnsOf(inner, layout), tail };
  return `${head}\n${inner}${printValue(value, layout, below)}`;
}

/** What has to stand on the line of the key: all of a value that cannot be broken, else its bracket. */
function firstOf(value: JsonValue, layout: Layout): string {
  if (Array.isArray(value)) return value.length === 0 ? "[]" : "[";
  if (isJsonObject(value)) return Object.keys(value).length === 0 ? "{}" : "{";
  return printScalar(value, layout);
}

/** Lists of lists and of objects, each of more than one member, are never on one line. */
function isMatrix(items: readonly JsonValue[]): boolean {
  if (items.length < 2) return false;
  return (
    items.every((item) => Array.isArray(item) && item.length > 1) ||
    items.every((item) => isJsonObject(item) && Object.keys(item).length > 1)
  );
}

function printKey(key: string, { quote }: Layout): string {
  if (/^[A-Za-z_$][\w$]*$/.test(key) && key !== "__proto__") return key;
  if (!/^[\x20-\x7e]*$/.test(key) || key === "__proto__") throw new Unsure();
  return printString(quoteLiteral(key), quote);
}

function printScalar(value: JsonValue, { quote }: Layout): string {
  if (typeof value === "string") return printString(quoteLiteral(value), quote);
  // As Prettier writes an exponent.
  return typeof value === "number" ? JSON.stringify(value).replace("e+", "e") : JSON.stringify(value);
}

/** With the quotes that need fewer escapes, the preferred ones where both need as many. */
function printString(json: string, preferred: '"' | "'"): string {
  const inner = json.slice(1, -1);
  const doubles = inner.split('"').length;
  const singles = inner.split("'").length;
  const usesSingle = preferred === "'" ? singles <= doubles : doubles > singles;
  if (!usesSingle) return json;
  const text = inner.replace(/\\(.)|'/g, (found: string, escaped: string | undefined) =>
    escaped === undefined ? "\\'" : escaped === '"' ? '"' : found,
  );
  return `'${text}'`;
}

function columnsOf(indent: string, { tabWidth }: Layout): number {
  return indent.startsWith("\t") ? indent.length * tabWidth : indent.length;
}

/** ASCII, Latin letters, dashes, curly quotes and plain arrows: what takes one column each. */
const NARROW = /[\x20-\x7e\u00c0-\u024f\u2010-\u2027\u2190-\u2193]+/g;

function leastColumns(text: string): number {
  return text.length - text.replace(NARROW, "").length;
}

/** Whether a text takes no more columns than there are. Any other letter takes none, one or two. */
function fits(text: string, room: number): boolean {
  const least = leastColumns(text);
  if (least > room) return false;
  if (least + 2 * (text.length - least) <= room) return true;
  throw new Unsure();
}

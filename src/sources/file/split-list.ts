import type { Buffer } from "node:buffer";
import { findInexactNumbers, type InexactNumber } from "../../core/exact-json.js";
import { getOwn, isJsonObject, type JsonObject, type JsonValue } from "../../core/json.js";
import type { ToolSnapshot } from "../../core/snapshot.js";

/** A saved list of tools. */
export interface ReadList {
  readonly bytes: Buffer;
  /** The tool of each entry; undefined for an entry that is not a tool of its own. */
  readonly tools: readonly (ToolSnapshot | undefined)[];
}

/** A saved list whose entries are parsed one by one, so that equal parts of them take the memory of one. */
export interface SplitList {
  /** The text of the list, in which `null` replaces each entry. */
  readonly text: string;
  /** The values of the entries; `null` for those in `known`. */
  readonly entries: readonly JsonValue[];
  /** The tools of the entries with the same bytes as in an earlier list, by place. */
  readonly known: ReadonlyMap<number, ToolSnapshot>;
  /** The inexact numbers of each other entry, by place. */
  readonly inexact: ReadonlyMap<number, readonly InexactNumber[]>;
}

type ListPlace = readonly [from: number, to: number];

/**
 * Splits a list into its entries. Returns undefined if it has another beginning than most, or an entry that is not JSON. The text
 * around the entries may be invalid JSON, and then still is.
 */
export function splitList(bytes: Buffer, earlier?: ReadList): SplitList | undefined {
  const places = findEntries(bytes);
  if (places === undefined) return undefined;
  const findEqual = earlier && createSearch(earlier);
  const shareDefinitions = createDefinitionSharing();
  const tools = new Map<number, ToolSnapshot>();
  const inexact = new Map<number, readonly InexactNumber[]>();
  const pieces: string[] = [];
  let kept = 0;
  const parseEntry = ([from, to]: ListPlace, place: number): JsonValue => {
    pieces.push(bytes.toString("utf8", kept, from));
    kept = to;
    const tool = findEqual?.(bytes.subarray(from, to));
    if (tool !== undefined) {
      tools.set(place, tool);
      return null;
    }
    const text = bytes.toString("utf8", from, to);
    const entry = JSON.parse(text) as JsonValue;
    inexact.set(place, findInexactNumbers(text));
    return shareDefinitions(entry);
  };
  try {
    const entries = places.map(parseEntry);
    return { text: [...pieces, bytes.toString("utf8", kept)].join("null"), entries, known: tools, inexact };
  } catch {
    return undefined;
  }
}

/** How many bytes identify an entry, mostly: its name is in them. */
const BEGINNING = 80;

/** Returns a function that finds the tool of an entry with the same bytes; it expects entries in the order of the list. */
function createSearch({ bytes, tools }: ReadList): (entry: Buffer) => ToolSnapshot | undefined {
  const entries = (findEntries(bytes) ?? []).map(([from, to]) => bytes.subarray(from, to));
  if (entries.length !== tools.length) return () => undefined;
  const byBeginning = new Map(entries.map((entry, at) => [beginningOf(entry), at]));
  let next = 0;
  return (entry) => {
    if (entries[next]?.equals(entry) !== true) next = byBeginning.get(beginningOf(entry)) ?? next;
    const tool = entries[next]?.equals(entry) === true ? tools[next] : undefined;
    next += 1;
    return tool;
  };
}

function beginningOf(entry: Buffer): string {
  return entry.toString("latin1", 0, BEGINNING);
}

const SPACE = 0x20;
const QUOTE = 0x22;
const COMMA = 0x2c;
const OPEN = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

/** Returns the places of the entries; undefined for an unusual list. */
function findEntries(bytes: Buffer): readonly ListPlace[] | undefined {
  let from = /^\s*(?:\{\s*"tools"\s*:\s*)?\[\s*/.exec(bytes.toString("latin1", 0, 200))?.[0].length;
  if (from === undefined) return undefined;
  const entries: ListPlace[] = [];
  while (from < bytes.length && bytes[from] !== CLOSE) {
    const to = endOfEntry(bytes, from);
    entries.push([from, to]);
    from = afterComma(bytes, to);
  }
  // Of two lists in one file, the second counts.
  return /"tools"|\\/.test(bytes.toString("latin1", from)) ? undefined : entries;
}

/** Returns where the comma or the bracket after an entry is, or the white space before it. */
function endOfEntry(bytes: Buffer, from: number): number {
  let depth = 0;
  for (let at = from; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (byte === QUOTE) {
      for (at += 1; at < bytes.length && bytes[at] !== QUOTE; at += 1) if (bytes[at] === BACKSLASH) at += 1;
    } else if (byte === OPEN || byte === OPEN_BRACE) depth += 1;
    else if (byte === CLOSE || byte === CLOSE_BRACE) {
      depth -= 1;
      if (depth === 0) return at + 1;
      if (depth < 0) return at;
    } else if (byte === COMMA && depth === 0) return at;
  }
  return bytes.length;
}

/** Skips white space and commas. */
function afterComma(bytes: Buffer, from: number): number {
  let at = from;
  while ((bytes[at] ?? Infinity) <= SPACE || bytes[at] === COMMA) at += 1;
  return at;
}

const SCHEMAS = ["inputSchema", "outputSchema"];
const DEFINITIONS = ["$defs", "definitions"];

/**
 * Returns a function that returns an entry of a list with the definitions of earlier entries in place of equal ones. Generators
 * repeat all definitions in each tool: 200 tools may have half a megabyte of them 200 times.
 */
function createDefinitionSharing(): (entry: JsonValue) => JsonValue {
  const values = new Map<string, JsonValue>();
  const share = (value: JsonValue, create: () => JsonValue): JsonValue => {
    const text = JSON.stringify(value);
    const shared = values.get(text) ?? create();
    values.set(text, shared);
    return shared;
  };
  const shareAll = (definitions: JsonValue): JsonValue =>
    share(definitions, () => mapMembers(definitions, (definition) => share(definition, () => definition)));
  return (entry) => mapMembers(entry, (schema) => mapMembers(schema, shareAll, DEFINITIONS), SCHEMAS);
}

/** Returns an object with other values of its members, or of those with these keys; any other value unchanged. */
function mapMembers(
  value: JsonValue,
  map: (member: JsonValue) => JsonValue,
  keys?: readonly string[],
): JsonValue {
  if (!isJsonObject(value)) return value;
  const mapped: JsonObject = Object.fromEntries(
    (keys ?? Object.keys(value)).flatMap((key) => {
      const member = getOwn(value, key);
      return member === undefined ? [] : [[key, map(member)]];
    }),
  );
  return Object.keys(mapped).length === 0 ? value : { ...value, ...mapped };
}

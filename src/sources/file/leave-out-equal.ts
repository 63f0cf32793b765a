import type { Buffer } from "node:buffer";
import type { ToolSnapshot } from "../../core/snapshot.js";

/** A saved list of tools. */
export interface ReadList {
  readonly bytes: Buffer;
  /** The tool of each entry; undefined for an entry that is not a tool of its own. */
  readonly tools: readonly (ToolSnapshot | undefined)[];
}

/** A saved list in which `null` replaces the entries that another list has too. */
interface ShortList {
  readonly text: string;
  /** The tools of these entries, by place. */
  readonly known: ReadonlyMap<number, ToolSnapshot>;
}

type Entry = readonly [from: number, to: number];

/** How many bytes identify an entry, mostly: its name is in them. */
const BEGINNING = 80;

/**
 * Leaves out the entries with the same bytes as in another list, so that they are not parsed again. Undefined if the lists have
 * another beginning than most. The text may be invalid JSON, and then still is.
 */
export function leaveOutEqual(bytes: Buffer, { bytes: earlier, tools }: ReadList): ShortList | undefined {
  const start = startOf(bytes);
  const entries = findEntries(earlier);
  if (start === undefined || entries.length !== tools.length) return undefined;
  const byBeginning = new Map(entries.map(([from], at) => [beginningAt(earlier, from), at]));
  const known = new Map<number, ToolSnapshot>();
  const pieces: string[] = [];
  const lengthOfEqual = (at: number, from: number): number | undefined => {
    const [twin, end] = entries[at] ?? [0, 0];
    const isEqual = bytes.subarray(from, from + end - twin).equals(earlier.subarray(twin, end));
    return isEqual && tools[at] !== undefined ? end - twin : undefined;
  };
  let [kept, place, next] = [0, 0, 0];
  for (let from = start; from < bytes.length && bytes[from] !== CLOSE; place += 1) {
    let length = lengthOfEqual(next, from);
    if (length === undefined) {
      next = byBeginning.get(beginningAt(bytes, from)) ?? next;
      length = lengthOfEqual(next, from);
    }
    const tool = tools[next];
    if (length !== undefined && tool !== undefined) {
      known.set(place, tool);
      pieces.push(bytes.toString("utf8", kept, from), "null");
      kept = from + length;
    }
    from = afterComma(bytes, length === undefined ? endOfEntry(bytes, from) : kept);
    next += 1;
  }
  return { text: pieces.join("") + bytes.toString("utf8", kept), known };
}

const [SPACE, QUOTE, COMMA, OPEN, BACKSLASH, CLOSE, OPEN_BRACE, CLOSE_BRACE] = [
  0x20, 0x22, 0x2c, 0x5b, 0x5c, 0x5d, 0x7b, 0x7d,
];

/** Short entries are followed by others here, so they are only found in their order. */
function beginningAt(bytes: Buffer, from: number): string {
  return bytes.toString("latin1", from, from + BEGINNING);
}

/** Returns where the first entry begins. */
function startOf(bytes: Buffer): number | undefined {
  return /^\s*(?:\{\s*"tools"\s*:\s*)?\[\s*/.exec(bytes.toString("latin1", 0, 200))?.[0].length;
}

/** Returns the places of the entries; none for an unusual list. The bytes must be valid JSON. */
function findEntries(bytes: Buffer): readonly Entry[] {
  const entries: Entry[] = [];
  let from = startOf(bytes) ?? bytes.length;
  while (from < bytes.length && bytes[from] !== CLOSE) {
    const to = endOfEntry(bytes, from);
    entries.push([from, to]);
    from = afterComma(bytes, to);
  }
  // Of two lists in one file, the second counts.
  return /"tools"|\\/.test(bytes.toString("latin1", from)) ? [] : entries;
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

/** Skips white space and one comma. */
function afterComma(bytes: Buffer, from: number): number {
  let at = from;
  while ((bytes[at] ?? Infinity) <= SPACE || bytes[at] === COMMA) at += 1;
  return at;
}

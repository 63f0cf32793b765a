import { splitPointer } from "../contract/json-pointer.js";

/** A region of a text. Lines and columns count from 1, columns in UTF-16 code units; the end is exclusive. */
export interface Region {
  readonly startLine: number;
  readonly startColumn: number;
  readonly endLine: number;
  readonly endColumn: number;
}

/** A wanted place: the places below it, and the pointers that end at it. */
interface Wanted {
  readonly pointers: string[];
  readonly steps: Map<string, Wanted>;
}

/**
 * Returns the regions of JSON Pointers (RFC 6901) in a JSON text, found in one pass: a member from its key, an item
 * from its first character. A pointer to a missing value has the region of its nearest ancestor.
 */
export function locateInJson(text: string, pointers: readonly string[]): ReadonlyMap<string, Region> {
  const root: Wanted = { pointers: [], steps: new Map() };
  for (const pointer of pointers) {
    let place = root;
    for (const key of splitPointer(pointer)) {
      const known = place.steps.get(key);
      const next = known ?? { pointers: [], steps: new Map<string, Wanted>() };
      if (known === undefined) place.steps.set(key, next);
      place = next;
    }
    place.pointers.push(pointer);
  }
  const found = new Map<string, Region>();
  new Locator(text, found).locate(root);
  return found;
}

const SPACE = /[\t\n\r \uFEFF]*/y;
const SCALAR = /[^\s,\]}]+/y;

/** Descends only towards wanted places, and skips everything else. */
class Locator {
  #at = 0;
  readonly #text: string;
  readonly #found: Map<string, Region>;
  readonly #lines: readonly number[];

  constructor(text: string, found: Map<string, Region>) {
    this.#text = text;
    this.#found = found;
    this.#lines = lineStarts(text);
  }

  /** The value at the current place; `start` is where it begins, its key included. */
  locate(wanted: Wanted, start?: number): void {
    this.#skip(SPACE);
    const from = start ?? this.#at;
    const open = this.#text[this.#at];
    if (open === "{" && wanted.steps.size > 0) this.#locateMembers(wanted);
    else if (open === "[" && wanted.steps.size > 0) this.#locateItems(wanted);
    else this.#skipValue();
    const region = this.#region(from, this.#at);
    this.#record(wanted, region);
  }

  #locateMembers(wanted: Wanted): void {
    this.#at += 1;
    for (;;) {
      this.#skip(SPACE);
      if (this.#text[this.#at] !== '"') break;
      const start = this.#at;
      this.#skipString();
      const key: unknown = JSON.parse(this.#text.slice(start, this.#at));
      this.#skip(SPACE);
      this.#at += 1;
      this.#next(typeof key === "string" ? wanted.steps.get(key) : undefined, start);
      if (!this.#isComma()) break;
    }
    this.#at += 1;
  }

  #locateItems(wanted: Wanted): void {
    this.#at += 1;
    for (let index = 0; ; index += 1) {
      this.#skip(SPACE);
      const character = this.#text[this.#at];
      if (character === "]" || character === undefined) break;
      this.#next(wanted.steps.get(String(index)));
      if (!this.#isComma()) break;
    }
    this.#at += 1;
  }

  #next(wanted: Wanted | undefined, start?: number): void {
    if (wanted === undefined) this.#skipValue();
    else this.locate(wanted, start);
  }

  #isComma(): boolean {
    this.#skip(SPACE);
    if (this.#text[this.#at] !== ",") return false;
    this.#at += 1;
    return true;
  }

  /** Skips a value, without recursion since it may be nested deeply. */
  #skipValue(): void {
    let depth = 0;
    do {
      this.#skip(SPACE);
      const character = this.#text[this.#at];
      if (character === undefined) return;
      if (character === '"') this.#skipString();
      else if (character === "{" || character === "[") {
        depth += 1;
        this.#at += 1;
      } else if (character === "}" || character === "]") {
        depth -= 1;
        this.#at += 1;
      } else if (character === "," || character === ":") this.#at += 1;
      else this.#skip(SCALAR);
    } while (depth > 0);
  }

  /** Skips a string. Not by a regular expression, whose stack grows with the length of the text. */
  #skipString(): void {
    const text = this.#text;
    let at = this.#at + 1;
    for (;;) {
      const quote = text.indexOf('"', at);
      if (quote === -1) {
        this.#at = text.length;
        return;
      }
      let slashes = 0;
      while (quote - slashes > at && text[quote - slashes - 1] === "\\") slashes += 1;
      at = quote + 1;
      if (slashes % 2 === 0) {
        this.#at = at;
        return;
      }
    }
  }

  #skip(pattern: RegExp): void {
    pattern.lastIndex = this.#at;
    if (pattern.test(this.#text)) this.#at = pattern.lastIndex;
  }

  /** Gives wanted places that do not exist the first line of their nearest ancestor. */
  #record({ pointers, steps }: Wanted, region: Region): void {
    for (const pointer of pointers) this.#found.set(pointer, region);
    const lost = [...steps.values()];
    for (let one = lost.pop(); one !== undefined; one = lost.pop()) {
      for (const pointer of one.pointers) {
        if (!this.#found.has(pointer)) this.#found.set(pointer, region);
      }
      lost.push(...one.steps.values());
    }
  }

  #region(from: number, to: number): Region {
    const [startLine, startColumn] = this.#position(from);
    const [endLine, endColumn] = this.#position(to);
    return { startLine, startColumn, endLine, endColumn };
  }

  #position(offset: number): readonly [line: number, column: number] {
    let low = 0;
    let high = this.#lines.length;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if ((this.#lines[middle] ?? 0) <= offset) low = middle;
      else high = middle;
    }
    return [low + 1, offset - (this.#lines[low] ?? 0) + 1];
  }
}

/** The offset at which each line begins. */
function lineStarts(text: string): readonly number[] {
  const starts = [0];
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  return starts;
}

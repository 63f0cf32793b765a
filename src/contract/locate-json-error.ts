/** Where a text stops being JSON, and what was expected there. Lines and columns count from 1. */
export interface JsonError {
  readonly line: number;
  readonly column: number;
  readonly reason: string;
}

/**
 * Finds the first place where a text is not JSON (RFC 8259); undefined when it is JSON.
 *
 * `JSON.parse` is the parser everywhere. This runs only after it has refused, because the place it names depends on
 * the version of Node.js, and often it names none.
 */
export function locateJsonError(text: string): JsonError | undefined {
  const scanner = new Scanner(text);
  const problem = scanner.scan();
  if (problem === undefined) return undefined;
  const before = text.slice(0, scanner.position);
  const line = before.split("\n").length;
  const column = before.length - before.lastIndexOf("\n");
  return { line, column, reason: problem };
}

const WHITE_SPACE = /[\t\n\r ]*/y;
const STRING = /"(?:[ !#-[\]-\uffff]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y;
const SCALAR = /(?:-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?|true|false|null)(?![\w.])/y;

/** Keeps the open brackets on a stack of its own, so that deep nesting cannot exhaust the call stack. */
class Scanner {
  position = 0;
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  scan(): string | undefined {
    const open: ("{" | "[")[] = [];
    for (;;) {
      const started = this.#startValue(open);
      if (started !== undefined) return started;
      // A value has ended: close what ends with it, up to the next comma.
      for (;;) {
        const inside = open.at(-1);
        this.#match(WHITE_SPACE);
        if (inside === undefined) {
          return this.position === this.#text.length ? undefined : this.#expected("the end of the file");
        }
        if (this.#take(inside === "{" ? "}" : "]")) {
          open.pop();
          continue;
        }
        if (!this.#take(",")) return this.#expected(inside === "{" ? '"," or "}"' : '"," or "]"');
        if (inside === "{") {
          const key = this.#key();
          if (key !== undefined) return key;
        }
        break;
      }
    }
  }

  /** Reads up to the end of a scalar or of an empty bracket; pushes every bracket that holds something. */
  #startValue(open: ("{" | "[")[]): string | undefined {
    for (;;) {
      this.#match(WHITE_SPACE);
      if (this.#take("{")) {
        this.#match(WHITE_SPACE);
        if (this.#take("}")) return undefined;
        open.push("{");
        const key = this.#key();
        if (key !== undefined) return key;
      } else if (this.#take("[")) {
        this.#match(WHITE_SPACE);
        if (this.#take("]")) return undefined;
        open.push("[");
      } else {
        return this.#match(STRING) || this.#match(SCALAR) ? undefined : this.#expected("a value");
      }
    }
  }

  #key(): string | undefined {
    this.#match(WHITE_SPACE);
    if (!this.#match(STRING)) return this.#expected("a key in double quotes");
    this.#match(WHITE_SPACE);
    return this.#take(":") ? undefined : this.#expected('":"');
  }

  #take(character: string): boolean {
    if (this.#text[this.position] !== character) return false;
    this.position += 1;
    return true;
  }

  #match(pattern: RegExp): boolean {
    pattern.lastIndex = this.position;
    if (!pattern.test(this.#text)) return false;
    this.position = pattern.lastIndex;
    return true;
  }

  #expected(what: string): string {
    return this.position === this.#text.length
      ? `expected ${what}, found the end of the file`
      : `expected ${what}`;
  }
}

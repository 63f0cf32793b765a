import { formatLimit, READ_LIMIT } from "../contract/limits.js";

/**
 * Splits a stream of chunks into lines, without their `\n` or `\r\n`. Each character is scanned once, in
 * however many chunks a line arrives.
 */
export class LineSplitter {
  readonly #onLine: (line: string) => void;
  readonly #limit: number;
  #pieces: string[] = [];
  #length = 0;

  /** @param limit the most characters of one line */
  constructor(onLine: (line: string) => void, limit: number = READ_LIMIT) {
    this.#onLine = onLine;
    this.#limit = limit;
  }

  /** @throws RangeError when a line exceeds the limit */
  push(chunk: string): void {
    let start = 0;
    for (let end = chunk.indexOf("\n"); end !== -1; end = chunk.indexOf("\n", start)) {
      this.#add(chunk.slice(start, end));
      start = end + 1;
      this.#flush();
    }
    this.#add(chunk.slice(start));
  }

  /** Emits the text after the last line end, if there is any. */
  end(): void {
    if (this.#length > 0) this.#flush();
  }

  #add(piece: string): void {
    if (piece === "") return;
    this.#length += piece.length;
    if (this.#length > this.#limit) throw new RangeError(`a line of more than ${formatLimit(this.#limit)}`);
    this.#pieces.push(piece);
  }

  #flush(): void {
    const line = this.#pieces.join("");
    this.#pieces = [];
    this.#length = 0;
    this.#onLine(line.endsWith("\r") ? line.slice(0, -1) : line);
  }
}

import { stripVTControlCharacters } from "node:util";
import { scrubSecrets, UNPRINTABLE } from "./server-text.js";

/** The number of lines that are kept. Older lines are rarely about the failure. */
const MOST_LINES = 8;
const LONGEST_LINE = 1_000;
/** The most characters of an unfinished line that are kept and searched for secrets. */
const LONGEST_REST = 100_000;

/** An uncaught error as Node, Python and PHP print it. */
const ERROR = /^(?:Uncaught )?[\w.]{0,60}(?:Error|Exception)(?: \[\w{1,60}\])?: /;
/** The lines that Node prints after it: the stack and the properties of the error. */
const BELOW_ERROR = /^(?:\s|[}\]]|Require stack:|- |Node\.js v)/;

/**
 * The last lines that a server wrote to stderr, without secrets, colours and control characters. Printing
 * code must escape other special characters.
 */
export class ServerOutput {
  readonly #secrets: readonly string[];
  readonly #onLine: ((line: string) => void) | undefined;
  readonly #decoder = new TextDecoder();
  #lines: readonly string[] = [];
  #rest = "";
  #isCut = false;

  constructor(secrets: readonly string[], onLine: ((line: string) => void) | undefined) {
    this.#secrets = secrets.flatMap((secret) => [secret, ...linesOf(secret)]);
    this.#onLine = onLine;
  }

  push(bytes: Uint8Array): void {
    const lines = (this.#rest + this.#decoder.decode(bytes, { stream: true })).split(/\r\n|\n/);
    const rest = lines.pop() ?? "";
    for (const line of lines) this.#add(line);
    // Half a secret would not be found, so a line that is too long is dropped as a whole.
    if (rest.length > LONGEST_REST) this.#isCut = true;
    this.#rest = this.#isCut ? "" : rest;
  }

  /** Ends the output. An unfinished line counts as a line. */
  end(): void {
    if (this.#rest !== "") this.#add(this.#rest);
    this.#rest = "";
  }

  /** The last lines. For an uncaught error, only its message without the stack. */
  get lastLines(): readonly string[] {
    const rest = this.#rest === "" ? [] : [this.#clean(this.#rest)];
    const lines = [...this.#lines, ...rest].filter((line) => line.trim() !== "");
    const last = lines.findLastIndex((line) => !BELOW_ERROR.test(line));
    const error = lines[last] ?? "";
    return (ERROR.test(error) ? [error] : lines).slice(-MOST_LINES).map(cut);
  }

  #add(line: string): void {
    if (this.#isCut) {
      this.#isCut = false;
      return;
    }
    const clean = this.#clean(line);
    this.#onLine?.(cut(clean));
    // Keep more lines than are shown: a stack is longer, and is removed.
    this.#lines = [...this.#lines.slice(-10 * MOST_LINES), clean];
  }

  #clean(line: string): string {
    return stripVTControlCharacters(scrubSecrets(line, this.#secrets))
      .replaceAll("\t", "  ")
      .replace(UNPRINTABLE, " ")
      .trimEnd();
  }
}

/** Returns the lines of a secret such as a private key: output is scrubbed line by line. */
function linesOf(secret: string): readonly string[] {
  return secret.split(/\r?\n/).filter((line) => line.length >= 8);
}

function cut(line: string): string {
  return line.length > LONGEST_LINE ? `${line.slice(0, LONGEST_LINE)}…` : line;
}

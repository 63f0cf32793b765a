import { formatLimit, READ_LIMIT } from "../contract/limits.js";
import { LineSplitter } from "./line-splitter.js";

/** One event of a `text/event-stream`. */
export interface StreamEvent {
  readonly event: string;
  readonly data: string;
  readonly id?: string;
  readonly retry?: string;
}

/**
 * Reads a `text/event-stream` (WHATWG HTML, section 9.2.6) chunk by chunk. The parser of the SDK rescans a
 * long line for each chunk, which takes minutes for a list of 50 MB.
 */
export class EventStreamReader {
  readonly #onEvent: (event: StreamEvent) => void;
  readonly #limit: number;
  readonly #lines: LineSplitter;
  #fields: { event?: string; id?: string; retry?: string } = {};
  #data: string[] = [];
  /** The length of the data so far, in characters. */
  #length = 0;

  /** @param limit the most characters of one event */
  constructor(onEvent: (event: StreamEvent) => void, limit: number = READ_LIMIT) {
    this.#onEvent = onEvent;
    this.#limit = limit;
    this.#lines = new LineSplitter((line) => {
      this.#read(line);
    }, limit);
  }

  push(chunk: string): void {
    this.#lines.push(chunk);
  }

  #read(line: string): void {
    if (line === "") {
      this.#dispatch();
      return;
    }
    const colon = line.indexOf(":");
    const field = colon === -1 ? line : line.slice(0, colon);
    const rest = colon === -1 ? "" : line.slice(colon + 1);
    const value = rest.startsWith(" ") ? rest.slice(1) : rest;
    if (field === "data") this.#addData(value);
    if (field === "event" || field === "id" || field === "retry") this.#fields[field] = value;
  }

  #addData(value: string): void {
    this.#length += value.length + 1;
    if (this.#length > this.#limit) throw new RangeError(`an event of more than ${formatLimit(this.#limit)}`);
    this.#data.push(value);
  }

  #dispatch(): void {
    const { event = "message", ...rest } = this.#fields;
    const data = this.#data.join("\n");
    if (this.#data.length > 0 || rest.id !== undefined || rest.retry !== undefined) {
      this.#onEvent({ event, data, ...rest });
    }
    this.#fields = {};
    this.#data = [];
    this.#length = 0;
  }
}

/** Returns the text of an event, for another reader. */
export function formatEvent({ event, data, id, retry }: StreamEvent): string {
  const lines = [`event: ${event}`];
  if (id !== undefined) lines.push(`id: ${id}`);
  if (retry !== undefined) lines.push(`retry: ${retry}`);
  lines.push(...data.split("\n").map((line) => `data: ${line}`));
  return `${lines.join("\n")}\n\n`;
}

import { formatLimit, READ_LIMIT } from "../core/limits.js";
import type { ListenEvents } from "./session.js";

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
    const { event = "", ...rest } = this.#fields;
    const data = this.#data.join("\n");
    if (this.#data.length > 0 || rest.id !== undefined || rest.retry !== undefined) {
      this.#onEvent({ event: event === "" ? "message" : event, data, ...rest });
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

/** Milliseconds that the stream stays open without a request in flight. */
const IDLE_TIMEOUT = 1_000;

/**
 * The stream of an HTTP server's notifications (specification, "Listening for Messages from the Server"). It
 * is open while requests are in flight and for a second after, since an open stream keeps the process alive.
 * When a server refuses the stream, it is not requested again.
 */
export class NotificationStream {
  readonly #open: (signal: AbortSignal) => Promise<Response>;
  readonly #onText: (text: string) => void;
  #stop: AbortController | undefined;
  #idle: ReturnType<typeof setTimeout> | undefined;
  #isWanted = false;
  #isBusy = false;
  #isRefused = false;
  /** Whether it was refused by a server that may accept it later. */
  #isOutage = false;
  #events: ListenEvents = {};

  constructor(open: (signal: AbortSignal) => Promise<Response>, onText: (text: string) => void) {
    this.#open = open;
    this.#onText = onText;
  }

  /** Starts to read the stream while requests are in flight. */
  listen(events: ListenEvents = {}): void {
    this.#isWanted = true;
    this.#events = events;
    if (this.#isBusy) this.#start();
  }

  setBusy(isBusy: boolean): void {
    this.#isBusy = isBusy;
    clearTimeout(this.#idle);
    if (isBusy) this.#start();
    else if (this.#stop !== undefined) this.#idle = setTimeout(this.#end.bind(this), IDLE_TIMEOUT);
  }

  close(): void {
    this.#isWanted = false;
    this.#end();
  }

  #end(): void {
    clearTimeout(this.#idle);
    this.#stop?.abort();
    this.#stop = undefined;
  }

  #start(): void {
    if (!this.#isWanted || this.#isRefused || this.#stop !== undefined) return;
    const stop = new AbortController();
    this.#stop = stop;
    // Errors have no effect: a missed notification only delays the refresh of the list.
    this.#read(stop.signal)
      .catch(() => undefined)
      .finally(() => {
        if (this.#stop !== stop) return;
        this.#end();
        this.#events.onEnd?.(this.#isRefused && !this.#isOutage);
      });
  }

  async #read(signal: AbortSignal): Promise<void> {
    const response = await this.#open(signal);
    const { body } = response;
    const isStream = response.headers.get("content-type")?.startsWith("text/event-stream") === true;
    if (!response.ok || !isStream || body === null) {
      this.#isRefused = true;
      this.#isOutage = response.status === 429 || [500, 502, 503, 504].includes(response.status);
      await body?.cancel();
      return;
    }
    this.#events.onStart?.();
    const events = new EventStreamReader(({ event, data }) => {
      if (event === "message" && data !== "") this.#onText(data);
    });
    const decoder = new TextDecoder();
    const stream: ReadableStream<Uint8Array<ArrayBuffer>> = body;
    for await (const bytes of stream) events.push(decoder.decode(bytes, { stream: true }));
  }
}

import { EventStreamReader } from "./event-stream.js";
import type { ListenEvents } from "./session.js";

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

import { EventStreamReader } from "./event-stream.js";

/** How long the stream stays open without a request in flight. */
const IDLE = 1_000;

/**
 * The stream on which an HTTP server sends messages of its own (specification, "Listening for Messages from the Server"). It
 * is open while requests are in flight and for a second after, since an open stream keeps the process alive. A server that
 * does not offer it is not asked again.
 */
export class NotificationStream {
  readonly #open: (signal: AbortSignal) => Promise<Response>;
  readonly #onText: (text: string) => void;
  #stop: AbortController | undefined;
  #idle: ReturnType<typeof setTimeout> | undefined;
  #isWanted = false;
  #isBusy = false;
  #isRefused = false;

  constructor(open: (signal: AbortSignal) => Promise<Response>, onText: (text: string) => void) {
    this.#open = open;
    this.#onText = onText;
  }

  /** From now on there is somebody to read it for. */
  listen(): void {
    this.#isWanted = true;
    if (this.#isBusy) this.#start();
  }

  setBusy(isBusy: boolean): void {
    this.#isBusy = isBusy;
    clearTimeout(this.#idle);
    if (isBusy) this.#start();
    else if (this.#stop !== undefined) this.#idle = setTimeout(this.#end.bind(this), IDLE);
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
    // Nothing depends on it: what it would have said is found when the list is stale.
    this.#read(stop.signal)
      .catch(() => undefined)
      .finally(() => {
        if (this.#stop === stop) this.#end();
      });
  }

  async #read(signal: AbortSignal): Promise<void> {
    const response = await this.#open(signal);
    const { body } = response;
    const isStream = response.headers.get("content-type")?.startsWith("text/event-stream") === true;
    if (!response.ok || !isStream || body === null) {
      this.#isRefused = true;
      await body?.cancel();
      return;
    }
    const events = new EventStreamReader(({ event, data }) => {
      if (event === "message" && data !== "") this.#onText(data);
    });
    const decoder = new TextDecoder();
    const stream: ReadableStream<Uint8Array<ArrayBuffer>> = body;
    for await (const bytes of stream) events.push(decoder.decode(bytes, { stream: true }));
  }
}

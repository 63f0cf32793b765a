/** What may have changed since the last round. */
export interface Wakes {
  /** Names of servers, each once. */
  readonly servers: readonly string[];
  /** Whether the configuration, or a file with its variables, was written. */
  readonly isConfigChanged: boolean;
}

/** Milliseconds in which further wakes join the first: editors and package managers write files in several steps. */
const SETTLE = 100;

/** Collects wakes while a round runs, so that the next round handles all of them. */
export class WakeQueue {
  #servers = new Set<string>();
  #isConfigChanged = false;
  #failure: { readonly error: unknown } | undefined;
  #onWake: (() => void) | undefined;

  wake(server: string): void {
    this.#servers.add(server);
    this.#onWake?.();
  }

  reload(): void {
    this.#isConfigChanged = true;
    this.#onWake?.();
  }

  /** Makes `next` throw an error that nothing else reports. */
  fail(error: unknown): void {
    this.#failure = { error };
    this.#onWake?.();
  }

  /** Waits for a wake and returns all since the last call; undefined once the signal aborts. */
  async next(signal: AbortSignal): Promise<Wakes | undefined> {
    if (!this.#isConfigChanged && this.#servers.size === 0 && this.#failure === undefined) {
      await untilAborted(signal, (resolve) => {
        this.#onWake = resolve;
        return () => {
          this.#onWake = undefined;
        };
      });
    }
    await untilAborted(signal, (resolve) => {
      const timer = setTimeout(resolve, SETTLE);
      return () => {
        clearTimeout(timer);
      };
    });
    if (signal.aborted) return undefined;
    if (this.#failure !== undefined) throw this.#failure.error;
    const wakes = { servers: [...this.#servers], isConfigChanged: this.#isConfigChanged };
    this.#servers = new Set();
    this.#isConfigChanged = false;
    return wakes;
  }
}

/** Resolves when `begin` does, or when the signal aborts; then calls what `begin` returned. */
async function untilAborted(signal: AbortSignal, begin: (resolve: () => void) => () => void): Promise<void> {
  if (signal.aborted) return;
  let release = (): void => undefined;
  let onAbort = (): void => undefined;
  await new Promise<void>((resolve) => {
    onAbort = resolve;
    signal.addEventListener("abort", onAbort);
    release = begin(resolve);
  });
  signal.removeEventListener("abort", onAbort);
  release();
}

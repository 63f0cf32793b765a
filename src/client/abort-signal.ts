import type { AbortSignalLike } from "../core/abort-signal.js";

/** Returns the reason that an aborted operation rejects with. */
export function abortReason(signal: AbortSignalLike): unknown {
  return signal.reason ?? new DOMException("This operation was aborted", "AbortError");
}

/**
 * Returns a signal for many requests that adds only one listener to the given signal: Node warns at more than
 * ten listeners. `release` removes that listener.
 */
export function shareSignal(signal: AbortSignalLike): AbortSignalLike & { release(): void } {
  const listeners = new Set<() => void>();
  const onAbort = (): void => {
    for (const listener of [...listeners]) listener();
  };
  signal.addEventListener("abort", onAbort);
  return {
    get aborted() {
      return signal.aborted;
    },
    get reason() {
      return signal.reason;
    },
    addEventListener(_type, listener) {
      listeners.add(listener);
    },
    removeEventListener(_type, listener) {
      listeners.delete(listener);
    },
    release() {
      signal.removeEventListener("abort", onAbort);
    },
  };
}

/** A signal with a time limit. */
export interface LimitedSignal {
  readonly signal: AbortSignal;
  /** Starts the timer. Later calls have no effect. */
  start(): void;
  /** Waits for work until the signal aborts, and then rejects with its reason. */
  readonly race: <T>(work: Promise<T>) => Promise<T>;
  /** Stops the timer and removes the listener on the outer signal. */
  release(): void;
}

/** Returns a signal that aborts with an error after a time, or with the reason of the outer signal. */
export function limitSignal(
  outer: AbortSignalLike | undefined,
  milliseconds: number,
  lateError: () => Error,
): LimitedSignal {
  const controller = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const onAbort = (): void => {
    if (outer !== undefined) controller.abort(abortReason(outer));
  };
  const { signal } = controller;
  const over = new Promise<never>((_resolve, reject) => {
    signal.addEventListener("abort", () => {
      // oxlint-disable-next-line typescript/prefer-promise-reject-errors -- an abort's reason is whatever the caller gave
      reject(signal.reason);
    });
  });
  over.catch(() => undefined);
  if (outer?.aborted === true) onAbort();
  outer?.addEventListener("abort", onAbort);
  return {
    signal,
    race: (work) => Promise.race([work, over]),
    start() {
      timer ??= setTimeout(() => {
        controller.abort(lateError());
      }, milliseconds);
    },
    release() {
      clearTimeout(timer);
      outer?.removeEventListener("abort", onAbort);
    },
  };
}

/** A time limit that can pause, such as while a person answers a question. After a pause, it starts again. */
export class TimeLimit {
  readonly #milliseconds: number;
  readonly #onEnd: () => void;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #pauses = 0;
  #isCleared = false;

  constructor(milliseconds: number, onEnd: () => void) {
    this.#milliseconds = milliseconds;
    this.#onEnd = onEnd;
    this.#start();
  }

  /** Pauses the limit until the returned function is called. Pauses may overlap. */
  pause(): () => void {
    this.#pauses += 1;
    clearTimeout(this.#timer);
    let isPaused = true;
    return () => {
      if (isPaused) this.#pauses -= 1;
      isPaused = false;
      this.#start();
    };
  }

  clear(): void {
    this.#isCleared = true;
    clearTimeout(this.#timer);
  }

  #start(): void {
    if (this.#pauses > 0 || this.#isCleared) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(this.#onEnd, this.#milliseconds);
  }
}

/** The part of an `AbortSignal` that is needed, so that no declaration of ours asks for DOM or Node types. */
export interface AbortSignalLike {
  readonly aborted: boolean;
  readonly reason?: unknown;
  addEventListener(type: "abort", listener: () => void): void;
  removeEventListener(type: "abort", listener: () => void): void;
}

/** What a caller that aborts is to see. */
export function abortReason(signal: AbortSignalLike): unknown {
  return signal.reason ?? new DOMException("This operation was aborted", "AbortError");
}

/**
 * A signal for many requests at a time, with one listener on the given one: Node warns of a signal that has more than ten.
 * `release` lets go of it.
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

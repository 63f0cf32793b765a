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

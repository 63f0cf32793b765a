import { McpCodegenError } from "../contract/errors.js";
import { abortReason, type AbortSignalLike } from "../transport/abort-signal.js";

/** A time limit for reading one list. */
export interface ListLimit {
  readonly signal: AbortSignal;
  /** Starts the timer. Later calls have no effect. */
  start(): void;
  /** Stops the timer and removes the listener on the outer signal. */
  release(): void;
}

/**
 * Limits the milliseconds that a server may take for its whole list. The signal aborts with `SERVER_TIMEOUT`
 * or with the reason of the outer signal.
 */
export function limitList(server: string, milliseconds: number, outer?: AbortSignalLike): ListLimit {
  const controller = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const stop = (): void => {
    const message = `The server "${server}" did not list its tools within ${milliseconds} ms.`;
    const hint = "Raise timeouts.list if it needs longer.";
    controller.abort(new McpCodegenError("SERVER_TIMEOUT", message, { hint }));
  };
  const onAbort = (): void => {
    if (outer !== undefined) controller.abort(abortReason(outer));
  };
  if (outer?.aborted === true) onAbort();
  outer?.addEventListener("abort", onAbort);
  return {
    signal: controller.signal,
    start() {
      timer ??= setTimeout(stop, milliseconds);
    },
    release() {
      clearTimeout(timer);
      outer?.removeEventListener("abort", onAbort);
    },
  };
}

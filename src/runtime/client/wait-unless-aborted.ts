import type { AbortSignalLike } from "../../client/abort-signal.js";

/**
 * Waits for work until the signal aborts. The work itself continues, since others may wait for it.
 *
 * @throws the reason of the signal, or the error of the work
 */
export async function waitUnlessAborted<T>(
  work: Promise<T>,
  signal: AbortSignalLike | undefined,
): Promise<T> {
  if (signal === undefined) return work;
  let onAbort = (): void => undefined;
  const aborted = new Promise<never>((_resolve, reject) => {
    onAbort = () => {
      const reason: unknown = signal.reason;
      reject(reason instanceof Error ? reason : new DOMException("This operation was aborted", "AbortError"));
    };
  });
  aborted.catch(() => undefined);
  if (signal.aborted) onAbort();
  signal.addEventListener("abort", onAbort);
  try {
    return await Promise.race([aborted, work]);
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}

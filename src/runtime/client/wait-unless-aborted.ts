import type { AbortSignalLike } from "../../transport/abort-signal.js";

/**
 * What the work comes to, unless the signal aborts first. The work itself goes on: others may wait for it.
 *
 * @throws The signal's reason.
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

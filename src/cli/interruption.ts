import { once } from "node:events";
import { setTimeout } from "node:timers/promises";

const SIGNALS = ["SIGINT", "SIGTERM"] as const;

/**
 * Returns a signal that SIGINT or SIGTERM aborts. They are caught only while something listens to the returned signal, such
 * as a request. At any other time nothing could react, and long synchronous work would delay them, so the system ends the
 * program at once: writes are atomic, and servers over stdio end with it. The second one always does.
 */
export function abortOnSignals(target: NodeJS.Process = process): AbortSignal {
  const controller = new AbortController();
  const { signal } = controller;
  const listeners = new Set<unknown>();
  const handlers = SIGNALS.map(
    (name) =>
      [
        name,
        (): void => {
          end(name);
        },
      ] as const,
  );
  let isCatching = false;
  const update = (): void => {
    const isWanted = listeners.size > 0 && !signal.aborted;
    if (isWanted === isCatching) return;
    isCatching = isWanted;
    for (const [name, handler] of handlers)
      if (isWanted) target.on(name, handler);
      else target.removeListener(name, handler);
  };
  const end = (name: (typeof SIGNALS)[number]): void => {
    controller.abort(name);
    update();
  };
  const add: typeof signal.addEventListener = signal.addEventListener.bind(signal);
  const remove: typeof signal.removeEventListener = signal.removeEventListener.bind(signal);
  signal.addEventListener = (...args: Parameters<typeof add>): void => {
    if (args[0] === "abort") listeners.add(args[1]);
    add(...args);
    update();
  };
  signal.removeEventListener = (...args: Parameters<typeof remove>): void => {
    listeners.delete(args[1]);
    remove(...args);
    // The event loop delivers signals. Without this turn, one that has arrived would be lost.
    setImmediate(update);
  };
  return signal;
}

/** Milliseconds that an interrupted command may take to close its connections. A stubborn server over stdio takes longer. */
const GRACE = 700;

/** Rejects with the signal's reason once an interrupted command has had its time to end. Signals are not caught for this. */
export async function rejectAfterGrace(signal: AbortSignal): Promise<never> {
  // A signal of its own, since a listener on the given one would catch signals.
  const own = AbortSignal.any([signal]);
  if (!own.aborted) await once(own, "abort");
  await setTimeout(GRACE);
  throw signal.reason;
}

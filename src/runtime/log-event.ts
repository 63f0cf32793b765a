import type { Logger, RuntimeEvent } from "./events.js";

/** Passes an event to the logger, if any. A logger that throws or rejects makes no call fail. */
export function logEvent(
  logger: Logger | undefined,
  event: RuntimeEvent,
  fields: { readonly [name: string]: unknown },
): void {
  if (logger === undefined) return;
  try {
    const result = logger(event, fields);
    if (result instanceof Promise) result.catch(() => undefined);
  } catch {
    // See above.
  }
}

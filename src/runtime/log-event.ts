import type { Logger, RuntimeEvent } from "./events.js";

/** Tells a logger, if there is one. Nothing fails because a log does, whether it throws or rejects. */
export function logEvent(
  logger: Logger | undefined,
  event: RuntimeEvent,
  fields: { readonly [name: string]: unknown },
): void {
  if (logger === undefined) return;
  try {
    const told = logger(event, fields);
    if (told instanceof Promise) told.catch(() => undefined);
  } catch {
    // See above.
  }
}

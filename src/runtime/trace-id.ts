/** The trace id that a program has chosen; undefined where it chose none, or its function fails. */
export function chosenTraceId(chosen: string | (() => string) | undefined): string | undefined {
  try {
    const traceId: unknown = typeof chosen === "function" ? chosen() : chosen;
    return typeof traceId === "string" && traceId !== "" ? traceId : undefined;
  } catch {
    // Nothing fails because a log does.
    return undefined;
  }
}

/**
 * Names what belongs together in a log: 32 hexadecimal digits, the form that W3C Trace Context and OpenTelemetry use. The
 * one source of randomness in the runtime; not by `randomUUID`, which browsers have on secure pages alone.
 */
export function newTraceId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/**
 * Names what belongs together in a log: 32 hexadecimal digits, the form that W3C Trace Context and OpenTelemetry use. The
 * one source of randomness in the runtime; not by `randomUUID`, which browsers have on secure pages alone.
 */
export function newTraceId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

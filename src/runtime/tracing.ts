/** The part of an OpenTelemetry tracer that is used: `Tracer` of `@opentelemetry/api` 1.x fits. */
export interface TracerLike {
  startActiveSpan<T>(name: string, options: SpanSettings, run: (span: SpanLike) => T): T;
}

interface SpanSettings {
  readonly kind: number;
  readonly attributes: SpanAttributes;
}

export interface SpanAttributes {
  [name: string]: string | number | boolean;
}

export interface SpanLike {
  spanContext(): { readonly traceId: string };
  setAttributes(attributes: SpanAttributes): unknown;
  setStatus(status: { readonly code: number }): unknown;
  end(): void;
}

/**
 * Where `@opentelemetry/api` keeps what was registered, so that every copy of it in a program finds the same. To look there
 * needs no import: nothing is loaded or bundled where OpenTelemetry is not used.
 */
const REGISTERED = /* @__PURE__ */ Symbol.for("opentelemetry.js.api.1");

/** Our tracer, when the program has registered a tracer provider. */
export function findTracer(): TracerLike | undefined {
  const registered: unknown = Reflect.get(globalThis, REGISTERED);
  if (registered === undefined) return undefined;
  try {
    return (registered as { trace?: TracerProviderLike }).trace?.getTracer("mcp-codegen");
  } catch {
    return undefined;
  }
}

interface TracerProviderLike {
  getTracer(name: string): TracerLike;
}

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

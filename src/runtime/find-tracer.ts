/** The part of an OpenTelemetry tracer that is used: `Tracer` of `@opentelemetry/api` 1.x fits. */
export interface TracerLike {
  startActiveSpan<T>(name: string, options: SpanSettings, run: (span: SpanLike) => T): T;
}

export interface SpanSettings {
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

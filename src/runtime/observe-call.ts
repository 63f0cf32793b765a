import { omitUndefined } from "../core/collections.js";
import { writeExactly } from "../core/exact-json.js";
import {
  chosenTraceId,
  type Clock,
  logEvent,
  newTraceId,
  type ReportEvent,
  REQUESTS,
  systemClock,
} from "./events.js";
import { McpCodegenError } from "../core/errors.js";
import { rpcErrorOf } from "./fail-call.js";
import type { RequestError } from "./server-entry.js";
import type { Result, ToolError, CallOptions } from "../core/call.js";
import type { ServerDefinition } from "../core/tool.js";
/** `SpanKind` and `SpanStatusCode` of OpenTelemetry. */
const INTERNAL = 0;
const CLIENT = 2;
const FAILED = 2;

/** The trace id of a span without a trace. */
const NO_TRACE = /^0*$/;

interface ObservedCall {
  readonly tool: {
    /** Absent for a tool. */
    readonly kind?: RequestError["kind"] | undefined;
    /** The URI or the URI template of a resource. */
    readonly name: string;
    readonly server?: ServerDefinition | undefined;
  };
  readonly input: unknown;
  readonly options: CallOptions;
}

/**
 * Runs one call, and reports it to the options' logger and to the OpenTelemetry tracer provider that the program has
 * registered. Neither can make a call fail.
 *
 * @param run runs the call, which may report further events; never rejects
 */
export function observeCall<C extends ObservedCall, O, E extends AnyError = ToolError>(
  call: C,
  run: (report: ReportEvent, call: C) => Promise<Result<O, E>>,
  clock: Clock = systemClock,
): Promise<Result<O, E>> {
  const tracer = findTracer();
  const observed = (report: ReportEvent): Promise<Result<O, E>> => run(report, call);
  if (tracer !== undefined) return inSpan(tracer, call, observed, clock);
  if (call.options.logger !== undefined) return inLog(call, newTraceId, observed, clock);
  return run(() => undefined, call);
}

type RunCall<O, E> = (report: ReportEvent) => Promise<Result<O, E>>;

type AnyError = ToolError | RequestError;

/** The event fields are those of docs/calls.md. */
async function inLog<O, E extends AnyError>(
  { tool, input, options }: ObservedCall,
  makeTraceId: () => string,
  run: RunCall<O, E>,
  clock: Clock,
): Promise<Result<O, E>> {
  const kind = tool.kind ?? "tool";
  const { event } = REQUESTS[kind];
  const { logger, environment, line, logArguments, logResults } = options;
  const traceId = chosenTraceId(options.traceId) ?? makeTraceId();
  const { name: server, contract } = tool.server ?? {};
  const fields = omitUndefined({ traceId, [kind]: tool.name, server, contract, environment, line });
  logEvent(logger, `${event}.started`, logArguments === true ? { ...fields, arguments: input } : fields);
  const start = clock();
  const result = await run((event, more) => {
    logEvent(logger, event, { ...fields, ...more });
  });
  // The clock may have been set back.
  const durationMs = Math.max(0, clock() - start);
  if (result.ok) {
    const shown = logResults === true ? { result: result.value } : {};
    logEvent(logger, `${event}.succeeded`, { ...fields, durationMs, ...shown });
  } else {
    const { code, retryable, cause } = result.error;
    const reason = cause instanceof McpCodegenError ? cause.code : undefined;
    // The message may quote the server, which may repeat what it was sent.
    const message = logResults === true ? result.error.message : undefined;
    const failure = omitUndefined({ durationMs, code, reason, retryable, message });
    logEvent(logger, `${event}.failed`, { ...fields, ...failure });
  }
  return result;
}

/** Follows the semantic conventions for MCP and for generative AI. Other attributes begin with `mcp_codegen`. */
function inSpan<O, E extends AnyError>(
  tracer: TracerLike,
  call: ObservedCall,
  run: RunCall<O, E>,
  clock: Clock,
): Promise<Result<O, E>> {
  const { server } = call.tool;
  let running: Promise<Result<O, E>> | undefined;
  const work = async (span: SpanLike): Promise<Result<O, E>> => {
    const result = await inLog(call, () => traceIdOf(span), run, clock);
    endSpan(span, result, call);
    return result;
  };
  try {
    tracer.startActiveSpan(
      spanName(call.tool),
      { kind: server === undefined ? INTERNAL : CLIENT, attributes: callAttributes(call) },
      (span) => {
        running = work(span);
      },
    );
  } catch {
    // The call may have begun before the tracer failed. It must not run twice.
  }
  return running ?? inLog(call, newTraceId, run, clock);
}

/** Returns a name with few values, as spans need: the URIs of resources are too many. */
function spanName({ kind, name, server }: ObservedCall["tool"]): string {
  if (server === undefined) return `execute_tool ${name}`;
  return kind === "resource" ? REQUESTS.resource.method : `${REQUESTS[kind ?? "tool"].method} ${name}`;
}

function traceIdOf(span: SpanLike): string {
  try {
    const { traceId } = span.spanContext();
    return NO_TRACE.test(traceId) ? newTraceId() : traceId;
  } catch {
    return newTraceId();
  }
}

function endSpan(
  span: SpanLike,
  result: Result<unknown, AnyError>,
  { tool: { kind }, options: { logResults } }: ObservedCall,
): void {
  try {
    if (!result.ok) {
      span.setAttributes(failureAttributes(result.error));
      span.setStatus({ code: FAILED });
    } else if (logResults === true && kind === undefined) {
      span.setAttributes({ "gen_ai.tool.call.result": asText(result.value) });
    }
    span.end();
  } catch {
    // The call has ended, and its result does not change.
  }
}

function callAttributes({ tool: { kind, name, server }, input, options }: ObservedCall): SpanAttributes {
  const { method, nameAttribute } = REQUESTS[kind ?? "tool"];
  const showsArguments = options.logArguments === true && kind === undefined;
  return {
    [nameAttribute]: name,
    ...omitUndefined({
      "gen_ai.operation.name": kind === undefined ? "execute_tool" : undefined,
      "mcp.method.name": server && method,
      "mcp_codegen.server": server?.name,
      "mcp_codegen.contract": server?.contract,
      "mcp_codegen.environment": options.environment,
      "gen_ai.tool.call.arguments": showsArguments ? asText(input) : undefined,
    }),
  };
}

function failureAttributes({ code, cause }: AnyError): SpanAttributes {
  const attributes = { "mcp_codegen.error.code": code };
  const answered =
    code === "TOOL_UNAVAILABLE" || code === "UNAVAILABLE" ? undefined : rpcErrorOf(cause)?.code.toString();
  if (answered !== undefined)
    return { ...attributes, "error.type": answered, "rpc.response.status_code": answered };
  return { ...attributes, "error.type": code === "TOOL_EXECUTION_FAILED" ? "tool_error" : code };
}

function asText(value: unknown): string {
  try {
    return writeExactly(value ?? null);
  } catch {
    return "";
  }
}

/** The part of an OpenTelemetry tracer that is used: `Tracer` of `@opentelemetry/api` 1.x fits. */
export interface TracerLike {
  startActiveSpan<T>(
    name: string,
    options: { readonly kind: number; readonly attributes: SpanAttributes },
    run: (span: SpanLike) => T,
  ): T;
}

interface SpanAttributes {
  [name: string]: string | number | boolean;
}

interface SpanLike {
  spanContext(): { readonly traceId: string };
  setAttributes(attributes: SpanAttributes): unknown;
  setStatus(status: { readonly code: number }): unknown;
  end(): void;
}

/**
 * The symbol under which all copies of `@opentelemetry/api` in a program find the registered providers. Reading it needs no
 * import, so that nothing is loaded or bundled for programs without OpenTelemetry.
 */
const REGISTERED = /* @__PURE__ */ Symbol.for("opentelemetry.js.api.1");

/** Returns our tracer; undefined if the program has registered no tracer provider. */
export function findTracer(): TracerLike | undefined {
  const registered: unknown = Reflect.get(globalThis, REGISTERED);
  if (registered === undefined) return undefined;
  try {
    const { trace } = registered as { trace?: { getTracer(name: string): TracerLike } };
    return trace?.getTracer("mcp-codegen");
  } catch {
    return undefined;
  }
}

import type { CallOptions } from "./call-options.js";
import { systemClock, type Clock } from "./clock.js";
import { McpCodegenError } from "../contract/errors.js";
import { rpcErrorOf } from "./fail-call.js";
import {
  findTracer,
  type SpanAttributes,
  type SpanLike,
  type TracerLike,
  chosenTraceId,
  newTraceId,
} from "./tracing.js";
import { type ReportEvent, logEvent, REQUESTS } from "./events.js";
import type { RequestError } from "./request-error.js";
import type { Result, ToolError } from "./result.js";
import type { ToolDescription } from "./tool.js";

/** `SpanKind` and `SpanStatusCode` of OpenTelemetry. */
const INTERNAL = 0;
const CLIENT = 2;
const FAILED = 2;

/** A trace id that says that there is none. */
const NO_TRACE = /^0*$/;

interface Call {
  /** A tool, unless `kind` says otherwise. The name of a resource is its URI or its URI template. */
  readonly tool: Pick<ToolDescription<unknown, unknown>, "name" | "server"> & {
    readonly kind?: RequestError["kind"];
  };
  readonly input: unknown;
  readonly options: CallOptions;
}

/**
 * Runs one call and reports it: events to the options' logger, and a span where the program has registered an
 * OpenTelemetry tracer provider. Neither can make a call fail; without them this is the call itself.
 *
 * @param run Runs the call; never rejects.
 */
export function observeCall<O, E extends AnyError = ToolError>(
  call: Call,
  run: RunCall<O, E>,
  clock: Clock = systemClock,
): Promise<Result<O, E>> {
  const tracer = findTracer();
  if (tracer !== undefined) return inSpan(tracer, call, run, clock);
  return call.options.logger === undefined ? run(reportNothing) : inLog(call, newTraceId, run, clock);
}

/** One call, which may report events of its own. Never rejects. */
type RunCall<O, E> = (report: ReportEvent) => Promise<Result<O, E>>;

type AnyError = ToolError | RequestError;

function reportNothing(): void {
  // There is no logger.
}

/** The event fields are those of docs/calls.md. */
async function inLog<O, E extends AnyError>(
  { tool, input, options }: Call,
  makeTraceId: () => string,
  run: RunCall<O, E>,
  clock: Clock,
): Promise<Result<O, E>> {
  const kind = tool.kind ?? "tool";
  const { event } = REQUESTS[kind];
  const { logger, environment, logArguments, logResults } = options;
  const fields = {
    traceId: chosenTraceId(options.traceId) ?? makeTraceId(),
    [kind]: tool.name,
    ...(tool.server && { server: tool.server.name }),
    ...(tool.server?.contract !== undefined && { contract: tool.server.contract }),
    ...(environment !== undefined && { environment }),
  };
  logEvent(logger, `${event}.started`, { ...fields, ...(logArguments === true && { arguments: input }) });
  const start = clock();
  const result = await run((event, more) => {
    logEvent(logger, event, { ...fields, ...more });
  });
  // The clock may have been set back.
  const durationMs = Math.max(0, clock() - start);
  if (result.ok) {
    const shown = logResults === true && { result: result.value };
    logEvent(logger, `${event}.succeeded`, { ...fields, durationMs, ...shown });
  } else {
    const { code, retryable, message, cause } = result.error;
    const reason = cause instanceof McpCodegenError && { reason: cause.code };
    // The words of a failure may be the server's, which may repeat what it was sent.
    const shown = logResults === true && { message };
    logEvent(logger, `${event}.failed`, { ...fields, durationMs, code, ...reason, retryable, ...shown });
  }
  return result;
}

/** By the semantic conventions for MCP and for generative AI; what they have no name for begins with `mcp_codegen`. */
function inSpan<O, E extends AnyError>(
  tracer: TracerLike,
  call: Call,
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
    // Never twice, whatever the tracer does: below, what runs already is what is waited for.
  }
  return running ?? inLog(call, newTraceId, run, clock);
}

/** The name of a span has few values, which the URIs of resources have not. */
function spanName({ kind, name, server }: Call["tool"]): string {
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
  { tool: { kind }, options: { logResults } }: Call,
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
    // The call is done, and its result stands.
  }
}

function callAttributes({ tool: { kind, name, server }, input, options }: Call): SpanAttributes {
  return {
    ...nameAttributes(kind, name),
    ...(server && {
      "mcp.method.name": REQUESTS[kind ?? "tool"].method,
      "mcp_codegen.server": server.name,
    }),
    ...(server?.contract !== undefined && { "mcp_codegen.contract": server.contract }),
    ...(options.environment !== undefined && { "mcp_codegen.environment": options.environment }),
    ...(options.logArguments === true &&
      kind === undefined && { "gen_ai.tool.call.arguments": asText(input) }),
  };
}

function nameAttributes(kind: Call["tool"]["kind"], name: string): SpanAttributes {
  switch (kind) {
    case undefined:
      return { "gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": name };
    case "prompt":
      return { "gen_ai.prompt.name": name };
    case "resource":
      // `mcp.resource.uri` would hold the values of a template.
      return { "mcp_codegen.resource": name };
    default:
      return kind satisfies never;
  }
}

function failureAttributes({ code, cause }: AnyError): SpanAttributes {
  const own = { "mcp_codegen.error.code": code };
  const answered =
    code === "TOOL_UNAVAILABLE" || code === "UNAVAILABLE" ? undefined : rpcErrorOf(cause)?.code.toString();
  if (answered !== undefined) return { ...own, "error.type": answered, "rpc.response.status_code": answered };
  return { ...own, "error.type": code === "TOOL_EXECUTION_FAILED" ? "tool_error" : code };
}

function asText(value: unknown): string {
  try {
    return JSON.stringify(value ?? null);
  } catch {
    return "";
  }
}

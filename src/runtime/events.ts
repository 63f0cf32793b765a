import type { RuntimeEvent, Logger } from "../core/call.js";
import { callSafely, messageOf } from "../core/errors.js";

/** The names of requests for tools, prompts and resources: in events, on the wire, in spans and in messages. */
export const REQUESTS = {
  tool: { event: "tool.call", method: "tools/call", nameAttribute: "gen_ai.tool.name", done: "called" },
  prompt: {
    event: "prompt.get",
    method: "prompts/get",
    nameAttribute: "gen_ai.prompt.name",
    done: "fetched",
  },
  resource: {
    event: "resource.read",
    method: "resources/read",
    // `mcp.resource.uri` would hold the values of a template.
    nameAttribute: "mcp_codegen.resource",
    done: "read",
  },
} as const;

/** Reports an event of a call. Adds the fields that all its events share. */
export type ReportEvent = (event: RuntimeEvent, fields: { readonly [name: string]: unknown }) => void;

export function logEvent(
  logger: Logger | undefined,
  event: RuntimeEvent,
  fields: { readonly [name: string]: unknown },
): void {
  callSafely(logger, [event, fields]);
}

/** Reports a problem that is not a failure: to `onWarning`, or as a warning of the process if there is one. */
export function warn(message: string, onWarning?: (message: string) => void): void {
  if (onWarning === undefined) emitWarning(message);
  else {
    callSafely(onWarning, [message], (error) => {
      emitWarning(`${message} (onWarning failed: ${messageOf(error)})`);
    });
  }
}

function emitWarning(message: string): void {
  const { process } = globalThis as { process?: { emitWarning?: (message: string, type: string) => void } };
  process?.emitWarning?.(message, "McpCodegenWarning");
}

/** As {@link warn}, but each message once. */
export function createWarner(onWarning?: (message: string) => void): (message: string) => void {
  const said = new Set<string>();
  return (message) => {
    if (said.has(message)) return;
    said.add(message);
    warn(message, onWarning);
  };
}

/** Returns the trace id that a program chose; undefined if it chose none, or its function fails. */
export function chosenTraceId(chosen: string | (() => string) | undefined): string | undefined {
  try {
    const traceId: unknown = typeof chosen === "function" ? chosen() : chosen;
    return typeof traceId === "string" && traceId !== "" ? traceId : undefined;
  } catch {
    // A call must not fail because its log does.
    return undefined;
  }
}

/**
 * Returns 32 hexadecimal digits, the form of W3C Trace Context and OpenTelemetry. This is the only randomness in the
 * runtime. `randomUUID` would fail in browsers on pages that are not secure.
 */
export function newTraceId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Returns milliseconds since 1970, like `Date.now`. */
export type Clock = () => number;

/** The default for every {@link Clock} of the runtime. */
export const systemClock: Clock = () => Date.now();

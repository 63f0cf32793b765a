/** What the runtime reports to a {@link Logger}. Every event's fields hold a `traceId`. */
export type RuntimeEvent =
  | "tools.discovery.started"
  | "tools.discovery.server.success"
  | "tools.discovery.server.failed"
  | "tools.registry.updated"
  | "tools.registry.server.removed"
  | "tool.output.unknown_keys"
  | "tool.output.unobserved"
  | `${"tool.call" | "prompt.get" | "resource.read"}.${RequestOutcome}`;

type RequestOutcome = "started" | "succeeded" | "failed" | "replayed" | "recorded" | "not_recorded";

/** The events of a request, and its method. */
export const REQUESTS = {
  tool: { event: "tool.call", method: "tools/call" },
  prompt: { event: "prompt.get", method: "prompts/get" },
  resource: { event: "resource.read", method: "resources/read" },
} as const;

/** Reports an event of a call; the fields that all its events share are added. */
export type ReportEvent = (event: RuntimeEvent, fields: { readonly [name: string]: unknown }) => void;

/** Receives structured events. What it returns or throws is ignored: nothing fails because a log does. */
export type Logger = (event: RuntimeEvent, fields: { readonly [name: string]: unknown }) => unknown;

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

/** Reports a problem that is not a failure: to `onWarning`, or as a warning of the process where the host has one. */
export function warn(message: string, onWarning?: (message: string) => void): void {
  if (onWarning !== undefined) {
    onWarning(message);
    return;
  }
  const { process } = globalThis as { process?: { emitWarning?: (message: string, type: string) => void } };
  process?.emitWarning?.(message, "McpCodegenWarning");
}

/** As {@link warn}, each message once. */
export function createWarner(onWarning?: (message: string) => void): (message: string) => void {
  const said = new Set<string>();
  return (message) => {
    if (said.has(message)) return;
    said.add(message);
    warn(message, onWarning);
  };
}

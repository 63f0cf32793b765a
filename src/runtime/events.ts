/** What the runtime tells a {@link Logger}. Every event's fields hold a `traceId`. */
export type RuntimeEvent =
  | "tools.discovery.started"
  | "tools.discovery.server.success"
  | "tools.discovery.server.failed"
  | "tools.registry.updated"
  | "tools.registry.server.removed"
  | "tool.call.started"
  | "tool.call.succeeded"
  | "tool.call.failed";

/** Receives structured events. What it returns or throws is ignored: nothing fails because a log does. */
export type Logger = (event: RuntimeEvent, fields: { readonly [name: string]: unknown }) => unknown;

/** What the runtime reports to a {@link Logger}. Every event's fields hold a `traceId`. */
export type RuntimeEvent =
  | "tools.discovery.started"
  | "tools.discovery.server.success"
  | "tools.discovery.server.failed"
  | "tools.registry.updated"
  | "tools.registry.server.removed"
  | "tool.call.started"
  | "tool.call.succeeded"
  | "tool.call.failed"
  | "tool.output.unknown_keys";

/** Reports an event of a call; the fields that all its events share are added. */
export type ReportEvent = (event: RuntimeEvent, fields: { readonly [name: string]: unknown }) => void;

/** Receives structured events. What it returns or throws is ignored: nothing fails because a log does. */
export type Logger = (event: RuntimeEvent, fields: { readonly [name: string]: unknown }) => unknown;

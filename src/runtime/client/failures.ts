import { McpCodegenError } from "../../core/errors.js";

// Errors are classified by marks, since the classes of the transport are not loaded before the first call.

/** The user closed the connection, which stays closed. Not a failure of the server. */
export class ClosedError extends McpCodegenError {
  readonly isClosed = true;

  constructor(server: string) {
    super("SERVER_UNREACHABLE", `The connection to ${JSON.stringify(server)} was closed.`, {
      hint: "Connect again.",
    });
  }
}

/** Whether the same request may succeed later. */
export function isPassing(error: unknown): boolean {
  if (!(error instanceof McpCodegenError) || error instanceof ClosedError) return false;
  return (
    error.code === "SERVER_UNREACHABLE" ||
    error.code === "SERVER_TIMEOUT" ||
    isSessionLost(error) ||
    (statusOf(error) ?? 0) >= 500
  );
}

/** Whether the error says that the endpoint is down: unreachable, too slow, or HTTP 5xx. */
export function isEndpointFailure(error: unknown): boolean {
  if (!isPassing(error) || isSessionLost(error)) return false;
  // A server that limits its rate is up.
  return (statusOf(error) ?? 500) >= 500;
}

/** Whether to try again at once. After a time-out, the caller has waited as long as it wanted to. */
export function isWorthRepeating(error: unknown): boolean {
  return isPassing(error) && error instanceof McpCodegenError && error.code !== "SERVER_TIMEOUT";
}

/** Whether the server no longer knows the session, so that the request had no effect. */
export function isSessionLost(error: unknown): boolean {
  return error instanceof McpCodegenError && "isSessionLost" in error;
}

/** Errors of opening a connection. */
const unsent = new WeakSet<Error>();

/** Marks an error: the call was never sent. Returns the error. */
export function markUnsent<E extends Error>(error: E): E {
  unsent.add(error);
  return error;
}

/** Whether no connection was made, so that nothing was sent. */
export function isUnsent(error: unknown): boolean {
  return error instanceof Error && (unsent.has(error) || "isUnsent" in error);
}

/** Whether the server refused the credentials: "the request has not been applied" (RFC 9110, section 15.5.2). */
export function isUnauthorized(error: unknown): boolean {
  return statusOf(error) === 401;
}

function statusOf(error: unknown): number | undefined {
  return error instanceof McpCodegenError && "status" in error && typeof error.status === "number"
    ? error.status
    : undefined;
}

/** Why the circuit breaker is open, by server and environment. Here, since the first call loads the breaker itself. */
const outages = /* @__PURE__ */ new WeakMap<object, Map<string, string>>();

/** Remembers why calls to a server are refused; with `undefined`, that they are accepted again. */
export function noteOutage(
  server: object,
  environment: string | undefined,
  reason: string | undefined,
): void {
  const known = outages.get(server) ?? new Map<string, string>();
  outages.set(server, known);
  if (reason === undefined) known.delete(environment ?? "");
  else known.set(environment ?? "", reason);
}

/** Returns why calls to a server are refused now; undefined while they are accepted. */
export function findOutage(server: object, environment: string | undefined): string | undefined {
  return outages.get(server)?.get(environment ?? "");
}

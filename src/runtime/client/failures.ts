import { McpCodegenError } from "../../contract/errors.js";

// What kind of failure an error is, by marks, since the transport's classes are not loaded before the first call.

/** The user closed the connection: no failure of the server's, and this connection stays closed. */
export class ClosedError extends McpCodegenError {
  readonly isClosed = true;

  constructor(server: string) {
    super("SERVER_UNREACHABLE", `The connection to ${JSON.stringify(server)} was closed.`, {
      hint: "Connect again.",
    });
  }
}

/** Whether the same request may do better later. */
export function isPassing(error: unknown): boolean {
  if (!(error instanceof McpCodegenError) || error instanceof ClosedError) return false;
  return (
    error.code === "SERVER_UNREACHABLE" ||
    error.code === "SERVER_TIMEOUT" ||
    isSessionLost(error) ||
    (statusOf(error) ?? 0) >= 500
  );
}

/** Whether the endpoint is down, as far as this error says: unreachable, too slow, or HTTP 5xx. */
export function isEndpointFailure(error: unknown): boolean {
  if (!isPassing(error) || isSessionLost(error)) return false;
  // Who says that it is asked too often is alive.
  return (statusOf(error) ?? 500) >= 500;
}

/** Whether to try again at once makes sense. After a time-out, the caller has waited as long as it wanted to. */
export function isWorthRepeating(error: unknown): boolean {
  return isPassing(error) && error instanceof McpCodegenError && error.code !== "SERVER_TIMEOUT";
}

/** The server does not know the session any more, so the request did nothing. */
export function isSessionLost(error: unknown): boolean {
  return error instanceof McpCodegenError && "isSessionLost" in error;
}

/** What opening a connection failed with, and what kept it from being tried. */
const unsent = new WeakSet<Error>();

/** The error, known as one of a call that was never sent. */
export function markUnsent<E extends Error>(error: E): E {
  unsent.add(error);
  return error;
}

/** No connection was made, so nothing was sent. */
export function isUnsent(error: unknown): boolean {
  return error instanceof Error && (unsent.has(error) || "isUnsent" in error);
}

/** The server refused the credentials, and "the request has not been applied" (RFC 9110, section 15.5.2). */
export function isUnauthorized(error: unknown): boolean {
  return statusOf(error) === 401;
}

function statusOf(error: unknown): number | undefined {
  return error instanceof McpCodegenError && "status" in error && typeof error.status === "number"
    ? error.status
    : undefined;
}

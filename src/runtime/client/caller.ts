import type { AbortSignalLike } from "../../core/abort-signal.js";
import type { Progress } from "../../core/call.js";
import type { Endpoint } from "../../client/endpoint.js";
import type { RawRequestOptions, RequestContext } from "../../client/session.js";
import { McpCodegenError } from "../../core/errors.js";
import type { JsonObject } from "../../core/json.js";
import type { OnInput } from "../../core/input-question.js";

/** Sends requests to one server. */
export interface Caller {
  /** Returns the raw result of a request. */
  send(request: CallerRequest, options: CallerOptions): Promise<unknown>;
  /** Does repeatable work with the session itself, such as reading a list. */
  use<T>(
    work: (session: RequestContext, options: UseOptions) => Promise<T>,
    options: CallerOptions,
  ): Promise<T>;
  /**
   * Calls a function whenever the server announces that its list of tools has changed. The function is held weakly. Absent
   * for a caller that receives no notifications.
   */
  listen?(listener: (session: RequestContext) => void): void;
  /** Removes the secrets that this caller sent from a text of the server. Absent for a client that the program connected. */
  scrub?(text: string): string;
}

/** A call of a tool, or a request for a prompt or for the contents of a resource. */
export interface CallerRequest {
  readonly method: "tools/call" | "prompts/get" | "resources/read";
  readonly params: JsonObject;
  /** Names the request for people: a tool may be called through another one. */
  readonly origin: RequestOrigin;
  /** Whether sending it twice has the same effect as sending it once. */
  readonly isRepeatable: boolean;
}

export interface RequestOrigin {
  readonly server: string;
  readonly tool?: string;
  readonly prompt?: string;
  readonly resource?: string;
}

export interface CallerOptions {
  readonly signal?: AbortSignalLike | undefined;
  readonly timeout?: number | undefined;
  readonly limitedBy?: RawRequestOptions["limitedBy"];
  readonly retry?: number | false | undefined;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  readonly onInput?: OnInput | undefined;
}

export interface UseOptions extends CallerOptions {
  /** The endpoint of the session; absent for a client that the program connected. */
  readonly endpoint?: Endpoint | undefined;
}

/**
 * Functions to call when something happens, without keeping them alive: programs may make many short-lived registries over
 * one connection. The caller that adds a function must keep a reference to it.
 */
export class WeakListeners<Argument> {
  readonly #listeners = new Set<WeakRef<(argument: Argument) => void>>();

  /** Adds a function once. */
  add(listener: (argument: Argument) => void): void {
    let isKnown = false;
    for (const reference of this.#listeners) {
      const current = reference.deref();
      if (current === undefined) this.#listeners.delete(reference);
      isKnown ||= current === listener;
    }
    if (!isKnown) this.#listeners.add(new WeakRef(listener));
  }

  get hasAny(): boolean {
    return this.#listeners.size > 0;
  }

  call(argument: Argument): void {
    for (const reference of this.#listeners) reference.deref()?.(argument);
  }
}

/**
 * Waits for work until the signal aborts. The work itself continues, since others may wait for it.
 *
 * @throws the reason of the signal, or the error of the work
 */
export async function waitUnlessAborted<T>(
  work: Promise<T>,
  signal: AbortSignalLike | undefined,
): Promise<T> {
  if (signal === undefined) return work;
  let onAbort = (): void => undefined;
  const aborted = new Promise<never>((_resolve, reject) => {
    onAbort = () => {
      const reason: unknown = signal.reason;
      reject(reason instanceof Error ? reason : new DOMException("This operation was aborted", "AbortError"));
    };
  });
  aborted.catch(() => undefined);
  if (signal.aborted) onAbort();
  signal.addEventListener("abort", onAbort);
  try {
    return await Promise.race([aborted, work]);
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}

/** @throws the reason of the signal */
export async function sleep(milliseconds: number, signal?: AbortSignalLike): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const passed = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, milliseconds);
  });
  try {
    await waitUnlessAborted(passed, signal);
  } finally {
    clearTimeout(timer);
  }
}

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

/** Whether to try again after a pause. After a time-out, the caller has waited enough; a lost session is replaced at once. */
export function isWorthRepeating(error: unknown): boolean {
  const isOver = error instanceof McpCodegenError && error.code === "SERVER_TIMEOUT";
  return isPassing(error) && !isOver && !isSessionLost(error);
}

/** Whether the server no longer knows the session, so that the request had no effect. */
export function isSessionLost(error: unknown): boolean {
  return error instanceof McpCodegenError && "isSessionLost" in error;
}

/** Whether the answer may mean that the session has ended, although a ping in it does not confirm that. */
export function isSessionDoubted(error: unknown): boolean {
  return (
    statusOf(error) !== undefined &&
    error instanceof Error &&
    "doubtsSession" in error &&
    error.doubtsSession === true
  );
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

/** The setting that limits the time of a call with its own limit. */
export const OWN_LIMIT = "the option timeout";

/** Why the circuit breaker is open, by server and environment. Here, since the first call loads the breaker itself. */
const outages = /* @__PURE__ */ new WeakMap<object, Map<string, string | undefined>>();

/** Remembers why calls to a server are refused; with `undefined`, that they are accepted again. */
export function noteOutage(
  server: object,
  environment: string | undefined,
  reason: string | undefined,
): void {
  const ofServer = outages.get(server) ?? new Map<string, string | undefined>();
  outages.set(server, ofServer.set(environment ?? "", reason));
}

/** Returns why calls to a server are refused now; undefined while they are accepted. */
export function findOutage(server: object, environment: string | undefined): string | undefined {
  return outages.get(server)?.get(environment ?? "");
}

import type { JsonObject } from "../contract/json.js";
import type { AnnouncedList, ServerIdentity } from "../contract/snapshot.js";
import type { AbortSignalLike } from "./abort-signal.js";
import type { Progress, ProgressWatch } from "./progress.js";
import type { RequestHandler } from "./server-requests.js";

export interface RequestOptions {
  readonly signal?: AbortSignalLike | undefined;
  /** Milliseconds. Default: the call timeout of the session. */
  readonly timeout?: number | undefined;
  /** Receives the text of the answer as the server wrote it. */
  readonly onText?: (text: string) => void;
  /** HTTP headers to send with the request. Other transports ignore them. */
  readonly headers?: { readonly [name: string]: string } | undefined;
  /**
   * Answers requests that a legacy server sends while this one is in flight. The time limit pauses meanwhile.
   * Default: they are refused.
   */
  readonly onRequest?: RequestHandler | undefined;
}

/** What happens to the notifications that {@link Session.listen} requested. */
export interface ListenEvents {
  /** Called when the server sends each change from now on. */
  readonly onStart?: () => void;
  /** Called when no more notifications arrive. `isRefused`: the server sends none; otherwise the connection broke. */
  readonly onEnd?: (isRefused: boolean) => void;
}

/** A connection to one MCP server, which has agreed on a protocol version. */
export interface Session {
  readonly identity: ServerIdentity;
  /** Whether the session has ended. */
  readonly isClosed: boolean;
  /** Whether calls carry the arguments that a tool marks in HTTP headers: over HTTP, since revision 2026-07-28. */
  readonly hasParameterHeaders: boolean;
  /** Called for each notification of the server. */
  onNotification?: (method: string, params: JsonObject) => void;
  /**
   * Starts to receive notifications that the list of tools, or one of `lists`, changed, if the server sends them. Over
   * HTTP, only while requests are in flight and for a second after, or while the session is held.
   */
  listen(events?: ListenEvents, lists?: readonly AnnouncedList[]): void;
  /** Starts to receive requests that a legacy server sends beside the answer of a call, under the same limits. */
  receiveRequests(): void;
  /**
   * Sends a request and returns its raw `result`.
   *
   * @throws RpcError for a JSON-RPC error; McpCodegenError `SERVER_TIMEOUT`, `SERVER_UNREACHABLE`,
   *   `SERVER_REFUSED`, `PROTOCOL_INVALID`; the signal's reason when it aborts
   */
  request(method: string, params: JsonObject, options?: RequestOptions): Promise<JsonObject>;
  /**
   * Calls the listener with the progress of the request that sends the token in `_meta.progressToken`. Errors
   * of the listener are ignored. `release` removes it.
   */
  watchProgress(listener: (progress: Progress) => void): ProgressWatch;
  /** Returns a text from the server without the secrets that we sent. */
  scrub(text: string): string;
  /** Keeps the connection and the process alive between requests. Returns a function that ends this. */
  hold(): () => void;
  /** Ends the session and rejects the requests in flight. Never rejects. */
  close(): Promise<void>;
}

import type { JsonObject, JsonValue } from "../core/json.js";
import type { AnnouncedList, ServerIdentity } from "../core/snapshot.js";
import type { AbortSignalLike } from "./abort-signal.js";
import type { Progress, ProgressWatch, RequestHandler } from "./server-requests.js";

export interface RawRequestOptions {
  readonly signal?: AbortSignalLike | undefined;
  /** Milliseconds. Default: the call timeout of the session. */
  readonly timeout?: number | undefined;
  /** Receives the text of the answer as the server wrote it. */
  readonly onText?: ((text: string) => void) | undefined;
  /** HTTP headers to send with the request. Other transports ignore them. */
  readonly headers?: { readonly [name: string]: string } | undefined;
  /**
   * Answers requests that a legacy server sends while this one is in flight. The time limit pauses meanwhile.
   * Default: they are refused.
   */
  readonly onRequest?: RequestHandler | undefined;
}

/** Events of the notifications that {@link Session.listen} requested. */
export interface ListenEvents {
  /** Called when the server sends each change from now on. */
  readonly onStart?: (() => void) | undefined;
  /** Called when no more notifications arrive. `isRefused`: the server sends none; otherwise the connection broke. */
  readonly onEnd?: ((isRefused: boolean) => void) | undefined;
}

/** The part of a session that lists need. A client of the program can supply it. */
export interface RequestContext {
  readonly identity: ServerIdentity;
  /** Whether calls carry the arguments that a tool marks in HTTP headers: over HTTP, since revision 2026-07-28. */
  readonly hasParameterHeaders: boolean;
  /**
   * Sends a request and returns its raw `result`.
   *
   * @throws RpcError for a JSON-RPC error; McpCodegenError `SERVER_TIMEOUT`, `SERVER_UNREACHABLE`,
   *   `SERVER_REFUSED`, `PROTOCOL_INVALID`; the signal's reason when it aborts
   */
  request(method: string, params: JsonObject, options?: RawRequestOptions): Promise<JsonObject>;
  /** Returns a text from the server without the secrets that we sent. */
  scrub(text: string): string;
}

/** A connection to one MCP server, which has agreed on a protocol version. */
export interface Session extends RequestContext {
  /** Whether the session has ended. */
  readonly isClosed: boolean;
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
   * Calls the listener with the progress of the request that sends the token in `_meta.progressToken`. Errors
   * of the listener are ignored. `release` removes it.
   */
  watchProgress(listener: (progress: Progress) => void): ProgressWatch;
  /** Keeps the connection and the process alive between requests. Returns a function that ends this. */
  hold(): () => void;
  /** Ends the session and rejects the requests in flight. Never rejects. */
  close(): Promise<void>;
}

/** Events that a transport reports to the session. */
export interface ChannelEvents {
  /**
   * Called with the text of each message. The text may not be JSON; the session checks it. `requestId` is the ID
   * of our request whose exchange carries the message, where each exchange has its own connection.
   */
  readonly onText: (text: string, requestId?: JsonValue) => void;
  /** Called at most once when the channel has failed, and never after `close`. */
  readonly onDead: (error: Error) => void;
  /** Called with each line that a started server writes to stderr, without secrets and control characters. */
  readonly onStderr?: ((line: string) => void) | undefined;
}

export interface SendOptions {
  /** Aborts the exchange, on a transport where each exchange has its own connection. */
  readonly signal?: AbortSignal | undefined;
  /**
   * Called when the server has ended the exchange. An answer that has not arrived by then will not arrive.
   */
  readonly onEnd?: (() => void) | undefined;
  /** HTTP headers for this message, on a transport where each message is a request. */
  readonly headers?: { readonly [name: string]: string } | undefined;
}

/** A connection to one server. */
export interface Channel {
  /** @throws McpCodegenError when the message could not be delivered. */
  send(message: JsonObject, options?: SendOptions): Promise<void>;
  /** Sets the negotiated protocol version. */
  setProtocolVersion?(version: string): void;
  /**
   * Starts to receive notifications, on a transport that must request them. `request` is the message that
   * requests them in the modern era.
   */
  listen?(request?: JsonObject, events?: ListenEvents): void;
  /** A busy channel keeps the process alive; an idle channel must not. */
  setBusy?(isBusy: boolean): void;
  /** Returns the last lines of stderr, as in {@link McpCodegenError.stderr}. */
  lastLines?(): readonly string[];
  close(): Promise<void>;
}

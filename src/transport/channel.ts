import type { JsonObject, JsonValue } from "../contract/json.js";
import type { ListenEvents } from "./session.js";

/** What a transport reports to the session. */
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
  readonly signal?: AbortSignal;
  /**
   * Called when the server has ended the exchange. An answer that has not arrived by then will not arrive.
   */
  readonly onEnd?: () => void;
  /** HTTP headers for this message, on a transport where each message is a request. */
  readonly headers?: { readonly [name: string]: string };
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

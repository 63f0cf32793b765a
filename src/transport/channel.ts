import type { JsonObject } from "../contract/json.js";

/** What a transport tells the session. */
export interface ChannelEvents {
  /** One message as the server wrote it. Text that is no JSON comes here too: the session judges it. */
  readonly onText: (text: string) => void;
  /** The channel is dead. Called at most once, and not after `close`. */
  readonly onDead: (error: Error) => void;
  /** A line that a started server wrote to stderr, without secrets and control characters. */
  readonly onStderr?: ((line: string) => void) | undefined;
}

export interface SendOptions {
  /** Aborts the exchange, where an exchange has a connection of its own. */
  readonly signal?: AbortSignal;
  /** The server ended the exchange; if it has not answered by now, it will not. */
  readonly onEnd?: () => void;
}

/** A way to send messages to one server. */
export interface Channel {
  /** @throws McpCodegenError when the message could not be delivered. */
  send(message: JsonObject, options?: SendOptions): Promise<void>;
  /** Called with the version that both sides will speak. */
  setProtocolVersion?(version: string): void;
  /** Called when messages that the server sends unasked are wanted, where the transport has to ask for them. */
  listen?(): void;
  /** While busy, an answer is awaited and the process must live; otherwise the channel must not keep it alive. */
  setBusy?(isBusy: boolean): void;
  /** The last lines that the server wrote to stderr, as in {@link McpCodegenError.stderr}. */
  lastLines?(): readonly string[];
  close(): Promise<void>;
}

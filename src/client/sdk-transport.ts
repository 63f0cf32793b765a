import { isJsonObject, type JsonObject, tryParseJson } from "../core/json.js";
import type { Channel, ChannelEvents } from "./session.js";

/** Opens a channel to a server in this process. */
export type OpenChannel = (events: ChannelEvents) => Promise<Channel>;

/** The members of a transport that both major versions of the MCP SDK have. */
export interface SdkTransport {
  start(): Promise<void>;
  send(message: never): Promise<void>;
  close(): Promise<void>;
  onmessage?: ((message: never, extra?: never) => void) | undefined;
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
}

/** An `McpServer` or a `Server` of either version. */
export interface SdkServer {
  connect(transport: never): Promise<void>;
}

/** Connects a server in this process. Each message is copied as JSON, as it would be between processes. */
export function openSdkServer(server: SdkServer): OpenChannel {
  return async (events) => {
    const end = new ServerEnd(events);
    // The transports of the versions differ in types, not in these members.
    await server.connect(end as never);
    return {
      send: (message) => end.deliver(message),
      close: () => end.close(),
    };
  };
}

/**
 * Uses the client's end of a pair of transports, whose other end a server is connected to. It is started once and stays
 * open, since a closed pair cannot be used again: its owner closes it.
 */
export function openSdkTransport(transport: SdkTransport): OpenChannel {
  return async (events) => {
    const isStarted = transport.onmessage !== undefined;
    transport.onmessage = (message) => {
      events.onText(JSON.stringify(message));
    };
    transport.onclose = () => {
      events.onDead(new Error("The transport was closed."));
    };
    if (!isStarted) await transport.start();
    return {
      send: async (message) => transport.send(message as never),
      close: () => Promise.resolve(),
    };
  };
}

class ServerEnd {
  onmessage?: (message: JsonObject) => void;
  onclose?: () => void;
  onerror?: (error: Error) => void;
  readonly #events: ChannelEvents;
  #isClosed = false;

  constructor(events: ChannelEvents) {
    this.#events = events;
  }

  start(): Promise<void> {
    return Promise.resolve();
  }

  /** Called by the server. */
  send(message: unknown): Promise<void> {
    if (!this.#isClosed) this.#events.onText(JSON.stringify(message));
    return Promise.resolve();
  }

  /** Gives the server a message. */
  async deliver(message: JsonObject): Promise<void> {
    const copy = tryParseJson(JSON.stringify(message));
    // The answer must not arrive before the request is known to be sent.
    await Promise.resolve();
    if (!this.#isClosed && isJsonObject(copy)) this.onmessage?.(copy);
  }

  close(): Promise<void> {
    if (this.#isClosed) return Promise.resolve();
    this.#isClosed = true;
    this.onclose?.();
    return Promise.resolve();
  }
}

import { omitUndefined } from "../core/collections.js";
import { callSafely } from "../core/errors.js";
import { findText, getOwn, type JsonObject, type JsonValue } from "../core/json.js";
import type { AnnouncedList, ServerIdentity } from "../core/snapshot.js";
import type { AbortSignalLike } from "../core/abort-signal.js";
import type { Progress } from "../core/call.js";

export interface RawRequestOptions {
  readonly signal?: AbortSignalLike | undefined;
  /** Milliseconds. Default: the call timeout of the session. */
  readonly timeout?: number | undefined;
  /** The setting that limits the time. Default: `timeouts.call`. */
  readonly limitedBy?: string | undefined;
  /** Receives the text of the answer as the server wrote it. */
  readonly onText?: ((text: string) => void) | undefined;
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
  /**
   * Sends a request and returns its raw `result`.
   *
   * @throws RpcError for a JSON-RPC error; McpCodegenError `SERVER_TIMEOUT`, `SERVER_UNREACHABLE`,
   *   `SERVER_REFUSED`, `PROTOCOL_INVALID`; the signal's reason when it aborts
   */
  request(method: string, params: JsonObject, options?: RawRequestOptions): Promise<JsonObject>;
  /** The beginning of the first output that is not a message, on one line; empty without any. */
  readonly noise?: string;
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
   * of our request whose exchange carries the message, where each exchange has its own connection; `status` the HTTP status
   * of an error in a session.
   */
  readonly onText: (text: string, requestId?: JsonValue, status?: number) => void;
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

const INVALID_REQUEST = -32600;
const METHOD_NOT_FOUND = -32601;
const INTERNAL_ERROR = -32603;

interface RequestContents {
  readonly method: string;
  readonly params: JsonObject;
}

/** A request that a legacy server sends while a request of ours is in flight. */
export interface ServerRequest extends RequestContents {
  /** Aborts when the server withdraws the request, and when ours has ended. */
  readonly signal: AbortSignalLike;
  /** Whether several of our requests are in flight, and it is unknown which of them it belongs to. */
  readonly isShared: boolean;
}

export type ServerRequestAnswer =
  | { readonly result: JsonObject }
  | { readonly error: { readonly code: number; readonly message: string } };

/** Answers the requests that a server sends while one of ours is in flight. */
export interface RequestHandler {
  /** A request that may belong to several of ours is only answered if their handlers have the same owner. */
  readonly owner: unknown;
  /** Rejects to end our request with that error. */
  answer(request: ServerRequest): Promise<ServerRequestAnswer>;
}

/** Our own request, while it is in flight. */
export interface OpenRequest {
  readonly onRequest: RequestHandler | undefined;
  /** Aborts when the request has ended. */
  readonly ended: AbortSignal;
  /** Pauses its time limit. Returns a function that ends the pause. */
  readonly pause: () => () => void;
  /** Ends the request with an error. */
  readonly abort: (error: unknown) => void;
}

/** Passes requests of a legacy server to the handlers of our own requests in flight. */
export class ServerRequests {
  readonly #reply: (message: JsonObject) => void;
  readonly #open = new Map<JsonValue, AbortController>();

  constructor(reply: (message: JsonObject) => void) {
    this.#reply = reply;
  }

  /**
   * Answers one request.
   *
   * @param during our requests that it may belong to
   */
  async answer(
    id: JsonValue,
    { method, params }: RequestContents,
    during: readonly OpenRequest[],
  ): Promise<void> {
    const listeners = during.filter(({ onRequest }) => onRequest !== undefined);
    const [first] = listeners;
    if (first?.onRequest === undefined) {
      this.#refuse(id, INVALID_REQUEST, "No tool call of this client is in progress.");
      return;
    }
    const { owner } = first.onRequest;
    if (listeners.some(({ onRequest }) => onRequest?.owner !== owner)) {
      this.#refuse(id, INTERNAL_ERROR, "Several calls are in progress, and the request does not name one.");
      return;
    }
    const withdrawn = new AbortController();
    this.#open.set(id, withdrawn);
    let left = listeners.length;
    for (const { ended } of listeners) {
      ended.addEventListener("abort", () => {
        left -= 1;
        if (left === 0) withdrawn.abort();
      });
    }
    const resumes = listeners.map(({ pause }) => pause());
    const request = { method, params, signal: withdrawn.signal, isShared: listeners.length > 1 };
    try {
      this.#reply({ jsonrpc: "2.0", id, ...(await first.onRequest.answer(request)) });
    } catch (error) {
      this.#refuse(id, INTERNAL_ERROR, "The client could not answer.");
      for (const { abort } of listeners) abort(error);
    } finally {
      this.#open.delete(id);
      for (const resume of resumes) resume();
    }
  }

  /** Aborts a request that the server has withdrawn. */
  withdraw(id: JsonValue | undefined): void {
    if (id !== undefined) this.#open.get(id)?.abort();
  }

  /** Refuses a request of a method that this client does not know. */
  refuseMethod(id: JsonValue, method: string): void {
    this.#refuse(id, METHOD_NOT_FOUND, `This client does not support ${method.slice(0, 100)}.`);
  }

  #refuse(id: JsonValue, code: number, message: string): void {
    this.#reply({ jsonrpc: "2.0", id, error: { code, message } });
  }
}

/** The progress token of a request. `release` removes its listener. */
export interface ProgressWatch {
  readonly token: number;
  release(): void;
}

/** The listeners for progress, by token. */
export class ProgressListeners {
  readonly #listeners = new Map<number, (progress: Progress) => void>();
  #nextToken = 0;

  watch(listener: (progress: Progress) => void): ProgressWatch {
    const token = this.#nextToken++;
    this.#listeners.set(token, listener);
    return { token, release: () => void this.#listeners.delete(token) };
  }

  /** Passes the parameters of `notifications/progress` to the listener of their token, if both are valid. */
  notify(params: JsonObject, scrub: (text: string) => string): void {
    const token = getOwn(params, "progressToken");
    const listener = typeof token === "number" ? this.#listeners.get(token) : undefined;
    const progress = getOwn(params, "progress");
    if (listener === undefined || typeof progress !== "number") return;
    const total = getOwn(params, "total");
    const message = findText(params, "message");
    const rest = omitUndefined({
      total: typeof total === "number" ? total : undefined,
      message: message && scrub(message),
    });
    callSafely(listener, [{ progress, ...rest }]);
  }
}

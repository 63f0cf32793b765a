import type { McpCodegenError } from "../core/errors.js";
import { objectOrEmpty, getOwn, isJsonObject, type JsonObject, type JsonValue } from "../core/json.js";
import { tryParseExactly } from "../core/exact-json.js";
import { declaresListChanged, type AnnouncedList, type ServerIdentity } from "../core/snapshot.js";
import type { AbortSignalLike } from "../core/abort-signal.js";
import type { Progress } from "../core/call.js";
import { abortReason, TimeLimit } from "./abort-signal.js";
import {
  type Channel,
  type ChannelEvents,
  type ListenEvents,
  type OpenRequest,
  ProgressListeners,
  type ProgressWatch,
  type RawRequestOptions,
  ServerRequests,
  type Session,
} from "./session.js";
import type { Endpoint } from "./endpoint.js";
import {
  answersRequest,
  excerpt,
  HttpStatusError,
  invalidError,
  resultOfAnswer,
  RpcError,
  scrubSecrets,
  SessionLostError,
  timeoutError,
  unreachableError,
} from "./server-errors.js";

const PING_TIMEOUT = 5_000;
const HANDSHAKE: readonly string[] = ["initialize", "server/discover"];
/** The requests of a legacy server that are passed to our own requests in flight. A modern server sends none. */
const SERVER_REQUESTS: readonly string[] = ["elicitation/create"];
/** The ID of the request for notifications. IDs of other requests are numbers. */
const SUBSCRIPTION_ID = "list-changed";

interface Pending extends OpenRequest {
  readonly id: number;
  readonly method: string;
  /** The exchange of the request, which may resume its stream until it ends or is aborted. */
  readonly exchange: AbortController;
  readonly answer: Promise<JsonObject>;
  readonly onText: ((text: string) => void) | undefined;
  readonly resolve: (result: JsonObject) => void;
  readonly reject: (error: unknown) => void;
}

/** Where a message comes from, see `ChannelEvents`. */
interface Received {
  readonly text: string;
  readonly requestId: JsonValue | undefined;
  readonly status: number | undefined;
}

/** A JSON-RPC session over a channel: matches answers to requests. */
export class RpcSession implements Session {
  identity: ServerIdentity = { serverInfo: {}, protocolVersion: "", capabilities: {} };
  isClosed = false;
  onNotification?: (method: string, params: JsonObject) => void;
  readonly #endpoint: Endpoint;
  readonly #timeout: number;
  readonly #pending = new Map<number, Pending>();
  readonly #progress = new ProgressListeners();
  readonly #serverRequests = new ServerRequests((message) => {
    this.#sendIgnoringErrors(message);
  });
  #channel: Channel | undefined;
  #meta: JsonObject | undefined;
  #nextId = 0;
  #holds = 0;
  /** Absent before `listen` and after the notifications ended. */
  #listening: ListenEvents | undefined;
  /** The beginning of the first output that is not a message. */
  noise = "";

  constructor(endpoint: Endpoint, timeout: number) {
    this.#endpoint = endpoint;
    this.#timeout = timeout;
  }

  /** The event handlers to open a channel with, for {@link attach}. */
  get events(): ChannelEvents {
    return {
      onText: (text, requestId, status) => {
        this.#receive(text, requestId, status);
      },
      onDead: (error) => {
        this.#fail(error);
      },
    };
  }

  /** Connects the session to an open channel, so that it can send requests. */
  attach(channel: Channel): void {
    this.#channel = channel;
  }

  /**
   * Sets what the server and we agreed on.
   *
   * @param agreement `meta`: the `_meta` members that every later request carries, in the modern era;
   *   `notification`: the message that ends the handshake, in the legacy era
   */
  async agree(
    identity: ServerIdentity,
    { meta, notification }: { readonly meta?: JsonObject; readonly notification?: string },
  ): Promise<void> {
    this.identity = identity;
    this.#meta = meta;
    this.#channel?.setProtocolVersion?.(identity.protocolVersion);
    if (notification !== undefined) await this.#channel?.send({ jsonrpc: "2.0", method: notification });
  }

  async request(method: string, params: JsonObject, options: RawRequestOptions = {}): Promise<JsonObject> {
    const channel = this.#channel;
    const { signal } = options;
    if (this.isClosed || channel === undefined) throw unreachableError(this.#endpoint, "is closed");
    if (signal?.aborted === true) throw abortReason(signal);
    const { id, exchange, answer, reject } = this.#track(method, options);
    const onEnd = (): void => {
      reject(unreachableError(this.#endpoint, `ended the exchange without answering ${method}`));
    };
    channel
      .send(
        { jsonrpc: "2.0", id, method, params: this.#withMeta(params) },
        { signal: exchange.signal, onEnd },
      )
      .catch(reject);
    try {
      return await answer;
    } catch (error) {
      throw (await this.#isLost(method, error, signal)) ? new SessionLostError(this.#endpoint.label) : error;
    }
  }

  #withMeta(params: JsonObject): JsonObject {
    if (this.#meta === undefined) return params;
    return { ...params, _meta: { ...objectOrEmpty(getOwn(params, "_meta")), ...this.#meta } };
  }

  /**
   * Whether the session has ended, by a ping after an error that may say so: a tool with its own sessions uses the same words.
   * A lost session rejects the ping too, and then the request had no effect.
   */
  async #isLost(method: string, error: unknown, signal: AbortSignalLike | undefined): Promise<boolean> {
    const hasSession = this.#meta === undefined && method !== "ping" && !HANDSHAKE.includes(method);
    if (!hasSession || !this.#doubtsSession(error)) return false;
    try {
      await this.request("ping", {}, { timeout: PING_TIMEOUT, signal });
      return false;
    } catch (second) {
      return second instanceof SessionLostError || this.#doubtsSession(second);
    }
  }

  #doubtsSession(error: unknown): boolean {
    const isAnswer = error instanceof RpcError || error instanceof HttpStatusError;
    return this.#endpoint.kind === "http" && isAnswer && error.doubtsSession;
  }

  /** Gives a request its ID, and waits for its answer within the limits of time and signal. */
  #track(method: string, options: RawRequestOptions): Pending {
    const { signal, timeout = this.#timeout, limitedBy = "timeouts.call", onText, onRequest } = options;
    const id = this.#nextId++;
    const exchange = new AbortController();
    const ended = new AbortController();
    let resolve: (result: JsonObject) => void = () => undefined;
    let reject: (error: unknown) => void = () => undefined;
    const answer = new Promise<JsonObject>((...settle) => {
      [resolve, reject] = settle;
    });
    const abort = (error: unknown): void => {
      reject(error);
      this.#cancel(id, method);
      exchange.abort();
    };
    const limit = new TimeLimit(timeout, () => {
      const error = HANDSHAKE.includes(method)
        ? timeoutError(this.#endpoint, "connect", { limitedBy: "timeouts.connect", timeout })
        : timeoutError(this.#endpoint, `answer ${method}`, { limitedBy, timeout });
      abort(error);
    });
    const onAbort = (): void => {
      abort(signal === undefined ? undefined : abortReason(signal));
    };
    signal?.addEventListener("abort", onAbort);
    const end = (): void => {
      limit.clear();
      signal?.removeEventListener("abort", onAbort);
      ended.abort();
      this.#pending.delete(id);
      this.#hold(-1);
    };
    const pending: Pending = {
      id,
      method,
      onText,
      onRequest,
      resolve,
      reject,
      abort,
      exchange,
      answer: answer.finally(end),
      ended: ended.signal,
      pause: () => limit.pause(),
    };
    this.#pending.set(id, pending);
    this.#hold(1);
    return pending;
  }

  listen(events: ListenEvents = {}, lists: readonly AnnouncedList[] = ["tools"]): void {
    this.#listening = events;
    const announced = lists.filter((list) => declaresListChanged(this.identity, list));
    if (announced.length === 0) {
      this.#endListening(true);
      return;
    }
    const stream: ListenEvents = {
      // A modern server acknowledges the subscription.
      onStart: this.#meta === undefined ? this.#startListening.bind(this) : undefined,
      onEnd: this.#endListening.bind(this),
    };
    if (this.#meta === undefined) {
      if (this.#channel?.listen === undefined) this.#startListening();
      else this.#channel.listen(undefined, stream);
      return;
    }
    // Specification 2026-07-28, "Subscriptions".
    const request: JsonObject = {
      jsonrpc: "2.0",
      id: SUBSCRIPTION_ID,
      method: "subscriptions/listen",
      params: this.#withMeta({
        notifications: Object.fromEntries(announced.map((list) => [`${list}ListChanged`, true])),
      }),
    };
    if (this.#channel?.listen === undefined) this.#sendIgnoringErrors(request);
    else this.#channel.listen(request, stream);
  }

  #startListening(): void {
    this.#listening?.onStart?.();
  }

  #endListening(isRefused: boolean): void {
    const events = this.#listening;
    this.#listening = undefined;
    events?.onEnd?.(isRefused);
  }

  receiveRequests(): void {
    // A server of the official SDK sends a request on the session's own stream, unless it names a request of ours.
    if (this.#meta === undefined) this.#channel?.listen?.();
  }

  watchProgress(listener: (progress: Progress) => void): ProgressWatch {
    return this.#progress.watch(listener);
  }

  scrub(text: string): string {
    return scrubSecrets(text, this.#endpoint.secrets);
  }

  hold(): () => void {
    let isHeld = true;
    this.#hold(1);
    return () => {
      if (isHeld) this.#hold(-1);
      isHeld = false;
    };
  }

  async close(): Promise<void> {
    this.#listening = undefined;
    this.#fail(unreachableError(this.#endpoint, "was closed"));
    await this.#channel?.close().catch(() => undefined);
  }

  #hold(by: 1 | -1): void {
    this.#holds += by;
    if (this.#holds === (by === 1 ? 1 : 0)) this.#channel?.setBusy?.(by === 1);
  }

  /**
   * Cancels a request. `initialize` must not be cancelled (specification, "Cancellation"). Over modern HTTP,
   * the end of the exchange cancels the request.
   */
  #cancel(id: number, method: string): void {
    if (HANDSHAKE.includes(method) || (this.#meta !== undefined && this.#endpoint.kind === "http")) return;
    this.#sendIgnoringErrors({
      jsonrpc: "2.0",
      method: "notifications/cancelled",
      params: { requestId: id },
    });
  }

  #sendIgnoringErrors(message: JsonObject): void {
    // A broken channel rejects the requests in flight, so this error adds nothing.
    this.#channel?.send(message).catch(() => undefined);
  }

  #receive(text: string, requestId: JsonValue | undefined, status: number | undefined): void {
    const message = tryParseExactly(text);
    // Some servers log to standard output. A line that is not a message is not an answer.
    if (message === undefined && this.noise === "") this.noise = excerpt(this.scrub(text));
    for (const item of Array.isArray(message) ? message : [message]) {
      if (isJsonObject(item)) this.#handle(item, { text, requestId, status });
    }
  }

  #handle(message: JsonObject, received: Received): void {
    const { requestId } = received;
    const method = getOwn(message, "method");
    const id = getOwn(message, "id");
    if (typeof method !== "string") {
      this.#settle(message, received);
    } else if (id === undefined) {
      const params = objectOrEmpty(getOwn(message, "params"));
      if (method === "notifications/progress") {
        this.#progress.notify(params, (text) => this.scrub(text));
      }
      if (method === "notifications/subscriptions/acknowledged") this.#startListening();
      if (method === "notifications/cancelled") this.#serverRequests.withdraw(getOwn(params, "requestId"));
      this.onNotification?.(method, params);
    } else if (method === "ping") {
      this.#sendIgnoringErrors({ jsonrpc: "2.0", id, result: {} });
    } else if (this.#meta === undefined && SERVER_REQUESTS.includes(method)) {
      const params = objectOrEmpty(getOwn(message, "params"));
      void this.#serverRequests.answer(id, { method, params }, this.#during(requestId));
    } else {
      this.#serverRequests.refuseMethod(id, method);
    }
  }

  #during(requestId: JsonValue | undefined): readonly OpenRequest[] {
    if (typeof requestId !== "number") return [...this.#pending.values()];
    const request = this.#pending.get(requestId);
    return request === undefined ? [] : [request];
  }

  #settle(message: JsonObject, { text, requestId, status }: Received): void {
    // The answer to a subscription refuses or ends it.
    if (getOwn(message, "id") === SUBSCRIPTION_ID) this.#endListening(Object.hasOwn(message, "error"));
    // An exchange over HTTP has one request; over stdio, an error without an ID is about the only open one, if it is one.
    const open = [...this.#pending].filter(([id]) => requestId === undefined || id === requestId);
    const answered = open.filter(([id]) => answersRequest(message, id));
    const [[id, pending] = []] = answered.length === 1 ? answered : [];
    if (id === undefined || pending === undefined) return;
    // A question that follows at once is not about this request.
    this.#pending.delete(id);
    // The request's own stream would be resumed, or stay open, for an answer that came on another.
    if (requestId === undefined) pending.exchange.abort();
    try {
      const result = resultOfAnswer(this.#endpoint, pending.method, message, status);
      pending.onText?.(text);
      pending.resolve(result);
    } catch (error) {
      pending.reject(error);
    }
  }

  #fail(error: Error): void {
    this.isClosed = true;
    for (const pending of this.#pending.values()) pending.reject(error);
    this.#endListening(false);
  }

  /** Returns the last lines that a started server wrote to stderr. */
  lastLines(): readonly string[] {
    return this.#channel?.lastLines?.() ?? [];
  }

  /** Returns `PROTOCOL_INVALID` about the server. */
  invalid(what: string, hint?: string): McpCodegenError {
    return invalidError(this.#endpoint, what, hint);
  }
}

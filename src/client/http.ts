import { omitUndefined } from "../core/collections.js";
import { McpCodegenError } from "../core/errors.js";
import {
  findOwn,
  getOwn,
  isJsonArray,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  tryParseJson,
} from "../core/json.js";
import { encodeHeader } from "../core/parameter-headers.js";
import type { HttpEndpoint } from "./endpoint.js";
import { cutOffError, httpError, loginError, redirectError, sessionError } from "./http-errors.js";
import { isLoginAddress, isMediaType, readBody, sendRequest } from "./http-request.js";
import { VERSION_META } from "./negotiate.js";
import { answersRequest, SessionLostError } from "./server-errors.js";
import type { Channel, ChannelEvents, ListenEvents, SendOptions } from "./session.js";
import { NotificationStream, readEvents, type StreamEvent } from "./streams.js";

// Our own transports: those of the SDK parse each message with schemas, which strip unknown keys, round numbers and refuse
// a whole list for one value.

/** Milliseconds that a server may take to end a session. */
const TERMINATE_TIMEOUT = 2_000;
const IDLE_TIMEOUT = 1_000;
/** Milliseconds before a stream is resumed, unless the server names another pause. They grow with each failure. */
const RESUME_PAUSE = 1_000;
const MOST_FAILURES = 3;

/** Opens Streamable HTTP (specification 2025-03-26 and later). Nothing is sent before the first message. */
export function openHttp(endpoint: HttpEndpoint, { onText }: ChannelEvents): Promise<Channel> {
  return Promise.resolve(new HttpChannel(endpoint, onText));
}

class HttpChannel implements Channel {
  readonly #endpoint: HttpEndpoint;
  readonly #onText: ChannelEvents["onText"];
  readonly #closing = new AbortController();
  readonly #notifications: NotificationStream;
  #subscription: JsonObject | undefined;
  #sessionId: string | undefined;
  #version: string | undefined;

  constructor(endpoint: HttpEndpoint, onText: ChannelEvents["onText"]) {
    this.#endpoint = endpoint;
    this.#onText = onText;
    // A redirect could send our credentials to another origin.
    this.#notifications = new NotificationStream(
      (signal) =>
        sendRequest(endpoint, endpoint.url, this.#init(this.#subscription, { signal, redirect: "error" })),
      onText,
    );
  }

  async send(message: JsonObject, { signal, onEnd, headers }: SendOptions = {}): Promise<void> {
    const ending = this.#closing.signal;
    const signals = signal === undefined ? ending : AbortSignal.any([ending, signal]);
    const init = this.#init(message, { signal: signals, headers: headers ?? {} });
    const response = await sendRequest(this.#endpoint, this.#endpoint.url, init);
    const request = Object.hasOwn(message, "id") && Object.hasOwn(message, "method") ? message : undefined;
    if (getOwn(message, "method") === "initialize" && response.ok)
      this.#sessionId = response.headers.get("mcp-session-id") ?? undefined;
    await refuseRedirect(this.#endpoint, response);
    if (response.ok && isMediaType(response, "text/event-stream"))
      await this.#readStream(response, request, { signal: signals, onEnd });
    else await this.#readAnswer(response, request);
  }

  setProtocolVersion(version: string): void {
    this.#version = version;
  }

  listen(request?: JsonObject, events?: ListenEvents): void {
    this.#subscription = request;
    this.#notifications.listen(events);
  }

  setBusy(isBusy: boolean): void {
    this.#notifications.setBusy(isBusy);
  }

  async close(): Promise<void> {
    this.#notifications.close();
    // An error has no effect: the server forgot the session, or forbids to end it.
    if (this.#sessionId !== undefined) {
      const signal = AbortSignal.timeout(TERMINATE_TIMEOUT);
      const init = this.#init(undefined, { method: "DELETE", signal });
      await sendRequest(this.#endpoint, this.#endpoint.url, init)
        .then((response) => response.body?.cancel())
        .catch(() => undefined);
    }
    this.#closing.abort();
  }

  /** The request that sends a message, or without one asks for a stream. */
  #init(message: JsonObject | undefined, init: RequestInit): RequestInit {
    const isInitialize = message !== undefined && getOwn(message, "method") === "initialize";
    const headers = omitUndefined({
      "mcp-session-id": isInitialize ? undefined : this.#sessionId,
      "mcp-protocol-version": this.#version,
      accept: message === undefined ? "text/event-stream" : "application/json, text/event-stream",
      ...(message !== undefined && headersOf(message)),
    });
    return {
      method: message === undefined ? "GET" : "POST",
      body: message === undefined ? null : JSON.stringify(message),
      ...init,
      headers: { ...headers, ...Object.fromEntries(new Headers(init.headers)) },
    };
  }

  async #readAnswer(response: Response, request: JsonObject | undefined): Promise<void> {
    const body = await readBody(this.#endpoint, response);
    const message = tryParseJson(body);
    const id = request && getOwn(request, "id");
    if (!response.ok) {
      const hasSession = this.#sessionId !== undefined && request?.["method"] !== "initialize";
      if (hasError(this.#endpoint, response, { body, id, hasSession })) this.#onText(body, id);
      else throw httpError(this.#endpoint, response, body, { isCall: isCall(request) });
      return;
    }
    const isJson = isMediaType(response, "application/json");
    const isMessage = isJson ? message !== undefined : isRpcMessage(message);
    if (isMessage && (request === undefined || hasAnswer(message, id))) this.#onText(body, id);
    else if (request !== undefined)
      throw isJson && message === undefined && /^\s*[[{]/.test(body)
        ? cutOffError(this.#endpoint)
        : httpError(this.#endpoint, response, body, { isCall: isCall(request) });
  }

  /** Reads the stream of a request, and resumes it until it has the answer (specification, "Resumability and Redelivery"). */
  async #readStream(
    first: Response,
    request: JsonObject | undefined,
    { signal, onEnd }: { readonly signal: AbortSignal; readonly onEnd: SendOptions["onEnd"] },
  ): Promise<void> {
    const id = request && getOwn(request, "id");
    const seen: { last?: string; pause?: number; isAnswered?: boolean } = {};
    const read = (response: Response, isResumed: boolean): Promise<void> =>
      readEvents(
        response,
        (event) => {
          if (event.id !== undefined) seen.last = event.id;
          if (/^\d+$/.test(event.retry ?? "")) seen.pause = Number(event.retry);
          const text = textOf(event, id);
          if (text !== undefined) this.#onText(text, id);
          if (isAnswer(event)) seen.isAnswered = true;
        },
        // A stream that was resumed for its answer may stay open, and would keep the process alive.
        { limit: this.#endpoint.readLimit, isDone: () => isResumed && seen.isAnswered === true },
      ).catch(() => undefined);
    await read(first, false);
    let failures = 0;
    while (failures < MOST_FAILURES && seen.last !== undefined && seen.isAnswered !== true) {
      await sleep(seen.pause ?? RESUME_PAUSE * 1.5 ** failures, signal);
      if (signal.aborted) return;
      const init = this.#init(undefined, { headers: { "last-event-id": seen.last }, signal });
      const response = await sendRequest(this.#endpoint, this.#endpoint.url, init).catch(() => undefined);
      if (response?.status === 405) break;
      failures = response?.ok === true ? 0 : failures + 1;
      if (response?.ok === true) await read(response, true);
    }
    onEnd?.();
  }
}

/**
 * Opens HTTP with server-sent events (specification 2024-11-05). Its stream is one long answer that would
 * keep the process alive, so a channel is closed when it has been idle for a second. The next call opens
 * another.
 */
export async function openSse(endpoint: HttpEndpoint, events: ChannelEvents): Promise<Channel> {
  const closing = new AbortController();
  const { signal } = closing;
  let version: string | undefined;
  let isOpen = true;
  let idle: ReturnType<typeof setTimeout> | undefined;
  const request = (url: string | URL, init: RequestInit): Promise<Response> =>
    sendRequest(endpoint, url, {
      ...init,
      headers: omitUndefined({
        "mcp-protocol-version": version,
        accept: init.body === undefined ? "text/event-stream" : undefined,
        "content-type": init.body === undefined ? undefined : "application/json",
      }),
      signal,
    });
  const end = (): void => {
    isOpen = false;
    clearTimeout(idle);
    closing.abort();
  };
  const fail = (error: Error): void => {
    if (!isOpen) return;
    end();
    events.onDead(error);
  };
  const response = await request(endpoint.url, {});
  await refuseRedirect(endpoint, response);
  if (!response.ok || !isMediaType(response, "text/event-stream"))
    throw httpError(endpoint, response, await readBody(endpoint, response));
  const address = await new Promise<URL>((resolve, reject) => {
    const onEvent = (event: StreamEvent): void => {
      const text = textOf(event, undefined);
      if (text !== undefined) events.onText(text);
      if (event.event !== "endpoint") return;
      const url = URL.canParse(event.data, endpoint.url) ? new URL(event.data, endpoint.url) : undefined;
      if (url?.origin === new URL(endpoint.url).origin) resolve(url);
      else reject(brokenError(endpoint));
    };
    void readEvents(response, onEvent, { limit: endpoint.readLimit })
      .catch(() => undefined)
      .then(() => {
        reject(brokenError(endpoint));
        fail(brokenError(endpoint));
      });
  }).catch((error: unknown) => {
    end();
    throw error;
  });
  return {
    async send(message) {
      const answer = await request(address, { method: "POST", body: JSON.stringify(message) });
      await refuseRedirect(endpoint, answer);
      if (answer.ok) {
        await answer.body?.cancel();
        return;
      }
      const body = await readBody(endpoint, answer);
      const id = getOwn(message, "id");
      if (hasError(endpoint, answer, { body, id, hasSession: false })) events.onText(body);
      else throw httpError(endpoint, answer, body, { isCall: isCall(message) });
    },
    setProtocolVersion(agreed) {
      version = agreed;
    },
    setBusy(isBusy) {
      clearTimeout(idle);
      if (isBusy) return;
      idle = setTimeout(() => {
        fail(brokenError(endpoint));
      }, IDLE_TIMEOUT);
    },
    close() {
      end();
      return Promise.resolve();
    },
  };
}

/** The parameter that the header `Mcp-Name` repeats, by method. */
const NAMED: { readonly [method: string]: string } = {
  "tools/call": "name",
  "prompts/get": "name",
  "resources/read": "uri",
  "tasks/get": "taskId",
  "tasks/update": "taskId",
  "tasks/cancel": "taskId",
};

/** The headers of a message; since revision 2026-07-28, they repeat parts of it ("Streamable HTTP", "Request Headers"). */
function headersOf(message: JsonObject): { readonly [name: string]: string } {
  const [method, params] = [getOwn(message, "method"), getOwn(message, "params")];
  const version = findOwn(findOwn(params, "_meta"), VERSION_META);
  const type = { "content-type": "application/json" };
  if (typeof version !== "string" || typeof method !== "string") return type;
  const name = findOwn(params, getOwn(NAMED, method) ?? "");
  return {
    ...type,
    "mcp-protocol-version": version,
    "mcp-method": method,
    ...(typeof name === "string" && { "mcp-name": encodeHeader(name) }),
  };
}

async function refuseRedirect(endpoint: HttpEndpoint, response: Response): Promise<void> {
  const { status, type, headers } = response;
  const isRedirect = type === "opaqueredirect" || (status >= 300 && status < 400);
  const isLogin = isLoginAddress(headers.get("location") ?? "");
  if (!isRedirect && !isLogin) return;
  await response.body?.cancel();
  throw isLogin ? loginError(endpoint, status) : redirectError(endpoint, status);
}

/**
 * Whether an answer with an error status carries the answer to our request: the WordPress adapter sends JSON-RPC errors
 * this way. Throws for a session that has ended.
 */
function hasError(
  endpoint: HttpEndpoint,
  { status }: Response,
  sent: { readonly body: string; readonly id: JsonValue | undefined; readonly hasSession: boolean },
): boolean {
  const message = tryParseJson(sent.body);
  const error = findOwn(message, "error");
  const text = findOwn(error, "message");
  const isAnswer = isJsonObject(error) && sent.id !== undefined && findOwn(message, "id") === sent.id;
  if (typeof text === "string" && /missing mcp-session-id/i.test(text)) throw sessionError(endpoint, status);
  // Status 404 means that the session has ended (specification, "Session Management"); some servers send 400. An answer with
  // the ID of our request may come from a tool with its own sessions: the session checks that.
  const mentionsSession = typeof text === "string" && /session/i.test(text);
  const isLost = status === 404 || (status < 500 && mentionsSession);
  if (sent.hasSession && isLost && !isAnswer) throw new SessionLostError(endpoint.label);
  return isAnswer && status !== 401 && status !== 403;
}

/** Whether a value is a JSON-RPC message beyond doubt, whatever content type it was sent with. */
function isRpcMessage(value: JsonValue | undefined): boolean {
  const messages = isJsonArray(value) ? value : [value];
  return messages.length > 0 && messages.every((one) => findOwn(one, "jsonrpc") === "2.0");
}

function hasAnswer(value: JsonValue | undefined, id: JsonValue | undefined): boolean {
  const messages = isJsonArray(value) ? value : [value];
  return messages.some((one) => isJsonObject(one) && answersRequest(one, id));
}

function isCall(message: JsonObject | undefined): boolean {
  return message !== undefined && getOwn(message, "method") === "tools/call";
}

/**
 * Returns the message in an event; undefined without one. MCP has no event "error", but some servers send their
 * JSON-RPC error in it, or only words.
 */
function textOf({ event, data }: StreamEvent, requestId: JsonValue | undefined): string | undefined {
  if (data === "" || (event !== "message" && event !== "error")) return undefined;
  if (event === "message" || isRpcMessage(tryParseJson(data))) return data;
  return requestId === undefined
    ? undefined
    : JSON.stringify({ jsonrpc: "2.0", id: requestId, error: { message: data } });
}

function isAnswer({ event, data }: StreamEvent): boolean {
  const message = event === "message" && data !== "" ? tryParseJson(data) : undefined;
  return isJsonObject(message) && !Object.hasOwn(message, "method");
}

function brokenError(endpoint: HttpEndpoint): McpCodegenError {
  const label = JSON.stringify(endpoint.label);
  return new McpCodegenError("SERVER_UNREACHABLE", `The connection to the server at ${label} broke.`, {
    hint: "Try again, and look at the server's log.",
  });
}

async function sleep(milliseconds: number, signal: AbortSignal): Promise<void> {
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, milliseconds);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve();
    });
  });
}

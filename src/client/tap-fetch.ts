import {
  findOwn,
  getOwn,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  tryParseJson,
} from "../core/json.js";
import { McpCodegenError } from "../core/errors.js";
import { READ_LIMIT } from "../core/limits.js";
import type { HttpEndpoint } from "./endpoint.js";
import { EventStreamReader, formatEvent, type StreamEvent } from "./streams.js";
import {
  cutOffError,
  httpError,
  loginError,
  networkError,
  sessionError,
  tooLongError,
} from "./http-errors.js";
import { answersRequest, doubtsSession, type HttpStatusError, visibleText } from "./server-errors.js";

type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

interface Tap {
  readonly endpoint: HttpEndpoint;
  /** The transport that sends the request. */
  readonly transport: "http" | "sse";
  readonly onText: (text: string, requestId?: JsonValue, status?: number) => void;
}

/** A message to the server, with its JSON-RPC request if it is one. */
interface Sent {
  readonly init: RequestInit;
  readonly request: JsonObject | undefined;
}

/**
 * Returns a `fetch` for the SDK's HTTP transports that passes each message to `onText` as the server wrote
 * it. The SDK receives the answers without their contents, which is enough to manage sessions and streams.
 * Its schemas would strip unknown keys and reject a whole message for one invalid value.
 *
 * It throws `McpCodegenError` for answers that are not MCP messages. It returns redirects to the SDK, which
 * follows them within one origin only.
 */
export function tapFetch(tap: Tap): Fetch {
  return async (url, init = {}) => {
    const isPost = init.method === "POST";
    if (!isPost && isIdleStream(tap, init)) return new Response(null, { status: 405 });
    const response = await sendRequest(tap.endpoint, url, init);
    if (/\bwp-login\.php\b/.test(response.headers.get("location") ?? "")) {
      throw loginError(tap.endpoint, response.status);
    }
    if (response.type === "opaqueredirect" || (response.status >= 300 && response.status < 400))
      return response;
    if (init.method === "DELETE") return response;
    const request = requestOf(init);
    if (!response.ok) return readError(tap, response, { init, request });
    if (mediaType(response) === "text/event-stream") return tapStream(tap, response, { init, request });
    if (tap.transport === "sse" && isPost) return response;
    const body = await readBody(tap.endpoint, response);
    const isJson = mediaType(response) === "application/json";
    const message = tryParseJson(body);
    const isMessage = isJson ? message !== undefined : isRpcMessage(message);
    if (isMessage && (request === undefined || hasAnswer(message, request)))
      tap.onText(body, request && getOwn(request, "id"));
    else if (request !== undefined || !isPost) {
      throw isJson && message === undefined && isCutOff(body)
        ? cutOffError(tap.endpoint)
        : errorOf(tap, response, body, { init, request });
    }
    return withoutBody(response, init);
  };
}

/**
 * Returns the answer with any status. A request whose token the server refuses is sent once more with another
 * token. Throws `SERVER_UNREACHABLE` without an answer, and the abort when the signal aborted.
 */
export async function sendRequest(
  endpoint: HttpEndpoint,
  url: string | URL,
  init: RequestInit,
): Promise<Response> {
  const { tokens } = endpoint;
  let token = await tokens?.token();
  for (let isRenewed = false; ; isRenewed = true) {
    const headers = new Headers(endpoint.headers);
    if (token !== undefined) headers.set("authorization", `Bearer ${token}`);
    for (const [name, value] of new Headers(init.headers)) headers.set(name, value);
    const response = await fetch(url, { ...init, headers }).catch((error: unknown) => {
      throw init.signal?.aborted === true ? error : networkError(endpoint, error);
    });
    if (isRenewed || tokens === undefined || ![401, 403].includes(response.status)) return response;
    const renewed = await tokens.renew(response, token);
    if (renewed === undefined || renewed === token) return response;
    await response.body?.cancel();
    token = renewed;
  }
}

/**
 * Whether a request is the SDK's `GET` for notifications, which would keep the process alive.
 * `NotificationStream` reads them instead. A request that resumes a broken stream is not idle.
 */
function isIdleStream(tap: Tap, init: RequestInit): boolean {
  return tap.transport === "http" && init.method === "GET" && !new Headers(init.headers).has("last-event-id");
}

/**
 * Reads an answer with an error status. It may carry the answer to a request: the WordPress adapter sends
 * JSON-RPC errors this way.
 */
async function readError(tap: Tap, response: Response, { init, request }: Sent): Promise<Response> {
  const body = await readBody(tap.endpoint, response);
  const message = tryParseJson(body);
  if (/missing mcp-session-id/i.test(visibleText(body))) throw sessionError(tap.endpoint, response.status);
  const isAnswer =
    isJsonObject(findOwn(message, "error")) &&
    request !== undefined &&
    findOwn(message, "id") === getOwn(request, "id");
  if (!isAnswer || response.status === 401 || response.status === 403) {
    throw errorOf(tap, response, body, { init, request });
  }
  tap.onText(body, getOwn(request, "id"), isInSession(tap, { init, request }) ? response.status : undefined);
  return withoutBody(response, init);
}

function errorOf(tap: Tap, response: Response, body: string, sent: Sent): HttpStatusError {
  const { endpoint } = tap;
  const isDoubtful = isInSession(tap, sent) && doubtsSession(response.status, visibleText(body));
  return httpError(endpoint, response, body, { request: sent.request, doubtsSession: isDoubtful });
}

/** Whether a request names a session: in a header, or over the older transport in its address. */
function isInSession({ transport }: Tap, { init, request }: Sent): boolean {
  if (request === undefined || getOwn(request, "method") === "initialize") return false;
  return transport === "sse" || new Headers(init.headers).has("mcp-session-id");
}

/** Whether an answer is a JSON-RPC message beyond doubt, whatever content type it was sent with. */
function isRpcMessage(message: JsonValue | undefined): boolean {
  const messages = Array.isArray(message) ? message : [message];
  return (
    messages.length > 0 &&
    messages.every((entry) => isJsonObject(entry) && getOwn(entry, "jsonrpc") === "2.0")
  );
}

function hasAnswer(message: JsonValue | undefined, request: JsonObject): boolean {
  const messages = Array.isArray(message) ? message : [message];
  return messages.some((entry) => isJsonObject(entry) && answersRequest(entry, getOwn(request, "id")));
}

function isCutOff(body: string): boolean {
  return /^\s*[[{]/.test(body);
}

function requestOf(init: RequestInit): JsonObject | undefined {
  const message = typeof init.body === "string" ? tryParseJson(init.body) : undefined;
  return isJsonObject(message) && Object.hasOwn(message, "method") && Object.hasOwn(message, "id")
    ? message
    : undefined;
}

/**
 * Returns an answer that the SDK reads as "accepted, answered elsewhere". Its headers still hold the session
 * ID.
 */
function withoutBody(response: Response, init: RequestInit): Response {
  return new Response(null, { status: 202, headers: headersOf(response, init) });
}

/**
 * Returns the headers for the SDK. The answer to a modern request has no session, and the probe of a legacy
 * server must not open one (specification 2026-07-28, "Streamable HTTP").
 */
function headersOf(response: Response, init: RequestInit): Headers {
  const headers = new Headers(response.headers);
  if (new Headers(init.headers).has("mcp-method")) headers.delete("mcp-session-id");
  return headers;
}

function tapStream(tap: Tap, response: Response, { init, request }: Sent): Response {
  if (response.body === null) throw httpError(tap.endpoint, response, "");
  const stream: ReadableStream<Uint8Array<ArrayBuffer>> = response.body;
  const reader = stream.getReader();
  const decoder = new TextDecoder();
  const encoder = new TextEncoder();
  const requestId = request && getOwn(request, "id");
  let pending: string[] = [];
  const events = new EventStreamReader((event) => {
    const text = textOf(event, requestId);
    if (text !== undefined) tap.onText(text, requestId);
    pending.push(formatEvent(withoutContents(event)));
  }, tap.endpoint.readLimit);
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      // A chunk may not complete an event, and `pull` must enqueue something.
      while (pending.length === 0) {
        const { done, value } = await reader.read();
        if (done) {
          controller.close();
          return;
        }
        events.push(decoder.decode(value, { stream: true }));
      }
      controller.enqueue(encoder.encode(pending.join("")));
      pending = [];
    },
    cancel: (reason) => reader.cancel(reason),
  });
  return new Response(body, { status: response.status, headers: headersOf(response, init) });
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

/** Returns an event with only what the SDK needs to manage its streams: whether it is an answer. */
function withoutContents(event: StreamEvent): StreamEvent {
  if (event.event !== "message" || event.data === "") return event;
  const skeleton = isAnswer(event)
    ? { jsonrpc: "2.0", id: 0, result: {} }
    : { jsonrpc: "2.0", method: "notifications/message" };
  return { ...event, data: JSON.stringify(skeleton) };
}

/**
 * Returns the text of an answer. Throws `SERVER_UNREACHABLE` for an incomplete answer, and `PROTOCOL_INVALID`
 * for one that is too long.
 */
export async function readBody(endpoint: HttpEndpoint, response: Response): Promise<string> {
  if (response.body === null) return "";
  const decoder = new TextDecoder();
  const pieces: string[] = [];
  let length = 0;
  try {
    const stream: ReadableStream<Uint8Array<ArrayBuffer>> = response.body;
    for await (const bytes of stream) {
      const piece = decoder.decode(bytes, { stream: true });
      length += piece.length;
      if (length > (endpoint.readLimit ?? READ_LIMIT)) throw tooLongError(endpoint);
      pieces.push(piece);
    }
  } catch (error) {
    throw error instanceof McpCodegenError ? error : networkError(endpoint, error);
  }
  return pieces.join("");
}

function mediaType(response: Response): string {
  return (response.headers.get("content-type") ?? "").split(";", 1)[0]?.trim().toLowerCase() ?? "";
}

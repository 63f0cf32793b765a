import { getOwn, isJsonObject, type JsonObject } from "../contract/json.js";
import { McpCodegenError } from "../contract/errors.js";
import { READ_LIMIT } from "../contract/limits.js";
import type { HttpEndpoint } from "./endpoint.js";
import { EventStreamReader, formatEvent, type StreamEvent } from "./event-stream.js";
import {
  cutOffError,
  httpError,
  loginError,
  networkError,
  sessionError,
  tooLongError,
} from "./http-errors.js";
import { parseJson } from "./parse-json.js";
import { SessionLostError } from "./server-errors.js";

type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

export interface Tap {
  readonly endpoint: HttpEndpoint;
  /** Which of the two HTTP transports asks. */
  readonly transport: "http" | "sse";
  readonly onText: (text: string) => void;
}

/**
 * A `fetch` for the SDK's HTTP transports that hands every message over as the server wrote it. The SDK sees answers
 * without their contents: enough to keep its sessions and streams, and nothing of ours goes through its schemas, which
 * strip unknown keys and refuse a whole message for one odd value.
 *
 * It throws `McpCodegenError` for answers that are no MCP messages. Redirects are left to the SDK, which follows them
 * within one origin only.
 */
export function tapFetch(tap: Tap): Fetch {
  return async (url, init = {}) => {
    const isPost = init.method === "POST";
    if (!isPost && isIdleStream(tap, init)) return new Response(null, { status: 405 });
    const response = await ask(tap.endpoint, url, init);
    if (/\bwp-login\.php\b/.test(response.headers.get("location") ?? "")) {
      throw loginError(tap.endpoint, response.status);
    }
    if (response.type === "opaqueredirect" || (response.status >= 300 && response.status < 400))
      return response;
    if (init.method === "DELETE") return response;
    if (!response.ok) return readError(tap, response, init);
    if (mediaType(response) === "text/event-stream") return tapStream(tap, response);
    if (tap.transport === "sse" && isPost) return response;
    const body = await readBody(tap.endpoint, response);
    const isJson = mediaType(response) === "application/json";
    if (isJson && parseJson(body) !== undefined) tap.onText(body);
    else if (requestOf(init) !== undefined || !isPost) {
      throw isJson && isCutOff(body)
        ? cutOffError(tap.endpoint)
        : httpError(tap.endpoint, response, body, { isCall: isCall(init) });
    }
    return withoutBody(response);
  };
}

/** An answer, whatever its status. Throws `SERVER_UNREACHABLE` when there is none; the abort when that was it. */
export async function ask(endpoint: HttpEndpoint, url: string | URL, init: RequestInit): Promise<Response> {
  const headers = new Headers(endpoint.headers);
  for (const [name, value] of new Headers(init.headers)) headers.set(name, value);
  try {
    return await fetch(url, { ...init, headers });
  } catch (error) {
    if (init.signal?.aborted === true) throw error;
    throw networkError(endpoint, error);
  }
}

/**
 * A `GET` of the SDK that waits for messages that the server sends unasked. It would keep the process alive; where they are
 * wanted, `NotificationStream` reads them. One that resumes a broken stream is let through.
 */
function isIdleStream(tap: Tap, init: RequestInit): boolean {
  return tap.transport === "http" && init.method === "GET" && !new Headers(init.headers).has("last-event-id");
}

/** An error status may still carry the answer to a request: the WordPress adapter sends JSON-RPC errors so. */
async function readError(tap: Tap, response: Response, init: RequestInit): Promise<Response> {
  const body = await readBody(tap.endpoint, response);
  const message = parseJson(body);
  const error = isJsonObject(message) ? getOwn(message, "error") : undefined;
  const words = isJsonObject(error) ? getOwn(error, "message") : undefined;
  const request = requestOf(init);
  const isAnswer =
    isJsonObject(error) &&
    isJsonObject(message) &&
    request !== undefined &&
    getOwn(message, "id") === getOwn(request, "id");
  const blamesSession = typeof words === "string" && /session/i.test(words);
  if (new Headers(init.headers).has("mcp-session-id")) {
    // Specification, "Session Management": 404 says that the session has ended. Some servers say 400. What answers our
    // request by its id may be the tool speaking of sessions of its own, and is for the session to judge.
    const isLost = response.status === 404 || (response.status < 500 && blamesSession);
    if (isLost && !isAnswer) throw new SessionLostError(tap.endpoint.label);
  } else if (typeof words === "string" && /missing mcp-session-id/i.test(words)) {
    throw sessionError(tap.endpoint, response.status);
  }
  if (!isAnswer || response.status === 401 || response.status === 403) {
    throw httpError(tap.endpoint, response, body, { isCall: isCall(init) });
  }
  tap.onText(body);
  return withoutBody(response);
}

/** Whether a text that is no JSON begins as a message does. */
function isCutOff(body: string): boolean {
  return /^\s*[[{]/.test(body);
}

/** The JSON-RPC request in the body; undefined for a notification or an answer. */
function requestOf(init: RequestInit): JsonObject | undefined {
  const message = typeof init.body === "string" ? parseJson(init.body) : undefined;
  return isJsonObject(message) && Object.hasOwn(message, "method") && Object.hasOwn(message, "id")
    ? message
    : undefined;
}

function isCall(init: RequestInit): boolean {
  const request = requestOf(init);
  return request !== undefined && getOwn(request, "method") === "tools/call";
}

/** To the SDK the message was accepted and is answered elsewhere; its headers still name the session. */
function withoutBody(response: Response): Response {
  return new Response(null, { status: 202, headers: response.headers });
}

function tapStream(tap: Tap, response: Response): Response {
  if (response.body === null) throw httpError(tap.endpoint, response, "");
  const stream: ReadableStream<Uint8Array<ArrayBuffer>> = response.body;
  const reader = stream.getReader();
  const decoder = new TextDecoder();
  const encoder = new TextEncoder();
  let pending: string[] = [];
  const events = new EventStreamReader((event) => {
    if (event.event === "message" && event.data !== "") tap.onText(event.data);
    pending.push(formatEvent(withoutContents(event)));
  }, tap.endpoint.readLimit);
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      // A chunk may end no event, and an answer to `pull` must move something.
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
  return new Response(body, { status: response.status, headers: response.headers });
}

/** What the SDK must know of a message to keep its streams: whether it is an answer. */
function withoutContents(event: StreamEvent): StreamEvent {
  if (event.event !== "message" || event.data === "") return event;
  const message = parseJson(event.data);
  const isAnswer = isJsonObject(message) && !Object.hasOwn(message, "method");
  const skeleton = isAnswer
    ? { jsonrpc: "2.0", id: 0, result: {} }
    : { jsonrpc: "2.0", method: "notifications/message" };
  return { ...event, data: JSON.stringify(skeleton) };
}

/** An answer's text; throws `SERVER_UNREACHABLE` when it breaks off, `PROTOCOL_INVALID` when it is too long. */
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

import {
  type JSONRPCMessage,
  SSEClientTransport,
  StreamableHTTPClientTransport,
} from "@modelcontextprotocol/client";
import { omitUndefined } from "../core/collections.js";
import { McpCodegenError } from "../core/errors.js";
import { findText, type JsonObject } from "../core/json.js";
import type { Channel, ChannelEvents, SendOptions } from "./session.js";
import type { HttpEndpoint } from "./endpoint.js";
import { redirectError } from "./http-errors.js";
import { HttpStatusError, UnsentError } from "./server-errors.js";
import { NotificationStream } from "./streams.js";
import { sendRequest, tapFetch } from "./tap-fetch.js";

const TERMINATE_TIMEOUT = 2_000;
const IDLE_TIMEOUT = 1_000;

/** Opens Streamable HTTP (specification 2025-03-26 and later). Nothing is sent before the first message. */
export async function openHttp(endpoint: HttpEndpoint, events: ChannelEvents): Promise<Channel> {
  const transport = new StreamableHTTPClientTransport(new URL(endpoint.url), {
    fetch: tapFetch({ endpoint, transport: "http", onText: events.onText }),
  });
  // A failed send rejects, and a broken stream calls onRequestStreamEnd.
  transport.onerror = () => undefined;
  await transport.start();
  let protocolVersion = "";
  let subscription: JsonObject | undefined;
  const stream = new NotificationStream((signal) => {
    const { sessionId } = transport;
    const method = findText(subscription, "method");
    const headers = {
      accept: subscription === undefined ? "text/event-stream" : "application/json, text/event-stream",
      ...omitUndefined({
        "mcp-session-id": sessionId,
        "mcp-protocol-version": protocolVersion || undefined,
        "mcp-method": method,
        "content-type": method && "application/json",
      }),
    };
    return sendRequest(endpoint, endpoint.url, {
      method: subscription === undefined ? "GET" : "POST",
      body: subscription === undefined ? null : JSON.stringify(subscription),
      headers,
      signal,
      // A redirect could send our credentials to another origin.
      redirect: "error",
    });
  }, events.onText);
  return {
    listen(request, events) {
      subscription = request;
      stream.listen(events);
    },
    setBusy(isBusy) {
      stream.setBusy(isBusy);
    },
    async send(message, options: SendOptions = {}) {
      const { signal, onEnd } = options;
      await transport
        .send(toSdkMessage(message), omitUndefined({ requestSignal: signal, onRequestStreamEnd: onEnd }))
        .catch((error: unknown) => {
          throw toConnectionError(endpoint, error);
        });
    },
    setProtocolVersion(version) {
      protocolVersion = version;
      transport.setProtocolVersion(version);
    },
    async close() {
      stream.close();
      let timer: ReturnType<typeof setTimeout> | undefined;
      const timeout = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, TERMINATE_TIMEOUT);
      });
      // An error has no effect: the server forgot the session, or forbids to end it.
      await Promise.race([transport.terminateSession().catch(() => undefined), timeout]);
      clearTimeout(timer);
      await transport.close();
    },
  };
}

/**
 * Opens HTTP with server-sent events (specification 2024-11-05). Its stream is one long answer that would
 * keep the process alive, so a channel is closed when it has been idle for a second. The next call opens
 * another.
 */
export async function openSse(endpoint: HttpEndpoint, events: ChannelEvents): Promise<Channel> {
  /** Why the stream failed. */
  let failure: unknown;
  const tap = tapFetch({ endpoint, transport: "sse", onText: events.onText });
  // Deprecated in the protocol, but some servers support only this.
  // oxlint-disable-next-line typescript/no-deprecated -- see above
  const transport = new SSEClientTransport(new URL(endpoint.url), {
    fetch: async (url, init) => {
      try {
        return await tap(url, init);
      } catch (error) {
        if (init?.method !== "POST") failure = error;
        throw error;
      }
    },
  });
  let isOpen = false;
  let idle: ReturnType<typeof setTimeout> | undefined;
  const fail = (error: Error): void => {
    if (!isOpen) return;
    isOpen = false;
    clearTimeout(idle);
    events.onDead(error);
    void transport.close();
  };
  transport.onerror = (error) => {
    // The answer to a message says nothing about the stream, which may carry the answers to others.
    if (error instanceof HttpStatusError) return;
    fail(withoutUnsent(toConnectionError(endpoint, failure ?? error)));
  };
  try {
    await transport.start();
  } catch (error) {
    // Otherwise the transport retries.
    await transport.close();
    throw toConnectionError(endpoint, failure ?? error);
  }
  isOpen = true;
  return {
    async send(message) {
      await transport.send(toSdkMessage(message)).catch((error: unknown) => {
        throw toConnectionError(endpoint, error);
      });
    },
    setProtocolVersion(version) {
      transport.setProtocolVersion(version);
    },
    setBusy(isBusy) {
      clearTimeout(idle);
      if (isBusy) return;
      idle = setTimeout(() => {
        fail(brokenError(endpoint));
      }, IDLE_TIMEOUT);
    },
    async close() {
      isOpen = false;
      clearTimeout(idle);
      await transport.close();
    },
  };
}

/** The SDK only serializes the message. The server validates it. */
function toSdkMessage(message: JsonObject): JSONRPCMessage {
  return message as JSONRPCMessage;
}

/** Returns an error for all requests in flight: only one of them is known to be unsent. */
function withoutUnsent(error: Error): Error {
  if (!(error instanceof UnsentError)) return error;
  const { code, message, hint } = error;
  return new McpCodegenError(code, message, { hint });
}

function toConnectionError(endpoint: HttpEndpoint, error: unknown): Error {
  if (error instanceof McpCodegenError) return error;
  const status = statusOf(error);
  if (status !== undefined && (status === 0 || (status >= 300 && status < 400)))
    return redirectError(endpoint, status);
  return brokenError(endpoint);
}

function brokenError(endpoint: HttpEndpoint): McpCodegenError {
  const label = JSON.stringify(endpoint.label);
  return new McpCodegenError("SERVER_UNREACHABLE", `The connection to the server at ${label} broke.`, {
    hint: "Try again, and look at the server's log.",
  });
}

function statusOf(error: unknown): number | undefined {
  if (typeof error !== "object" || error === null) return undefined;
  if ("status" in error && typeof error.status === "number") return error.status;
  if ("code" in error && typeof error.code === "number") return error.code;
  return undefined;
}

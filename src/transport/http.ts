import {
  type JSONRPCMessage,
  SSEClientTransport,
  StreamableHTTPClientTransport,
} from "@modelcontextprotocol/client";
import { McpCodegenError } from "../contract/errors.js";
import type { JsonObject } from "../contract/json.js";
import type { Channel, ChannelEvents, SendOptions } from "./channel.js";
import type { HttpEndpoint } from "./endpoint.js";
import { redirectError } from "./http-errors.js";
import { UnsentError } from "./server-errors.js";
import { NotificationStream } from "./notification-stream.js";
import { ask, tapFetch } from "./tap-fetch.js";

/** How long a server may take to be told that a session is over. */
const PATIENCE = 2_000;
/** How long a legacy stream stays open without a request in flight. */
const IDLE = 1_000;

/** Streamable HTTP (specification 2025-03-26 and later). Nothing is sent before the first message. */
export async function openHttp(endpoint: HttpEndpoint, events: ChannelEvents): Promise<Channel> {
  const transport = new StreamableHTTPClientTransport(new URL(endpoint.url), {
    fetch: tapFetch({ endpoint, transport: "http", onText: events.onText }),
  });
  // A send that fails rejects, and a stream that breaks ends in onRequestStreamEnd.
  transport.onerror = () => undefined;
  await transport.start();
  let protocolVersion = "";
  const stream = new NotificationStream((signal) => {
    const { sessionId } = transport;
    const headers = {
      accept: "text/event-stream",
      ...(sessionId !== undefined && { "mcp-session-id": sessionId }),
      ...(protocolVersion !== "" && { "mcp-protocol-version": protocolVersion }),
    };
    // A redirect could lead our credentials to another origin.
    return ask(endpoint, endpoint.url, { headers, signal, redirect: "error" });
  }, events.onText);
  return {
    listen() {
      stream.listen();
    },
    setBusy(isBusy) {
      stream.setBusy(isBusy);
    },
    async send(message, options: SendOptions = {}) {
      const { signal, onEnd } = options;
      await transport
        .send(toSdkMessage(message), {
          ...(signal && { requestSignal: signal }),
          ...(onEnd && { onRequestStreamEnd: onEnd }),
        })
        .catch((error: unknown) => {
          throw toHumanError(endpoint, error);
        });
    },
    setProtocolVersion(version) {
      protocolVersion = version;
      transport.setProtocolVersion(version);
    },
    async close() {
      stream.close();
      let timer: ReturnType<typeof setTimeout> | undefined;
      const impatience = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, PATIENCE);
      });
      // A server that forgot the session, or forbids this, loses nothing.
      await Promise.race([transport.terminateSession().catch(() => undefined), impatience]);
      clearTimeout(timer);
      await transport.close();
    },
  };
}

/**
 * HTTP with server-sent events (specification 2024-11-05). The stream is one long answer, and would keep the process
 * alive; so a channel that has been idle for a second dies, and the next call opens another.
 */
export async function openSse(endpoint: HttpEndpoint, events: ChannelEvents): Promise<Channel> {
  let failure: unknown;
  const tap = tapFetch({ endpoint, transport: "sse", onText: events.onText });
  // Deprecated in the protocol, and still what some servers speak.
  // eslint-disable-next-line @typescript-eslint/no-deprecated -- see above
  const transport = new SSEClientTransport(new URL(endpoint.url), {
    fetch: async (url, init) => {
      try {
        return await tap(url, init);
      } catch (error) {
        failure = error;
        throw error;
      }
    },
  });
  let isOpen = false;
  let idle: ReturnType<typeof setTimeout> | undefined;
  const die = (error: Error): void => {
    if (!isOpen) return;
    isOpen = false;
    clearTimeout(idle);
    events.onDead(error);
    void transport.close();
  };
  transport.onerror = (error) => {
    die(asFailureOfAll(toHumanError(endpoint, failure ?? error)));
  };
  try {
    await transport.start();
  } catch (error) {
    // Otherwise it goes on trying.
    await transport.close();
    throw toHumanError(endpoint, failure ?? error);
  }
  isOpen = true;
  return {
    async send(message) {
      await transport.send(toSdkMessage(message)).catch((error: unknown) => {
        throw toHumanError(endpoint, error);
      });
    },
    setProtocolVersion(version) {
      transport.setProtocolVersion(version);
    },
    setBusy(isBusy) {
      clearTimeout(idle);
      if (isBusy) return;
      idle = setTimeout(() => {
        die(brokenError(endpoint));
      }, IDLE);
    },
    async close() {
      isOpen = false;
      clearTimeout(idle);
      await transport.close();
    },
  };
}

/** The SDK only writes the message; what it holds is for the server to judge. */
function toSdkMessage(message: JsonObject): JSONRPCMessage {
  return message as JSONRPCMessage;
}

/** One request may not have been sent; of the others in flight that does not hold. */
function asFailureOfAll(error: Error): Error {
  if (!(error instanceof UnsentError)) return error;
  const { code, message, hint } = error;
  return new McpCodegenError(code, message, hint === undefined ? {} : { hint });
}

function toHumanError(endpoint: HttpEndpoint, error: unknown): Error {
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

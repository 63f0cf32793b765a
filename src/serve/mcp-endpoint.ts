import {
  createMcpHandler,
  isLegacyRequest,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server";
import type { Servable, ServeOptions } from "./offer.js";
import { offerServers } from "./offer-servers.js";
import { newSessionId } from "./random.js";

/** Bytes of one request. */
export const MOST_BYTES: number = 4 * 1024 * 1024;
/** The maximum number of sessions. Clients may not close theirs, so the least recently used one is closed first. */
const MOST_SESSIONS = 1_000;

/** Handles requests of streamable HTTP that passed access control. */
export interface McpEndpoint {
  readonly fetch: (request: Request) => Promise<Response>;
  close(): Promise<void>;
}

/** Serves clients of every revision: those of 2026-07-28 request by request, older ones in sessions. */
export function createMcpEndpoint(source: Servable, options: ServeOptions): McpEndpoint {
  const servers = offerServers(source, options);
  const { onError } = options;
  const modern = createMcpHandler(servers.create, {
    legacy: "reject",
    maxRequestBodySize: MOST_BYTES,
    ...(onError !== undefined && { onerror: onError }),
  });
  const stopListening = servers.listen(() => {
    modern.notify.toolsChanged();
  });
  /** In the order in which they were used. */
  const sessions = new Map<string, WebStandardStreamableHTTPServerTransport>();

  const openSession = async (request: Request): Promise<Response> => {
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: newSessionId,
      maxRequestBodySize: MOST_BYTES,
      onsessioninitialized: (id) => {
        sessions.set(id, transport);
        const [oldest] = sessions;
        if (sessions.size > MOST_SESSIONS && oldest !== undefined) {
          sessions.delete(oldest[0]);
          void oldest[1].close();
        }
      },
      onsessionclosed: (id) => {
        sessions.delete(id);
      },
    });
    await servers.createConnected().connect(transport);
    const response = await transport.handleRequest(request);
    if (transport.sessionId === undefined) void transport.close();
    return response;
  };

  const serveInSession = async (request: Request): Promise<Response> => {
    const id = request.headers.get("mcp-session-id");
    if (id === null) {
      if (request.method === "POST") return openSession(request);
      return refuse(400, "A session is begun by POST.");
    }
    const transport = sessions.get(id);
    // A client that reads 404 begins a new session (specification 2025-11-25, "Session Management").
    if (transport === undefined) return refuse(404, "There is no such session.");
    sessions.delete(id);
    sessions.set(id, transport);
    return transport.handleRequest(request);
  };

  return {
    fetch: async (request) =>
      (await isLegacyRequest(request, undefined, { maxRequestBodySize: MOST_BYTES }))
        ? serveInSession(request)
        : modern.fetch(request),
    close: async () => {
      stopListening();
      const open = [...sessions.values()];
      sessions.clear();
      await Promise.all([modern.close(), ...open.map((transport) => transport.close())]);
    },
  };
}

function refuse(status: number, message: string): Response {
  return Response.json({ jsonrpc: "2.0", error: { code: -32000, message }, id: null }, { status });
}

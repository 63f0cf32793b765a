import {
  createMcpHandler,
  isLegacyRequest,
  WebStandardStreamableHTTPServerTransport,
  validateHostHeader,
  validateOriginHeader,
} from "@modelcontextprotocol/server";
import { type HttpAccess, reporterOf, type Servable, type ServeOptions } from "./offer.js";
import { offerServers } from "./offer-servers.js";
import { newSessionId } from "./ask-client.js";
import { isSameSecret } from "./discovery-handler.js";

/** Bytes of one request. */
export const MOST_BYTES: number = 4 * 1024 * 1024;
/** The maximum number of sessions. Clients may not close theirs, so the least recently used one is closed first. */
const MOST_SESSIONS = 1_000;

/** Serves clients of every revision, after access control: without sessions since 2026-07-28, with sessions before. */
export function createMcpEndpoint(source: Servable, options: ServeOptions) {
  const onError = reporterOf(options);
  const servers = offerServers(source, { ...options, onError });
  const modern = createMcpHandler(servers.create, {
    legacy: "reject",
    maxRequestBodySize: MOST_BYTES,
    onerror: onError,
  });
  const stopListening = servers.listen(() => {
    modern.notify.toolsChanged();
  });
  /** In order of use. */
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
      return refuseSession(400, "A session is begun by POST.");
    }
    const transport = sessions.get(id);
    // After status 404, a client begins a new session (specification 2025-11-25, "Session Management").
    if (transport === undefined) return refuseSession(404, "There is no such session.");
    sessions.delete(id);
    sessions.set(id, transport);
    return transport.handleRequest(request);
  };

  return {
    fetch: async (request: Request): Promise<Response> =>
      (await isLegacyRequest(request, undefined, { maxRequestBodySize: MOST_BYTES }))
        ? serveInSession(request)
        : modern.fetch(request),
    close: async (): Promise<void> => {
      stopListening();
      const open = [...sessions.values()];
      sessions.clear();
      await Promise.all([modern.close(), ...open.map((transport) => transport.close())]);
    },
  };
}

function refuseSession(status: number, message: string): Response {
  return Response.json(errorOf(message), { status });
}

function errorOf(message: string): object {
  return { jsonrpc: "2.0", error: { code: -32000, message }, id: null };
}

interface HttpRefusal {
  readonly status: 401 | 403;
  readonly headers: { readonly [name: string]: string };
  readonly body: string;
}

export const LOOPBACK: readonly string[] = ["localhost", "127.0.0.1", "[::1]"];

/** Checks a request by its headers, before its body is read. Returns undefined if access is allowed. */
export async function findRefusal(
  header: (name: string) => string | null | undefined,
  { token, hosts = LOOPBACK }: HttpAccess,
): Promise<HttpRefusal | undefined> {
  const names = [...hosts];
  const host = validateHostHeader(header("host"), names);
  if (!host.ok) return refuse(403, "This server is not reached by that name.");
  const origin = validateOriginHeader(header("origin"), names);
  if (!origin.ok) return refuse(403, "This server is not for pages of that origin.");
  if (token === false) return undefined;
  const credentials = /^bearer +(.*)$/is.exec(
    (header("authorization") ?? "").slice(0, MOST_CREDENTIALS),
  )?.[1];
  if (credentials !== undefined && (await isSameSecret(credentials, token))) return undefined;
  const error = credentials === undefined ? "" : ', error="invalid_token"';
  return refuse(401, "The bearer token is missing or wrong.", {
    "www-authenticate": `Bearer realm="mcp-codegen"${error}`,
  });
}

const MOST_CREDENTIALS = 10_000;

function refuse(status: 401 | 403, message: string, headers: HttpRefusal["headers"] = {}): HttpRefusal {
  return {
    status,
    headers: { "content-type": "application/json", "cache-control": "no-store", ...headers },
    body: JSON.stringify(errorOf(message)),
  };
}

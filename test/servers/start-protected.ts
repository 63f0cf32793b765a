import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { Provider, type Configuration } from "oidc-provider";
import { onTestFinished } from "vitest";
import { silenceConsole } from "./silence-console.js";

export interface ProtectedOptions {
  /** Seconds until access tokens expire. Default: 3600. */
  readonly tokenTtl?: number;
  /** Overrides the authorization server. */
  readonly configuration?: Configuration;
  /** Replaces metadata of the authorization server. */
  readonly metadata?: (metadata: Record<string, unknown>) => Record<string, unknown>;
}

/** An MCP server behind an authorization server, both on loopback. Members may be changed while it runs. */
export interface ProtectedServer {
  readonly url: string;
  readonly issuer: string;
  readonly provider: Provider;
  /** The scopes that `tools/list` needs, and the challenge names. */
  scopes: string[];
  /** The scopes that `tools/call` needs. */
  callScopes: string[];
  /** The issuer that the server's metadata names. */
  namedIssuer: string;
  /** Whether every token is refused. */
  refusesAll: boolean;
  /** Where the server repeats the token that it received: in an HTTP error, in a JSON-RPC error, or in the list of its tools. */
  echoes: "http" | "rpc" | "list" | undefined;
  /** Whether the user allows access. */
  allows: boolean;
  /** Awaited before a token request is answered. */
  beforeToken: () => Promise<unknown>;
  /** The form of each request to the token endpoint. */
  readonly tokenRequests: URLSearchParams[];
  /** The `client_id` of each login. */
  readonly clients: string[];
  /** The tokens that the server received. */
  readonly received: string[];
  requests: number;
}

const TOOL = {
  name: "list_orders",
  description: "Lists orders.",
  annotations: { readOnlyHint: true },
  inputSchema: { type: "object", properties: {} },
};

/** Starts both servers until the test ends. */
export async function startProtected(options: ProtectedOptions = {}): Promise<ProtectedServer> {
  silenceConsole(/oidc-provider/);
  const server = createServer();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const resource = `${base}/mcp`;
  const provider = new Provider(base, {
    clients: [
      {
        client_id: "robot",
        client_secret: "robot-secret-marker",
        grant_types: ["client_credentials"],
        redirect_uris: [],
        response_types: [],
      },
      {
        client_id: "known",
        application_type: "native",
        token_endpoint_auth_method: "none",
        redirect_uris: ["http://127.0.0.1/callback"],
        grant_types: ["authorization_code", "refresh_token"],
      },
    ],
    scopes: ["openid", "offline_access", "tools:read", "tools:write"],
    features: {
      devInteractions: { enabled: false },
      registration: { enabled: true },
      revocation: { enabled: true },
      clientCredentials: { enabled: true },
      clientIdMetadataDocument: { enabled: true, ack: "draft-02" },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => resource,
        useGrantedResource: () => true,
        getResourceServerInfo: () => ({
          scope: "tools:read tools:write",
          audience: resource,
          accessTokenTTL: options.tokenTtl ?? 3600,
          accessTokenFormat: "opaque",
        }),
      },
    },
    pkce: { required: () => true },
    issueRefreshToken: () => true,
    rotateRefreshToken: true,
    findAccount: (_context, id) => ({ accountId: id, claims: () => ({ sub: id }) }),
    interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
    cookies: { keys: ["test"] },
    ...options.configuration,
  });
  provider.on("server_error", (_context, error) => {
    process.stderr.write(`${String(error.stack)}\n`);
  });
  const state: ProtectedServer = {
    url: resource,
    issuer: base,
    provider,
    scopes: ["tools:read"],
    callScopes: ["tools:read"],
    namedIssuer: base,
    refusesAll: false,
    echoes: undefined,
    allows: true,
    beforeToken: () => Promise.resolve(),
    tokenRequests: [],
    clients: [],
    received: [],
    requests: 0,
  };
  const handle = provider.callback();
  server.on("request", (request, response) => {
    void route(request, response).catch((error: unknown) => {
      response.writeHead(500).end(String(error));
    });
  });

  async function route(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? "/", base);
    if (pathname === "/mcp") return serveMcp(request, response);
    if (pathname === "/.well-known/oauth-protected-resource/mcp") {
      {
        sendJson(response, 200, {
          resource,
          authorization_servers: [state.namedIssuer],
          scopes_supported: ["tools:read", "tools:write"],
        });
        return;
      }
    }
    if (pathname.startsWith("/.well-known/") && options.metadata !== undefined) {
      const own = await fetch(`${base}/real${pathname}`);
      sendJson(response, own.status, options.metadata((await own.json()) as Record<string, unknown>));
      return;
    }
    if (pathname.startsWith("/real/")) request.url = pathname.slice("/real".length);
    if (pathname.startsWith("/interaction/")) return interact(request, response);
    if (pathname === "/auth") state.clients.push(searchParams.get("client_id") ?? "");
    if (pathname === "/token") {
      const body = await readText(request);
      state.tokenRequests.push(new URLSearchParams(body));
      await state.beforeToken();
      // A body that was read already is what koa's parser would have made.
      Object.assign(request, { body });
    }
    await handle(request, response);
  }

  async function interact(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { prompt, params, session } = await provider.interactionDetails(request, response);
    if (!state.allows) {
      await provider.interactionFinished(request, response, {
        error: "access_denied",
        error_description: "no",
      });
      return;
    }
    if (prompt.name === "login") {
      await provider.interactionFinished(request, response, { login: { accountId: "ada" } });
      return;
    }
    const scope = typeof params["scope"] === "string" ? params["scope"] : "";
    const grant = new provider.Grant({
      ...(session?.accountId !== undefined && { accountId: session.accountId }),
      clientId: String(params["client_id"]),
    });
    grant.addOIDCScope(`openid offline_access ${scope}`);
    grant.addResourceScope(resource, scope);
    await provider.interactionFinished(
      request,
      response,
      { consent: { grantId: await grant.save() } },
      { mergeWithLastSubmission: true },
    );
  }

  async function serveMcp(request: IncomingMessage, response: ServerResponse): Promise<void> {
    state.requests += 1;
    const token = /^Bearer (.+)$/.exec(request.headers.authorization ?? "")?.[1];
    const message = request.method === "POST" ? (JSON.parse(await readText(request)) as Message) : {};
    const needed = message.method === "tools/call" ? state.callScopes : state.scopes;
    const challenge = (error: string): string =>
      `Bearer ${error}resource_metadata="${base}/.well-known/oauth-protected-resource/mcp", scope="${needed.join(" ")}"`;
    const granted = token === undefined || state.refusesAll ? undefined : await findScopes(token);
    if (token !== undefined) state.received.push(token);
    if (state.echoes === "http") {
      sendJson(response, 500, { error: `The token ${String(token)} is odd.` });
      return;
    }
    if (granted === undefined) {
      response.setHeader("www-authenticate", challenge(token === undefined ? "" : 'error="invalid_token", '));
      sendJson(response, 401, { error: "invalid_token" });
      return;
    }
    if (needed.some((scope) => !granted.includes(scope)) && message.method?.startsWith("tools/") === true) {
      response.setHeader("www-authenticate", challenge('error="insufficient_scope", '));
      sendJson(response, 403, { error: "insufficient_scope" });
      return;
    }
    if (message.id === undefined) {
      sendJson(response, request.method === "POST" ? 202 : 405, {});
      return;
    }
    {
      sendJson(response, 200, {
        jsonrpc: "2.0",
        id: message.id,
        ...(state.echoes === "rpc" && message.method?.startsWith("tools/") === true
          ? { error: { code: -32000, message: `The token ${String(token)} is odd.` } }
          : answer(message.method, state.echoes === "list" ? ` With ${String(token)}.` : "")),
      });
      return;
    }
  }

  async function findScopes(token: string): Promise<readonly string[] | undefined> {
    const found = (await provider.AccessToken.find(token)) ?? (await provider.ClientCredentials.find(token));
    if (found === undefined || found.isExpired) return undefined;
    return [found.aud].flat().includes(resource) ? (found.scope ?? "").split(" ") : undefined;
  }
  return state;
}

interface Message {
  readonly id?: unknown;
  readonly method?: string;
}

function answer(method: string | undefined, echo: string): object {
  switch (method ?? "") {
    case "initialize":
      return {
        result: {
          protocolVersion: "2025-11-25",
          capabilities: { tools: {} },
          serverInfo: { name: "protected", version: "1.0.0" },
        },
      };
    case "tools/list":
      return { result: { tools: [{ ...TOOL, description: `${TOOL.description}${echo}` }] } };
    case "tools/call":
      return { result: { content: [{ type: "text", text: "No orders." }] } };
    default:
      return { error: { code: -32601, message: "Method not found" } };
  }
}

function sendJson(response: ServerResponse, status: number, value: object): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(status === 202 || status === 405 ? undefined : JSON.stringify(value));
}

async function readText(request: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece as Buffer);
  return Buffer.concat(pieces).toString();
}

/** Follows a login page as a browser would, and returns the redirect to the loopback address without following it. */
export async function browse(page: string): Promise<URL> {
  const cookies = new Map<string, string>();
  let at = new URL(page);
  for (let step = 0; step < 20; step += 1) {
    const response = await fetch(at, {
      redirect: "manual",
      headers: { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join("; ") },
    });
    for (const cookie of response.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
      cookies.set(name, value);
    }
    const location = response.headers.get("location");
    if (location === null)
      throw new Error(`The login page ended with ${response.status}: ${await response.text()}`);
    at = new URL(location, at);
    if (at.pathname === "/callback") return at;
  }
  throw new Error("The login page redirects without end.");
}

import type { IncomingMessage, ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { type Configuration, type InteractionResults, Provider } from "oidc-provider";
import { answerMcp, listenInTest, readMessage, type Send } from "./loopback.js";
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
  const base = await listenInTest((...exchange) => route(...exchange));
  const resource = `${base}/mcp`;
  const provider = new Provider(base, {
    clients: [
      {
        ...{
          client_id: "robot",
          client_secret: "robot-secret-marker",
          redirect_uris: [],
          response_types: [],
        },
        grant_types: ["client_credentials"],
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

  async function route(request: IncomingMessage, response: ServerResponse, send: Send): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? "/", base);
    if (pathname === "/mcp") return serveMcp(request, send);
    if (pathname === "/.well-known/oauth-protected-resource/mcp") {
      const scopes = ["tools:read", "tools:write"];
      send(200, { resource, authorization_servers: [state.namedIssuer], scopes_supported: scopes });
      return;
    }
    if (pathname.startsWith("/.well-known/") && options.metadata !== undefined) {
      const own = await fetch(`${base}/real${pathname}`);
      send(own.status, options.metadata((await own.json()) as Record<string, unknown>));
      return;
    }
    if (pathname.startsWith("/real/")) request.url = pathname.slice("/real".length);
    if (pathname.startsWith("/interaction/")) return interact(request, response);
    if (pathname === "/auth") state.clients.push(searchParams.get("client_id") ?? "");
    if (pathname === "/token") {
      const body = await text(request);
      state.tokenRequests.push(new URLSearchParams(body));
      await state.beforeToken();
      // A body that was read already is what koa's parser would have made.
      Object.assign(request, { body });
    }
    await handle(request, response);
  }

  async function interact(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { prompt, params, session } = await provider.interactionDetails(request, response);
    const scope = typeof params["scope"] === "string" ? params["scope"] : "";
    const finish = (
      result: InteractionResults,
      more?: { readonly mergeWithLastSubmission: boolean },
    ): Promise<void> => provider.interactionFinished(request, response, result, more);
    if (!state.allows) return finish({ error: "access_denied", error_description: "no" });
    if (prompt.name === "login") return finish({ login: { accountId: "ada" } });
    const grant = new provider.Grant({
      ...(session?.accountId !== undefined && { accountId: session.accountId }),
      clientId: String(params["client_id"]),
    });
    grant.addOIDCScope(`openid offline_access ${scope}`);
    grant.addResourceScope(resource, scope);
    return finish({ consent: { grantId: await grant.save() } }, { mergeWithLastSubmission: true });
  }

  async function serveMcp(request: IncomingMessage, send: Send): Promise<void> {
    state.requests += 1;
    const token = /^Bearer (.+)$/.exec(request.headers.authorization ?? "")?.[1];
    const isPost = request.method === "POST";
    const message = isPost ? await readMessage(request) : {};
    const needed = message.method === "tools/call" ? state.callScopes : state.scopes;
    const refuse = (status: number, name: string, shown = `error="${name}", `): void => {
      const at = `resource_metadata="${base}/.well-known/oauth-protected-resource/mcp"`;
      const challenge = `Bearer ${shown}${at}, scope="${needed.join(" ")}"`;
      send(status, { error: name }, { "www-authenticate": challenge });
    };
    const granted = token === undefined || state.refusesAll ? undefined : await findScopes(token);
    if (token !== undefined) state.received.push(token);
    const echo = `The token ${String(token)} is odd.`;
    if (state.echoes === "http") send(500, { error: echo });
    else if (granted === undefined)
      refuse(401, "invalid_token", token === undefined ? "" : 'error="invalid_token", ');
    else if (
      needed.some((scope) => !granted.includes(scope)) &&
      message.method?.startsWith("tools/") === true
    )
      refuse(403, "insufficient_scope");
    else {
      const description = `${TOOL.description}${state.echoes === "list" ? ` With ${String(token)}.` : ""}`;
      const error = state.echoes === "rpc" ? echo : undefined;
      answerMcp(message, { send, name: "protected", tool: { ...TOOL, description }, isPost, error });
    }
  }

  async function findScopes(token: string): Promise<readonly string[] | undefined> {
    const found = (await provider.AccessToken.find(token)) ?? (await provider.ClientCredentials.find(token));
    if (found === undefined || found.isExpired) return undefined;
    return [found.aud].flat().includes(resource) ? (found.scope ?? "").split(" ") : undefined;
  }
  return state;
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

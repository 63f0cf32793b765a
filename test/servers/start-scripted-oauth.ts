import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

type Members = Record<string, unknown>;

/** Overrides of an MCP server and its authorization server, which share one loopback address. */
export interface OAuthScript {
  readonly resource?: (base: string) => Members;
  readonly metadata?: (base: string) => Members;
  /** Where the metadata of the authorization server is. Default: `oauth-authorization-server`. */
  readonly metadataAt?: "oauth-authorization-server" | "openid-configuration";
  /** `resource_metadata` of the challenge. */
  readonly resourceMetadata?: string;
  /** Members of the redirect of the login page. */
  readonly redirect?: (query: URLSearchParams) => Record<string, string>;
  /** The answer to a token request, by its grant. */
  readonly token?: (grant: string) => readonly [status: number, body: Members | string];
  /** Redirects a path elsewhere. */
  readonly redirects?: Readonly<Record<string, string>>;
}

export interface ScriptedOAuth {
  readonly url: string;
  readonly base: string;
  /** `POST /token` and the like. */
  readonly requests: string[];
  readonly tokenRequests: URLSearchParams[];
  readonly logins: URLSearchParams[];
  /** Change it to script later answers. */
  script: OAuthScript;
}

export async function startScriptedOAuth(given: OAuthScript = {}): Promise<ScriptedOAuth> {
  const server = createServer();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const state: ScriptedOAuth = {
    ...{ url: `${base}/mcp`, base, requests: [], tokenRequests: [], logins: [] },
    script: given,
  };
  let issued = 0;

  function respond(request: IncomingMessage, response: ServerResponse, body: string): void {
    const { script } = state;
    const { pathname, searchParams } = new URL(request.url ?? "/", base);
    state.requests.push(`${String(request.method)} ${pathname}`);
    const send = (status: number, value: Members | string, headers = {}): void => {
      response.writeHead(status, { "content-type": "application/json", ...headers });
      response.end(typeof value === "string" ? value : JSON.stringify(value));
    };
    const target = script.redirects?.[pathname];
    if (target !== undefined) {
      send(307, {}, { location: target });
      return;
    }
    const metadataAt = script.metadataAt ?? "oauth-authorization-server";
    switch (pathname) {
      case "/.well-known/oauth-protected-resource/mcp":
        send(200, {
          resource: state.url,
          authorization_servers: [base],
          scopes_supported: ["read"],
          ...script.resource?.(base),
        });
        return;
      case `/.well-known/${metadataAt}`:
        send(200, {
          issuer: base,
          authorization_endpoint: `${base}/authorize`,
          token_endpoint: `${base}/token`,
          registration_endpoint: `${base}/register`,
          response_types_supported: ["code"],
          code_challenge_methods_supported: ["S256"],
          token_endpoint_auth_methods_supported: ["none"],
          ...script.metadata?.(base),
        });
        return;
      case "/register":
        send(201, { ...(JSON.parse(body) as Members), client_id: "registered" });
        return;
      case "/authorize": {
        state.logins.push(searchParams);
        const to = new URL(searchParams.get("redirect_uri") ?? "");
        const members = script.redirect?.(searchParams) ?? { code: "the-code" };
        for (const [key, value] of Object.entries({ state: searchParams.get("state") ?? "", ...members }))
          to.searchParams.set(key, value);
        send(302, {}, { location: to.href });
        return;
      }
      case "/token": {
        const form = new URLSearchParams(body);
        state.tokenRequests.push(form);
        issued += 1;
        const [status, answer] = script.token?.(form.get("grant_type") ?? "") ?? [
          200,
          { access_token: `access-${issued}`, token_type: "Bearer", refresh_token: `refresh-${issued}` },
        ];
        send(status, answer);
        return;
      }
      case "/mcp":
        serveMcp(request, body, send);
        return;
      default:
        send(404, {});
    }
  }

  function serveMcp(
    request: IncomingMessage,
    body: string,
    send: (status: number, value: Members, headers?: object) => void,
  ): void {
    if (!/^Bearer access-/.test(request.headers.authorization ?? "")) {
      const at = state.script.resourceMetadata ?? `${base}/.well-known/oauth-protected-resource/mcp`;
      send(401, {}, { "www-authenticate": `Bearer resource_metadata="${at}"` });
      return;
    }
    const { id, method } = (body === "" ? {} : JSON.parse(body)) as { id?: unknown; method?: string };
    if (id === undefined) {
      send(request.method === "POST" ? 202 : 405, {});
      return;
    }
    const results: Record<string, Members> = {
      initialize: {
        protocolVersion: "2025-11-25",
        capabilities: { tools: {} },
        serverInfo: { name: "scripted", version: "1" },
      },
      "tools/list": { tools: [{ name: "list_orders", inputSchema: { type: "object" } }] },
    };
    const result = results[method ?? ""];
    send(200, {
      jsonrpc: "2.0",
      id,
      ...(result === undefined ? { error: { code: -32601, message: "Method not found" } } : { result }),
    });
  }

  server.on("request", (request, response) => {
    const pieces: Buffer[] = [];
    request.on("data", (piece: Buffer) => pieces.push(piece));
    request.on("end", () => {
      respond(request, response, Buffer.concat(pieces).toString());
    });
  });
  return state;
}

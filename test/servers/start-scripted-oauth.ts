import type { IncomingMessage } from "node:http";
import { text } from "node:stream/consumers";
import { answerMcp, listenInTest, type Members, readMessage, type Send } from "./loopback.js";

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
  const base = await listenInTest((request, _response, send) => respond(request, send));
  const state: ScriptedOAuth = {
    ...{ url: `${base}/mcp`, base, requests: [], tokenRequests: [], logins: [] },
    script: given,
  };

  async function respond(request: IncomingMessage, send: Send): Promise<void> {
    const { script } = state;
    const { pathname, searchParams } = new URL(request.url ?? "/", base);
    state.requests.push(`${String(request.method)} ${pathname}`);
    const target = script.redirects?.[pathname];
    const metadataAt = script.metadataAt ?? "oauth-authorization-server";
    if (target !== undefined) {
      send(307, {}, { location: target });
      return;
    }
    switch (pathname) {
      case "/.well-known/oauth-protected-resource/mcp":
        send(200, {
          ...{ resource: state.url, authorization_servers: [base], scopes_supported: ["read"] },
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
        send(201, { ...(await readMessage(request)), client_id: "registered" });
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
        const form = new URLSearchParams(await text(request));
        const issued = state.tokenRequests.push(form);
        const token = { access_token: `access-${issued}`, token_type: "Bearer" };
        const [status, answer] = script.token?.(form.get("grant_type") ?? "") ?? [
          200,
          { ...token, refresh_token: `refresh-${issued}` },
        ];
        send(status, answer);
        return;
      }
      case "/mcp": {
        const at = script.resourceMetadata ?? `${base}/.well-known/oauth-protected-resource/mcp`;
        const tool = { name: "list_orders", inputSchema: { type: "object" } };
        if (!/^Bearer access-/.test(request.headers.authorization ?? ""))
          send(401, {}, { "www-authenticate": `Bearer resource_metadata="${at}"` });
        else {
          const isPost = request.method === "POST";
          answerMcp(await readMessage(request), { send, name: "scripted", tool, isPost });
        }
        return;
      }
      default:
        send(404, {});
    }
  }
  return state;
}

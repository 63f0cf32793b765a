import type { JsonObject } from "../core/json.js";

/**
 * How to reach a server, with all variables resolved. Write only `label` to messages: the rest may hold
 * secrets.
 */
export type Endpoint = StdioEndpoint | HttpEndpoint;

export interface StdioEndpoint extends EndpointBase {
  readonly kind: "stdio";
  readonly command: string;
  readonly args: readonly string[];
  /** Added to a safe subset of our environment. */
  readonly env: { readonly [name: string]: string };
  readonly cwd?: string | undefined;
}

export interface HttpEndpoint extends EndpointBase {
  readonly kind: "http";
  /** Without user information, which `fetch` rejects. It becomes a header. */
  readonly url: string;
  readonly transport: "auto" | "http" | "sse";
  readonly headers: { readonly [name: string]: string };
  /** The OAuth client of the settings. */
  readonly oauth?: OAuthClient | undefined;
  /** Supplies the access token of each request; see `oauth/tokens.ts`. */
  readonly tokens?: TokenSource | undefined;
}

/** `OAuthSettings` with variables resolved. */
export interface OAuthClient {
  readonly clientId?: string | undefined;
  readonly clientSecret?: string | undefined;
  readonly issuer?: string | undefined;
  readonly scopes?: readonly string[] | undefined;
  readonly redirectPort?: number | undefined;
  readonly resource?: string | false | undefined;
}

export interface TokenSource {
  /** Returns the access token of the next request; undefined to send none. */
  token(): Promise<string | undefined>;
  /** Refreshes a token that is about to expire, before a connection is opened. */
  prepare?(): Promise<unknown>;
  /**
   * Returns another token after the server refused `token` with `response`; undefined if there is none, so that
   * the refusal counts.
   *
   * @throws McpCodegenError `LOGIN_REQUIRED` or `LOGIN_FAILED`
   */
  renew(response: Response, token: string | undefined): Promise<string | undefined>;
  /** Returns the requested scopes, sorted; undefined without OAuth. */
  scopes(): readonly string[] | undefined;
  /** Whether requests have had a token. */
  readonly hasToken: boolean;
  /** The advice for the user when the server requires a login. */
  readonly hint: string;
}

/** The secrets of a connection. */
export interface EndpointSecrets {
  /** Resolved values that must not appear in messages, in all their spellings. */
  readonly secrets: readonly string[];
  /** The secrets that must not appear in what the server lists: those of `secrets` that are recognizable in any text. */
  readonly credentials?: readonly string[] | undefined;
}

interface EndpointBase extends EndpointSecrets {
  /** The protocol version to speak, or the era to speak the latest version of. Default: negotiated. */
  readonly protocol?: string | undefined;
  /** The most bytes that are read from one answer. Default: `READ_LIMIT`. */
  readonly readLimit?: number | undefined;
  /** The calls to make first in a session. Absent while they are not confirmed. */
  readonly prelude?: readonly { readonly tool: string; readonly arguments: JsonObject }[] | undefined;
  /** The URL or command as configured, with unresolved variables, for messages. */
  readonly label: string;
}

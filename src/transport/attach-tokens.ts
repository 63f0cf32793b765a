import type { AuthProvider } from "../contract/connection.js";
import { McpCodegenError } from "../contract/errors.js";
import type { Logins } from "../contract/login.js";
import type { Endpoint, HttpEndpoint, TokenSource } from "./endpoint.js";
import { secretForms } from "./scrub-secrets.js";

export interface TokenOptions {
  /** The name of the server, for messages. */
  readonly server: string;
  /** Replaces all other authentication. */
  readonly provider?: AuthProvider | undefined;
  /** The user's logins; none at run time. */
  readonly logins?: Logins | undefined;
  /** Whether the tools are listed, so that the scopes are those of the lock. Default: tools are called. */
  readonly isListing?: boolean;
}

/** The tokens of one connection that are kept out of messages. An old token has expired. */
const MOST_TOKENS = 8;

/**
 * Returns the endpoint with a source of access tokens: the program's own provider, the user's login, or client
 * credentials. Nothing is read or sent before the first request. An endpoint with other credentials stays as it is.
 */
export async function attachTokens(endpoint: Endpoint, options: TokenOptions): Promise<Endpoint> {
  if (endpoint.kind === "stdio") return endpoint;
  const { server, provider, logins, isListing = false } = options;
  if (provider === undefined && "authorization" in endpoint.headers) return endpoint;
  const secrets = [...endpoint.secrets];
  const configured = secrets.length;
  const addSecret = (token: string): void => {
    if (secrets.includes(token)) return;
    const forms = secretForms(token);
    secrets.push(...forms);
    const excess = secrets.length - configured - MOST_TOKENS * forms.length;
    if (excess > 0) secrets.splice(configured, excess);
  };
  if (provider !== undefined) {
    return { ...endpoint, secrets, tokens: providedTokens(endpoint, provider, { server, addSecret }) };
  }
  const { OAuthTokens } = await import("./oauth/oauth-tokens.js");
  return {
    ...endpoint,
    secrets,
    tokens: new OAuthTokens(endpoint, { server, logins, isListing, addSecret }),
  };
}

function providedTokens(
  endpoint: HttpEndpoint,
  provider: AuthProvider,
  { server, addSecret }: { readonly server: string; readonly addSecret: (token: string) => void },
): TokenSource {
  const token = async (): Promise<string> => {
    const text: unknown = await provider();
    if (typeof text !== "string" || !/^[\x21-\x7e]+$/.test(text)) {
      const message = `The auth provider of ${JSON.stringify(server)} did not return a token.`;
      throw new McpCodegenError("LOGIN_REQUIRED", message, {
        hint: "Return the access token as a string, without the scheme.",
      });
    }
    addSecret(text);
    return text;
  };
  return {
    token,
    renew: (response) => (response.status === 401 ? token() : Promise.resolve(undefined)),
    scopes: () => undefined,
    hasToken: true,
    hint: `Check the auth provider of ${JSON.stringify(server)}: the server at ${JSON.stringify(endpoint.label)} does not accept its token.`,
  };
}

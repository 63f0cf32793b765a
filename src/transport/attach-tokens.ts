import type { AuthProvider } from "../contract/connection.js";
import { McpCodegenError } from "../contract/errors.js";
import { isAccessToken, type Logins } from "../contract/login.js";
import { isRecognizable } from "../contract/secret-shapes.js";
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

/** The tokens of one connection that are kept out of messages and lists. An old token has expired. */
const MOST_TOKENS = 24;

/**
 * Returns the endpoint with a source of access tokens: the program's own provider, the user's login, or client
 * credentials. Nothing is read or sent before the first request. An endpoint with other credentials stays as it is.
 */
export async function attachTokens(endpoint: Endpoint, options: TokenOptions): Promise<Endpoint> {
  if (endpoint.kind === "stdio") return endpoint;
  const { server, provider, logins, isListing = false } = options;
  if (provider === undefined && "authorization" in endpoint.headers) return endpoint;
  const secrets = [...endpoint.secrets];
  const credentials = [...(endpoint.credentials ?? [])];
  const configured = { secrets: secrets.length, credentials: credentials.length };
  const tokens: string[] = [];
  const addSecret = (token: string): void => {
    if (tokens.includes(token)) return;
    tokens.push(token);
    if (tokens.length > MOST_TOKENS) tokens.shift();
    secrets.splice(configured.secrets, Infinity, ...tokens.flatMap(secretForms));
    credentials.splice(
      configured.credentials,
      Infinity,
      ...tokens.filter((each) => isRecognizable(each, true)),
    );
  };
  const hidden = { ...endpoint, secrets, credentials };
  if (provider !== undefined) {
    return { ...hidden, tokens: providedTokens(endpoint, provider, { server, addSecret }) };
  }
  const { OAuthTokens } = await import("./oauth/oauth-tokens.js");
  return {
    ...hidden,
    tokens: new OAuthTokens(hidden, { server, logins, isListing, addSecret }),
  };
}

function providedTokens(
  endpoint: HttpEndpoint,
  provider: AuthProvider,
  { server, addSecret }: { readonly server: string; readonly addSecret: (token: string) => void },
): TokenSource {
  const token = async (): Promise<string> => {
    const text: unknown = await provider();
    if (!isAccessToken(text)) {
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

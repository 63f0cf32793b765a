import {
  auth,
  fetchToken,
  type OAuthClientProvider,
  type OAuthTokens,
  type StoredOAuthClientInformation,
  validateAuthorizationResponseIssuer,
} from "@modelcontextprotocol/client";
import { omitUndefined } from "../../core/collections.js";
import { McpCodegenError } from "../../core/errors.js";
import { findText, tryParseJson } from "../../core/json.js";
import { isSameIssuer, type Login, type NewLogin } from "../../core/login.js";
import { oneLine } from "../../core/printable.js";
import type { HttpEndpoint } from "../endpoint.js";
import { scrubSecrets } from "../server-errors.js";
import { sendRequest } from "../tap-fetch.js";
import {
  type Challenge,
  checkTokens,
  cleanDescription,
  discover,
  type Discovered,
  loginFailed,
  otherIssuer,
  quoteIssuer,
  readChallenge,
  scopesToRequest,
  withSecrets,
} from "./grants.js";
import { assertAddress, createOAuthFetch } from "./oauth-fetch.js";
import { splitScopes, uniteScopes } from "./tokens.js";

export { revokeLogin } from "./saved-login.js";

interface LoginRequest {
  /** The loopback address that receives the answer. */
  readonly redirectUrl: string;
  /** A random text that the answer must repeat. */
  readonly state: string;
  /** The login so far: its scopes are requested again, from the client that was registered for it. */
  readonly previous: Login | undefined;
}

interface PendingLogin {
  /** The page where the user logs in: https, or http on the own machine. */
  readonly authorizationUrl: URL;
  readonly issuer: string;
  /**
   * Exchanges the answer for tokens.
   *
   * @param answer the query of the redirect
   * @throws McpCodegenError `LOGIN_FAILED`
   */
  finish(answer: URLSearchParams): Promise<NewLogin>;
}

/**
 * Prepares a login with PKCE: finds the authorization server, and the client there: the configured one, its metadata
 * document, or a registration.
 *
 * @throws McpCodegenError `LOGIN_FAILED`, `SERVER_UNREACHABLE`
 */
export async function beginLogin(endpoint: HttpEndpoint, request: LoginRequest): Promise<PendingLogin> {
  const { previous, state, redirectUrl } = request;
  const challenge = await askForChallenge(endpoint);
  const info = await discover(endpoint, challenge?.metadataUrl);
  const metadata = requireMetadata(endpoint, info, challenge);
  const required = uniteScopes(scopesToRequest(endpoint, challenge ?? NO_CHALLENGE, info), previous?.scopes);
  const scope = uniteScopes(required, previous?.callScopes).join(" ");
  const client = clientOf(endpoint, request, { scope, issuer: info.issuer });
  const provider = new LoginProvider(endpoint, { redirectUrl, state, scope, info, client });
  await auth(provider, {
    serverUrl: endpoint.url,
    ...omitUndefined({ scope: scope || undefined }),
    fetchFn: createOAuthFetch(endpoint),
  }).catch((error: unknown) => {
    throw loginFailed(endpoint, "The login could not begin", error);
  });
  const { authorizationUrl } = provider;
  // The browser could open private addresses, files or programs.
  assertAddress(endpoint, authorizationUrl);
  if (info.indicator === undefined) authorizationUrl.searchParams.delete("resource");
  else authorizationUrl.searchParams.set("resource", info.indicator);
  return {
    authorizationUrl,
    issuer: info.issuer,
    finish: async (answer) => {
      const code = readCode(endpoint, answer, { state, metadata });
      const sent = [state, code, provider.codeVerifier(), provider.client?.client_secret];
      const guarded = withSecrets(endpoint, ...sent);
      const tokens = await requestTokens(guarded, provider, { code, info });
      return {
        ...toLogin(guarded, provider.client, tokens),
        redirectUrl: endpoint.oauth?.clientId === provider.client?.client_id ? undefined : redirectUrl,
        issuer: info.issuer,
        resource: info.resource ?? endpoint.url,
        ...omitUndefined({
          resourceMetadataUrl: challenge?.metadataUrl?.href,
          callScopes: previous?.callScopes,
        }),
        scopes: required,
        // Without an answer, the granted scopes are the requested ones (RFC 6749, section 5.1).
        grantedScopes: (tokens.scope ?? scope).split(" "),
      };
    },
  };
}

/**
 * Returns the configured client, or the one that was registered for an earlier login; undefined if one is to be
 * registered, or the client is a metadata document. A client may be registered for the scopes of then only.
 */
function clientOf(
  { oauth }: HttpEndpoint,
  { previous, redirectUrl }: LoginRequest,
  { scope, issuer }: { readonly scope: string; readonly issuer: string },
): StoredOAuthClientInformation | undefined {
  const { clientId, clientSecret } = oauth ?? {};
  if (clientId !== undefined)
    return isDocument(clientId) ? undefined : toClient(clientId, clientSecret, issuer);
  const isRegistered =
    previous?.redirectUrl === redirectUrl &&
    isSameIssuer(previous.issuer, issuer) &&
    splitScopes(scope).every((name) => previous.grantedScopes.includes(name));
  return isRegistered ? toClient(previous.clientId, previous.clientSecret, issuer) : undefined;
}

function toClient(id: string, secret: string | undefined, issuer: string): StoredOAuthClientInformation {
  return { client_id: id, ...omitUndefined({ client_secret: secret }), issuer };
}

/** Whether a client ID is the URL of a client metadata document. */
function isDocument(clientId: string): boolean {
  return /^https:\/\/[^/]+\/./.test(clientId);
}

/** Returns the authorization code of an answer. Anyone could have sent it. */
function readCode(
  endpoint: HttpEndpoint,
  answer: URLSearchParams,
  { state, metadata }: { readonly state: string; readonly metadata: Metadata },
): string {
  if (answer.get("state") !== state)
    throw failed(endpoint, "got an answer to another login", "Log in again, and use the newest page.");
  // Before anything else of the answer counts (RFC 9207, section 2.4).
  const iss = answer.get("iss") ?? undefined;
  try {
    validateAuthorizationResponseIssuer({
      iss,
      expectedIssuer: metadata.issuer,
      issParameterSupported: metadata.authorization_response_iss_parameter_supported === true,
    });
  } catch {
    throw answeredByOther(endpoint, metadata.issuer, iss);
  }
  const code = answer.get("code");
  if (code === null) throw refused(withSecrets(endpoint, state), answer);
  return code;
}

/** The answer's issuer is only shown if it differs by a slash: anyone could have sent another (RFC 9207, section 4). */
function answeredByOther(endpoint: HttpEndpoint, asked: string, iss: string | undefined): McpCodegenError {
  const isSlash = iss !== undefined && isSameIssuer(iss, asked);
  const names = isSlash ? `: ${quoteIssuer(iss)}, not ${quoteIssuer(asked)}` : `, ${quoteIssuer(asked)}`;
  const hint = isSlash
    ? "The two must be equal: report this to the provider."
    : "Do not repeat it before you know why: somebody may try to get your token.";
  return failed(endpoint, `was answered by another issuer than the one that was asked${names}`, hint);
}

async function requestTokens(
  endpoint: HttpEndpoint,
  provider: LoginProvider,
  { code, info }: { readonly code: string; readonly info: Discovered },
): Promise<OAuthTokens> {
  const { authorizationServerUrl, authorizationServerMetadata: metadata, issuer, indicator } = info;
  const tokens = await fetchToken(provider, authorizationServerUrl, {
    ...omitUndefined({ metadata, resource: indicator }),
    authorizationCode: code,
    // It was verified; the SDK requires it again.
    iss: issuer,
    fetchFn: createOAuthFetch(endpoint),
  }).catch((error: unknown) => {
    throw loginFailed(endpoint, "The authorization server issued no token", error);
  });
  return checkTokens(endpoint, tokens);
}

function toLogin(
  endpoint: HttpEndpoint,
  client: StoredOAuthClientInformation | undefined,
  { access_token, refresh_token, id_token, expires_in }: OAuthTokens,
): Omit<NewLogin, "issuer" | "resource" | "scopes" | "grantedScopes"> {
  const secret = client?.client_secret === endpoint.oauth?.clientSecret ? undefined : client?.client_secret;
  const subject = subjectOfToken(id_token ?? access_token);
  const { secrets } = withSecrets(endpoint, access_token, refresh_token, id_token);
  return {
    clientId: client?.client_id ?? "",
    accessToken: access_token,
    ...omitUndefined({
      clientSecret: secret,
      refreshToken: refresh_token,
      subject: subject !== undefined && scrubSecrets(subject, secrets) === subject ? subject : undefined,
      expiresIn: expires_in,
    }),
  };
}

type Metadata = NonNullable<Discovered["authorizationServerMetadata"]>;

const NO_CHALLENGE: Challenge = { metadataUrl: undefined, scopes: [], isInsufficient: false };

/** Sends a request without a token, and returns what the server demands; undefined if it demands nothing. */
async function askForChallenge(endpoint: HttpEndpoint): Promise<Challenge | undefined> {
  const response = await sendRequest({ ...endpoint, tokens: undefined }, endpoint.url, {
    method: "POST",
    headers: { "content-type": "application/json", accept: "application/json, text/event-stream" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" }),
    redirect: "manual",
    signal: AbortSignal.timeout(PROBE_TIMEOUT),
  });
  await response.body?.cancel();
  return response.status === 401 ? readChallenge(response) : undefined;
}

const PROBE_TIMEOUT = 15_000;

/** Refuses an authorization server without metadata, PKCE or the configured issuer. The SDK would go on. */
function requireMetadata(
  endpoint: HttpEndpoint,
  { authorizationServerMetadata: metadata, issuer }: Discovered,
  challenge: Challenge | undefined,
): Metadata {
  if (metadata === undefined) {
    throw challenge === undefined
      ? failed(endpoint, "does not require a login", `Run "npx mcp-codegen pull".`)
      : failed(
          endpoint,
          "has no metadata of an authorization server",
          'Set auth to a token: { bearer: "${TOKEN}" }.',
        );
  }
  const expected = endpoint.oauth?.issuer;
  if (expected !== undefined && !isSameIssuer(expected, issuer))
    throw otherIssuer(endpoint, expected, issuer);
  // Without this member, a server does not support PKCE (MCP 2026-07-28, "Authorization Code Protection").
  if (metadata.code_challenge_methods_supported?.includes("S256") !== true)
    throw failed(
      endpoint,
      "has an authorization server without PKCE (S256)",
      "Ask the provider to support it.",
    );
  return metadata;
}

function refused(endpoint: HttpEndpoint, answer: URLSearchParams): McpCodegenError {
  const error = answer.get("error");
  const description = cleanDescription(answer.get("error_description") ?? "", endpoint.secrets);
  if (error === "access_denied")
    return failed(endpoint, "was refused or cancelled", "Log in again, and allow access.");
  const isCode = error !== null && /^[a-z_]{1,60}$/.test(error);
  const code = isCode && scrubSecrets(error, endpoint.secrets) === error ? ` (${error})` : "";
  const hint =
    error === "invalid_scope"
      ? "Check auth.scopes."
      : error === "invalid_target"
        ? "Set auth.resource to the resource that it expects, or to false to name none."
        : "Look at the log of the authorization server.";
  return failed(endpoint, `was refused by the authorization server${code}${description}`, hint);
}

function failed({ label }: HttpEndpoint, what: string, hint: string): McpCodegenError {
  const isServer = /^(?:has|does) /.test(what);
  const subject = isServer ? "The server" : "The login for the server";
  return new McpCodegenError("LOGIN_FAILED", `${subject} at ${JSON.stringify(label)} ${what}.`, { hint });
}

/** Returns the account in a JSON Web Token, to be shown; undefined for another token. Its signature is not verified. */
function subjectOfToken(token: string): string | undefined {
  const [, payload, signature] = token.split(".");
  if (payload === undefined || signature === undefined) return undefined;
  let text: string;
  try {
    text = atob(payload.replaceAll("-", "+").replaceAll("_", "/"));
  } catch {
    return undefined;
  }
  const subject = findText(tryParseJson(text), "sub") ?? "";
  return subject === "" ? undefined : oneLine(subject, 100);
}

interface LoginProviderOptions {
  readonly redirectUrl: string;
  readonly state: string;
  /** Separated by spaces. */
  readonly scope: string;
  readonly info: Discovered;
  /** The client, if it need not be registered. */
  readonly client: StoredOAuthClientInformation | undefined;
}

/** The state of one login for the SDK. Nothing is saved before the login succeeds. */
class LoginProvider implements OAuthClientProvider {
  readonly redirectUrl: string;
  readonly clientMetadata: OAuthClientProvider["clientMetadata"];
  readonly clientMetadataUrl?: string;
  readonly #state: string;
  readonly #info: Discovered;
  #verifier = "";
  client: StoredOAuthClientInformation | undefined;
  authorizationUrl: URL = new URL("about:blank");

  constructor({ oauth }: HttpEndpoint, options: LoginProviderOptions) {
    const { clientId } = oauth ?? {};
    this.client = options.client;
    this.redirectUrl = options.redirectUrl;
    this.#state = options.state;
    this.#info = options.info;
    this.clientMetadata = {
      client_name: "mcp-codegen",
      redirect_uris: [options.redirectUrl],
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      token_endpoint_auth_method: "none",
      ...omitUndefined({ scope: options.scope || undefined }),
    };
    if (clientId !== undefined && isDocument(clientId)) this.clientMetadataUrl = clientId;
  }

  state(): string {
    return this.#state;
  }

  discoveryState(): Discovered {
    return this.#info;
  }

  clientInformation(): StoredOAuthClientInformation | undefined {
    return this.client;
  }

  saveClientInformation(client: StoredOAuthClientInformation): void {
    this.client = client;
  }

  tokens(): undefined {
    return undefined;
  }

  saveTokens(): void {
    // `finish` returns them.
  }

  redirectToAuthorization(url: URL): void {
    this.authorizationUrl = url;
  }

  saveCodeVerifier(verifier: string): void {
    this.#verifier = verifier;
  }

  codeVerifier(): string {
    return this.#verifier;
  }
}

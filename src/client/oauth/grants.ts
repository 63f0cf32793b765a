import {
  ClientCredentialsProvider,
  discoverOAuthServerInfo,
  extractWWWAuthenticateParams,
  fetchToken,
  type OAuthServerInfo,
  type OAuthTokens,
  selectResourceURL,
  IssuerMismatchError,
  OAuthError,
  RegistrationRejectedError,
} from "@modelcontextprotocol/client";
import { omitUndefined } from "../../core/collections.js";
import { McpCodegenError } from "../../core/errors.js";
import { isAccessToken, isSameIssuer } from "../../core/login.js";
import { oneLine } from "../../core/printable.js";
import type { HttpEndpoint } from "../endpoint.js";
import { createOAuthFetch } from "./oauth-fetch.js";
import { splitScopes, uniteScopes } from "./tokens.js";
import { replaceSecretShapes } from "../../core/secret-shapes.js";
import { scrubSecrets, secretForms } from "../server-errors.js";

/** The requirements for a token, from `WWW-Authenticate`. */
export interface Challenge {
  readonly metadataUrl: URL | undefined;
  readonly scopes: readonly string[];
  /** Whether the token was valid, but had too few scopes. */
  readonly isInsufficient: boolean;
}

export function readChallenge(response: Response): Challenge {
  const { resourceMetadataUrl, scope, error } = extractWWWAuthenticateParams(response);
  return {
    metadataUrl: resourceMetadataUrl,
    scopes: splitScopes(scope),
    isInsufficient: response.status === 403 && error === "insufficient_scope",
  };
}

/** The authorization server of a resource, and what was requested from it. */
export interface Discovered extends OAuthServerInfo {
  readonly issuer: string;
  /** The protected resource, as the metadata spells it. */
  readonly resource: string | undefined;
  /** The resource indicator to send (RFC 8707): the configured one, or the resource. */
  readonly indicator: string | undefined;
}

/**
 * Returns the authorization server of a protected server. Both kinds of metadata must name the resource and the issuer that
 * they were requested for.
 *
 * @throws McpCodegenError `LOGIN_FAILED`
 */
export async function discover(endpoint: HttpEndpoint, metadataUrl: URL | undefined): Promise<Discovered> {
  let refused: McpCodegenError | undefined;
  const fetchFn = createOAuthFetch(endpoint, (error) => (refused ??= error));
  let info: OAuthServerInfo;
  try {
    info = await discoverOAuthServerInfo(endpoint.url, {
      ...omitUndefined({ resourceMetadataUrl: metadataUrl }),
      fetchFn,
      skipIssuerMetadataValidation: true,
    });
    assertIssuer(info);
  } catch (error) {
    throw refused ?? loginFailed(endpoint, "The authorization server could not be found", error);
  }
  // The SDK goes on without metadata of the resource, which then could hide the attempt.
  if (refused !== undefined) throw refused;
  const named = info.resourceMetadata?.resource;
  try {
    await selectResourceURL(endpoint.url, NO_OVERRIDE, info.resourceMetadata);
  } catch {
    throw otherResource(endpoint, String(named));
  }
  const { resource: configured } = endpoint.oauth ?? {};
  return {
    ...info,
    issuer: info.authorizationServerMetadata?.issuer ?? info.authorizationServerUrl,
    resource: named,
    indicator: configured === false ? undefined : (configured ?? named),
  };
}

/** @throws IssuerMismatchError for metadata of another authorization server (RFC 8414, section 3.3) */
function assertIssuer({
  authorizationServerUrl: expected,
  authorizationServerMetadata,
}: OAuthServerInfo): void {
  const issuer = authorizationServerMetadata?.issuer ?? expected;
  if (!isSameIssuer(expected, issuer) && expected !== `${issuer}/`)
    throw new IssuerMismatchError("metadata", expected, issuer);
}

/** Quotes an issuer that a server or a browser names. */
export function quoteIssuer(issuer: string | undefined): string {
  return issuer === undefined ? "no issuer" : JSON.stringify(oneLine(issuer, 200));
}

function otherResource(endpoint: HttpEndpoint, named: string): McpCodegenError {
  const shown = JSON.stringify(oneLine(scrubSecrets(named, endpoint.secrets), 300));
  const message = `The metadata of the server at ${JSON.stringify(endpoint.label)} is about another resource: ${shown}.`;
  const isNear = URL.canParse(named) && new URL(named).origin === new URL(endpoint.url).origin;
  const hint = isNear
    ? `Set the url of the server to ${shown}.`
    : "A token for it must not be sent here: check the url, and report this to the provider.";
  return new McpCodegenError("LOGIN_FAILED", message, { hint });
}

/**
 * Returns the tokens of an answer. An empty refresh token counts as absent.
 *
 * @throws McpCodegenError `LOGIN_FAILED` for tokens that cannot be sent as `Authorization: Bearer`
 */
export function checkTokens(endpoint: HttpEndpoint, tokens: OAuthTokens): OAuthTokens {
  const { access_token: access, refresh_token: refresh, token_type: type } = tokens;
  const { secrets } = withSecrets(endpoint, access, refresh, tokens.id_token);
  const fault = !/^bearer$/i.test(type)
    ? `tokens of the type ${JSON.stringify(oneLine(scrubSecrets(type, secrets), 40))}, which is not "Bearer"`
    : !isAccessToken(access)
      ? "an access token that is empty, or has characters which no header may have"
      : refresh !== undefined && !/^[\x20-\x7e]*$/.test(refresh)
        ? "a refresh token that has characters which no token may have"
        : undefined;
  if (fault === undefined) {
    // Scopes are shown and saved.
    const scope = tokens.scope?.split(" ").filter((word) => scrubSecrets(word, secrets) === word);
    return { ...tokens, refresh_token: refresh === "" ? undefined : refresh, scope: scope?.join(" ") };
  }
  const message = `The authorization server of the server at ${JSON.stringify(endpoint.label)} issued ${fault}.`;
  throw new McpCodegenError("LOGIN_FAILED", message, { hint: "Report this to the provider." });
}

/** The SDK only reads an optional member of it. */
const NO_OVERRIDE = new ClientCredentialsProvider({ clientId: "", clientSecret: "", expectedIssuer: "-" });

/** Returns the scopes to request: the configured ones, else those of the challenge, else all supported ones. */
export function scopesToRequest(
  { oauth }: HttpEndpoint,
  challenge: Challenge,
  { resourceMetadata }: OAuthServerInfo,
): readonly string[] {
  if (oauth?.scopes !== undefined) return uniteScopes(oauth.scopes);
  if (challenge.scopes.length > 0) return challenge.scopes;
  return splitScopes(resourceMetadata?.scopes_supported?.join(" "));
}

/**
 * Returns a token for the configured client itself, without a user (RFC 6749, section 4.4).
 *
 * @param earlier scopes that a refused token had
 * @throws McpCodegenError `LOGIN_FAILED`
 */
export async function requestClientToken(
  endpoint: HttpEndpoint,
  challenge: Challenge,
  earlier: readonly string[] = [],
): Promise<{ readonly token: string; readonly scopes: readonly string[] }> {
  const { clientId, clientSecret, issuer: expectedIssuer } = endpoint.oauth ?? {};
  if (clientId === undefined || clientSecret === undefined || expectedIssuer === undefined)
    throw new TypeError("The configuration requires the three together.");
  const info = await discover(endpoint, challenge.metadataUrl);
  if (!isSameIssuer(info.issuer, expectedIssuer)) throw otherIssuer(endpoint, expectedIssuer, info.issuer);
  const scopes = uniteScopes(earlier, scopesToRequest(endpoint, challenge, info));
  const provider = new ClientCredentialsProvider({ clientId, clientSecret, expectedIssuer });
  const tokens = await fetchToken(provider, info.authorizationServerUrl, {
    ...omitUndefined({
      metadata: info.authorizationServerMetadata,
      resource: info.indicator,
      scope: scopes.join(" ") || undefined,
    }),
    fetchFn: createOAuthFetch(endpoint),
  }).catch((error: unknown) => {
    throw loginFailed(endpoint, "The authorization server refused the client credentials", error);
  });
  return { token: checkTokens(endpoint, tokens).access_token, scopes };
}

/** The client ID and secret, and the tokens of a login, go to no other authorization server. */
export function otherIssuer(endpoint: HttpEndpoint, expected: string, issuer: string): McpCodegenError {
  const where = JSON.stringify(endpoint.label);
  const shown = quoteIssuer(scrubSecrets(issuer, endpoint.secrets));
  const message = `The server at ${where} names the authorization server ${shown}, not ${quoteIssuer(expected)}.`;
  return new McpCodegenError("LOGIN_FAILED", message, {
    hint: "If the server moved to another authorization server, correct auth.issuer or log in again.",
  });
}

/** Returns an endpoint with further secrets that an authorization server may repeat. */
export function withSecrets(
  endpoint: HttpEndpoint,
  ...values: readonly (string | undefined)[]
): HttpEndpoint {
  const forms = values.flatMap((value) => (value === undefined ? [] : secretForms(value)));
  return { ...endpoint, secrets: [...endpoint.secrets, ...forms] };
}

/**
 * Returns `LOGIN_FAILED` for an error of the SDK or the network. Messages of the SDK quote answers, which may hold
 * tokens, so only codes and descriptions are kept.
 */
export function loginFailed({ label, secrets }: HttpEndpoint, what: string, error: unknown): McpCodegenError {
  if (error instanceof McpCodegenError) return error;
  const message = `${what} for the server at ${JSON.stringify(label)}: ${reasonOf(error, secrets)}.`;
  return new McpCodegenError("LOGIN_FAILED", message, { hint: hintOf(error) });
}

/** Returns the code of an OAuth error; undefined for another error, or if it is not a code (RFC 6749, section 5.2). */
export function oauthCodeOf(error: unknown): string | undefined {
  return error instanceof OAuthError && /^[a-z_]{1,60}$/.test(error.code) ? error.code : undefined;
}

/** Returns the code of an OAuth error with the server's description. */
export function describeOAuthError(error: unknown, secrets: readonly string[]): string {
  // For an answer that is not an OAuth error, the SDK quotes all of it.
  if (error instanceof Error && /^(?:HTTP \d+: )?Invalid OAuth error response/.test(error.message))
    return "its answer is not an OAuth error";
  const oauthCode = oauthCodeOf(error);
  const code =
    oauthCode === undefined || scrubSecrets(oauthCode, secrets) !== oauthCode
      ? "an unknown error"
      : oauthCode;
  const text = error instanceof OAuthError && error.message !== code ? error.message : "";
  return `it answered ${JSON.stringify(code)}${cleanDescription(text, secrets)}`;
}

/** Returns the `error_description` of a server as the end of a sentence, without secrets, and cut; empty for an empty one. */
export function cleanDescription(text: string, secrets: readonly string[]): string {
  const shown = oneLine(replaceSecretShapes(scrubSecrets(text, secrets), "***"), 300);
  return shown === "" ? "" : `, and wrote ${JSON.stringify(shown)}`;
}

function reasonOf(error: unknown, secrets: readonly string[]): string {
  if (oauthCodeOf(error) !== undefined) return describeOAuthError(error, secrets);
  if (error instanceof IssuerMismatchError)
    return `the issuer does not match: its metadata names ${quoteIssuer(error.received)}, not ${quoteIssuer(error.expected)}`;
  if (error instanceof RegistrationRejectedError)
    return `it rejected the registration (HTTP ${error.status})`;
  if (!(error instanceof Error)) return "unknown error";
  if (error.name === "TimeoutError") return "no answer in time";
  if (/dynamic client registration/i.test(error.message)) return "it registers no clients";
  if (/token endpoint/i.test(error.message)) return "its token endpoint does not use HTTPS";
  if (error instanceof TypeError) return "it cannot be reached";
  const member = memberOf(error);
  return member === undefined
    ? "its answer is not valid"
    : `its answer has no valid ${JSON.stringify(member)}`;
}

function memberOf(error: Error): string | undefined {
  const [issue] = "issues" in error && isList(error.issues) ? error.issues : [];
  const path = typeof issue === "object" && issue !== null && "path" in issue ? issue.path : [];
  const [member] = isList(path) ? path : [];
  return typeof member === "string" ? member : undefined;
}

function isList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value);
}

/** Returns the advice for an error of an authorization server. */
export function hintOf(error: unknown): string {
  const code = oauthCodeOf(error);
  if (code === "invalid_client" || code === "unauthorized_client")
    return "Check auth.clientId and auth.clientSecret.";
  if (code === "invalid_scope") return "Check auth.scopes.";
  if (code === "invalid_target")
    return "Set auth.resource to the resource that it expects, or to false to name none.";
  if (
    error instanceof RegistrationRejectedError ||
    /registration/i.test(error instanceof Error ? error.message : "")
  )
    return "Register a client at the authorization server, and set auth.clientId.";
  return "Check the url, and look at the log of the authorization server.";
}

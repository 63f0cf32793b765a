import { OAuthError, refreshAuthorization } from "@modelcontextprotocol/client";
import { omitUndefined } from "../../core/collections.js";
import { type ErrorCode, McpCodegenError } from "../../core/errors.js";
import { isSameIssuer, type Login, type LoginStore, type NewLogin } from "../../core/login.js";
import type { HttpEndpoint } from "../endpoint.js";
import {
  checkTokens,
  discover,
  otherIssuer,
  describeOAuthError,
  hintOf,
  loginFailed,
  oauthCodeOf,
  withSecrets,
} from "./grants.js";
import { createOAuthFetch } from "./oauth-fetch.js";

export { readChallenge, requestClientToken } from "./grants.js";

const ENDED = "has expired or was revoked, and cannot be refreshed";

interface RefreshOptions {
  readonly store: LoginStore;
  /** The advice for the user when the login has ended. */
  readonly hint: string;
}

/**
 * Returns the login with another access token. Of several processes, one refreshes, and the others take its token.
 *
 * @throws McpCodegenError `LOGIN_REQUIRED` when the user must log in again; `LOGIN_FAILED` for other failures
 */
export async function refreshLogin(
  endpoint: HttpEndpoint,
  login: Login,
  { store, hint }: RefreshOptions,
): Promise<Login> {
  const fail = (code: ErrorCode, why: string, advice: string): McpCodegenError =>
    new McpCodegenError(code, `The login for the server at ${JSON.stringify(endpoint.label)} ${why}.`, {
      hint: advice,
    });
  const over = (why: string): McpCodegenError => fail("LOGIN_REQUIRED", why, hint);
  const failed = (why: string, advice: string): McpCodegenError =>
    fail("LOGIN_FAILED", why, `${advice} Otherwise: ${hint}`);
  let refused: McpCodegenError | undefined;
  const refreshed = await store.update(login, async (now) => {
    if (now === undefined || now.accessToken !== login.accessToken) return now;
    if (now.refreshToken === undefined) throw over(ENDED);
    const answer = { status: 0 };
    const guarded = withSecrets(endpoint, now.accessToken, now.refreshToken, now.clientSecret);
    try {
      return await requestTokens(guarded, now, now.refreshToken, answer);
    } catch (error) {
      if (!(error instanceof OAuthError))
        throw loginFailed(guarded, "The login could not be refreshed", error);
      const code = oauthCodeOf(error);
      // The authorization server will not accept the refresh token again.
      const ended = { ...now, refreshToken: undefined, expiresAt: 0 };
      if (code === "invalid_grant") {
        refused = over(ENDED);
        return ended;
      }
      const { status } = answer;
      const why = `could not be refreshed: ${describeOAuthError(error, guarded.secrets)} (HTTP ${status})`;
      if (status >= 500 || status === 408 || status === 429) throw failed(why, "Try again later.");
      // A configured client stays the same after another login.
      const isClient = code === "invalid_client" || code === "unauthorized_client";
      if (isClient && endpoint.oauth?.clientId === now.clientId) throw failed(why, hintOf(error));
      refused = over(why);
      return isClient ? { ...ended, redirectUrl: undefined } : now;
    }
  });
  if (refused !== undefined) throw refused;
  if (refreshed === undefined) throw over("has ended");
  return refreshed;
}

/** @param answer gets the status of the token endpoint */
async function requestTokens(
  endpoint: HttpEndpoint,
  login: Login,
  refreshToken: string,
  answer: { status: number },
): Promise<NewLogin> {
  const { resourceMetadataUrl, clientId } = login;
  const info = await discover(
    endpoint,
    resourceMetadataUrl === undefined ? undefined : new URL(resourceMetadataUrl),
  );
  if (!isSameIssuer(info.issuer, login.issuer)) throw otherIssuer(endpoint, login.issuer, info.issuer);
  const { oauth } = endpoint;
  const secret = login.clientSecret ?? (oauth?.clientId === clientId ? oauth.clientSecret : undefined);
  const send = createOAuthFetch(endpoint);
  const granted = await refreshAuthorization(info.authorizationServerUrl, {
    ...omitUndefined({ metadata: info.authorizationServerMetadata, resource: info.indicator }),
    clientInformation: { client_id: clientId, ...omitUndefined({ client_secret: secret }) },
    refreshToken,
    fetchFn: async (...request) => {
      const response = await send(...request);
      answer.status = response.status;
      return response;
    },
  });
  const tokens = checkTokens(endpoint, granted);
  return {
    ...login,
    expiresAt: undefined,
    accessToken: tokens.access_token,
    refreshToken: tokens.refresh_token ?? refreshToken,
    ...omitUndefined({ grantedScopes: tokens.scope?.split(" "), expiresIn: tokens.expires_in }),
  };
}

/**
 * Asks the authorization server to revoke the tokens of a login (RFC 7009). Returns whether it did; never fails.
 * Revoking the refresh token ends the access tokens that it gave.
 */
export async function revokeLogin(endpoint: HttpEndpoint, login: Login): Promise<boolean> {
  const { resourceMetadataUrl, clientId, clientSecret, refreshToken, accessToken } = login;
  try {
    const url = resourceMetadataUrl === undefined ? undefined : new URL(resourceMetadataUrl);
    const { issuer, authorizationServerMetadata: metadata } = await discover(endpoint, url);
    // OpenID metadata has it too, but the SDK's type does not.
    const revocation: unknown = Object.entries(metadata ?? {}).find(
      ([key]) => key === "revocation_endpoint",
    )?.[1];
    if (!isSameIssuer(issuer, login.issuer) || typeof revocation !== "string") return false;
    const response = await createOAuthFetch(endpoint)(revocation, {
      method: "POST",
      body: new URLSearchParams({
        token: refreshToken ?? accessToken,
        token_type_hint: refreshToken === undefined ? "access_token" : "refresh_token",
        client_id: clientId,
        ...omitUndefined({ client_secret: clientSecret }),
      }),
    });
    return response.ok;
  } catch {
    return false;
  }
}

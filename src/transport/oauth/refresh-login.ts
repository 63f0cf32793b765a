import { refreshAuthorization } from "@modelcontextprotocol/client";
import { McpCodegenError } from "../../contract/errors.js";
import type { Login, LoginStore, NewLogin } from "../../contract/login.js";
import type { HttpEndpoint } from "../endpoint.js";
import { checkTokens, discover, otherIssuer } from "./grants.js";
import { describeOAuthError, loginFailed, oauthCodeOf } from "./login-failed.js";
import { createOAuthFetch } from "./oauth-fetch.js";

export interface RefreshOptions {
  readonly store: LoginStore;
  /** What the user can do when the login is over. */
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
  const over = (why: string): McpCodegenError =>
    new McpCodegenError(
      "LOGIN_REQUIRED",
      `The login for the server at ${JSON.stringify(endpoint.label)} ${why}.`,
      {
        hint,
      },
    );
  const refreshed = await store.update(login, async (now) => {
    if (now === undefined || now.accessToken !== login.accessToken) return now;
    if (now.refreshToken === undefined) throw over("has expired, and cannot be refreshed");
    try {
      return await requestTokens(endpoint, now, now.refreshToken);
    } catch (error) {
      const code = oauthCodeOf(error);
      if (code === "invalid_grant") throw over("has expired or was revoked");
      // A configured client stays the same after another login.
      const isConfigured = code !== "invalid_request" && endpoint.oauth?.clientId === now.clientId;
      if (code !== undefined && ENDS_LOGIN.has(code) && !isConfigured)
        throw over(`could not be refreshed: ${describeOAuthError(error, endpoint.secrets)}`);
      throw loginFailed(endpoint, "The login could not be refreshed", error);
    }
  });
  if (refreshed === undefined) throw over("has ended");
  return refreshed;
}

/** Answers to a refresh for which a new login, with a new client, is the remedy. Some servers use the last for unknown tokens. */
const ENDS_LOGIN: ReadonlySet<string> = new Set(["invalid_client", "unauthorized_client", "invalid_request"]);

async function requestTokens(endpoint: HttpEndpoint, login: Login, refreshToken: string): Promise<NewLogin> {
  const { resourceMetadataUrl, clientId } = login;
  const info = await discover(
    endpoint,
    resourceMetadataUrl === undefined ? undefined : new URL(resourceMetadataUrl),
  );
  if (info.issuer !== login.issuer) throw otherIssuer(endpoint, login.issuer, info.issuer);
  const { oauth } = endpoint;
  const secret = login.clientSecret ?? (oauth?.clientId === clientId ? oauth.clientSecret : undefined);
  const answer = await refreshAuthorization(info.authorizationServerUrl, {
    ...(info.authorizationServerMetadata && { metadata: info.authorizationServerMetadata }),
    clientInformation: { client_id: clientId, ...(secret !== undefined && { client_secret: secret }) },
    refreshToken,
    ...(info.indicator !== undefined && { resource: info.indicator }),
    fetchFn: createOAuthFetch(endpoint),
  });
  const tokens = checkTokens(endpoint, answer);
  return {
    ...login,
    expiresAt: undefined,
    accessToken: tokens.access_token,
    refreshToken: tokens.refresh_token ?? refreshToken,
    ...(tokens.scope !== undefined && { grantedScopes: tokens.scope.split(" ") }),
    ...(tokens.expires_in !== undefined && { expiresIn: tokens.expires_in }),
  };
}

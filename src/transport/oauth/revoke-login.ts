import type { Login } from "../../contract/login.js";
import type { HttpEndpoint } from "../endpoint.js";
import { createOAuthFetch } from "./oauth-fetch.js";
import { discover } from "./grants.js";

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
    if (issuer !== login.issuer || typeof revocation !== "string") return false;
    const response = await createOAuthFetch(endpoint)(revocation, {
      method: "POST",
      body: new URLSearchParams({
        token: refreshToken ?? accessToken,
        token_type_hint: refreshToken === undefined ? "access_token" : "refresh_token",
        client_id: clientId,
        ...(clientSecret !== undefined && { client_secret: clientSecret }),
      }),
    });
    return response.ok;
  } catch {
    return false;
  }
}

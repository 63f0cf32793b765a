import type { Login } from "../../contract/login.js";
import type { HttpEndpoint } from "../endpoint.js";
import { boundedFetch } from "./bounded-fetch.js";
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
    if (issuer !== login.issuer || typeof revocation !== "string" || !isSecure(new URL(revocation)))
      return false;
    const response = await boundedFetch(revocation, {
      method: "POST",
      redirect: "error",
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

function isSecure({ protocol, hostname }: URL): boolean {
  return protocol === "https:" || ["127.0.0.1", "localhost", "[::1]"].includes(hostname);
}

import type { OAuthClientProvider, StoredOAuthClientInformation } from "@modelcontextprotocol/client";
import { omitUndefined } from "../../core/collections.js";
import type { HttpEndpoint } from "../endpoint.js";
import type { Discovered } from "./grants.js";

interface LoginProviderOptions {
  readonly redirectUrl: string;
  readonly state: string;
  /** Separated by spaces. */
  readonly scope: string;
  readonly info: Discovered;
}

/** The state of one login for the SDK. Nothing is saved before the login succeeds. */
export class LoginProvider implements OAuthClientProvider {
  readonly redirectUrl: string;
  readonly clientMetadata: OAuthClientProvider["clientMetadata"];
  readonly clientMetadataUrl?: string;
  readonly #state: string;
  readonly #info: Discovered;
  #verifier = "";
  client: StoredOAuthClientInformation | undefined;
  authorizationUrl: URL = new URL("about:blank");

  constructor({ oauth }: HttpEndpoint, given: LoginProviderOptions) {
    const { clientId, clientSecret } = oauth ?? {};
    this.redirectUrl = given.redirectUrl;
    this.#state = given.state;
    this.#info = given.info;
    this.clientMetadata = {
      client_name: "mcp-codegen",
      redirect_uris: [given.redirectUrl],
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      token_endpoint_auth_method: "none",
      ...omitUndefined({ scope: given.scope || undefined }),
    };
    if (clientId !== undefined && /^https:\/\/[^/]+\/./.test(clientId)) this.clientMetadataUrl = clientId;
    else if (clientId !== undefined) {
      this.client = {
        client_id: clientId,
        ...omitUndefined({ client_secret: clientSecret }),
        issuer: given.info.issuer,
      };
    }
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

import type { McpCodegenError } from "./errors.js";

/** Identifies a login of a user. */
export interface LoginKey {
  /** The issuer of the authorization server. */
  readonly issuer: string;
  /** The resource as the server's metadata names it, or the server's URL without metadata. */
  readonly resource: string;
}

/** A login at an authorization server for one protected resource. It holds tokens: never print it. */
export interface Login extends LoginKey {
  /** Where the server says that its metadata is. */
  readonly resourceMetadataUrl?: string;
  readonly clientId: string;
  /** The loopback address that the client was registered for; absent if the next login must register another client. */
  readonly redirectUrl?: string | undefined;
  /** Only what a registration returned. The secret of a configured client is never saved. */
  readonly clientSecret?: string;
  readonly accessToken: string;
  readonly refreshToken?: string | undefined;
  /** The scopes that the server required for listing its tools, sorted. */
  readonly scopes: readonly string[];
  /** Further scopes that calls needed, sorted. The next login requests them. */
  readonly callScopes?: readonly string[];
  /** The scopes of the token. */
  readonly grantedScopes: readonly string[];
  /** The account, as the authorization server calls it. */
  readonly subject?: string;
  /** Milliseconds since 1970; absent if the server did not say. */
  readonly expiresAt?: number | undefined;
}

/** A login as a token answer gives it. */
export interface NewLogin extends Login {
  /** Seconds; replaces `expiresAt`. */
  readonly expiresIn?: number;
}

/** Whether a text can be sent as an access token: visible ASCII characters (RFC 6750, section 2.1). */
export function isAccessToken(text: unknown): text is string {
  return typeof text === "string" && /^[\x21-\x7e]+$/.test(text);
}

/** Whether two issuers are equal, apart from the slash of an empty path (RFC 3986, section 6.2.3). */
export function isSameIssuer(left: string, right: string): boolean {
  const [a, b] = [left, right].map((issuer) => issuer.replace(/^(https?:\/\/[^/?#]+)\/$/i, "$1"));
  return a === b;
}

/** All logins of a user. */
export interface StoredLogins {
  readonly logins: readonly Login[];
  /** `LOGIN_UNSAFE` for each file that is damaged or not to be trusted. */
  readonly problems: readonly McpCodegenError[];
}

/** The user's logins, keyed by issuer and resource. Every member throws `LOGIN_UNSAFE` for a folder not to be trusted. */
export interface LoginStore {
  /**
   * Returns the login for a URL: that of the longest resource that contains it. Files that cannot be used do not count.
   *
   * @param issuer the only issuer that is accepted; any without
   */
  find(url: string, issuer?: string): Promise<Login | undefined>;
  readAll(): Promise<StoredLogins>;
  /** Saves a login, and removes those of other issuers for the same resource. */
  save(login: NewLogin): Promise<Login>;
  remove(login: Login): Promise<void>;
  /** Replaces a login by what `work` returns for it as it is now, while no other process does the same. */
  update(
    login: Login,
    work: (now: Login | undefined) => Promise<NewLogin | undefined>,
  ): Promise<Login | undefined>;
  /** Whether the token of a login is about to expire. */
  isExpiring(login: Login): boolean;
}

/** The user's logins for commands, with the hint about a missing login. */
export interface Logins {
  readonly store: LoginStore;
  /** Returns the hint for a server of the configuration, or a URL. */
  readonly hint: (server: string, environment: string | undefined, loginUrl?: string) => string;
}

/** Names the key of the credentials of a server in one environment. */
export function keyOfAuth(server: string, environment: string | undefined): string {
  return `servers.${server}${environment === undefined ? "" : `.environments.${environment}`}.auth`;
}

/** Returns the command that logs in to a server of the configuration, or to a URL. */
export function commandToLogIn(server: string, environment: string | undefined): string {
  return `npx mcp-codegen login ${server}${environment === undefined ? "" : ` --env ${environment}`}`;
}

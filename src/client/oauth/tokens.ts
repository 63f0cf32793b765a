import type { AuthProvider } from "../../core/connection.js";
import { McpCodegenError, messageOf } from "../../core/errors.js";
import { isAccessToken, keyOfAuth, type Logins, type Login, type LoginStore } from "../../core/login.js";
import { endSentence } from "../../core/printable.js";
import { isRecognizable } from "../../core/secret-shapes.js";
import type { Endpoint, HttpEndpoint, TokenSource } from "../endpoint.js";
import { secretForms } from "../server-errors.js";

/** Loaded when a server refuses a request: gets another token from an authorization server, through the SDK. */
const loadRenewal = async () => import("./saved-login.js");

interface TokenOptions {
  /** The name of the server, for messages. */
  readonly server: string;
  /** The environment of the server, for messages. */
  readonly environment?: string | undefined;
  /** The URL to log in to where the name of the server means another, for messages. */
  readonly loginUrl?: string | undefined;
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
 * credentials. Nothing is read or sent before the first request. An endpoint with other credentials is returned unchanged.
 */
export function attachTokens(endpoint: Endpoint, options: TokenOptions): Endpoint {
  if (endpoint.kind === "stdio") return endpoint;
  const { server, provider } = options;
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
  return { ...hidden, tokens: new OAuthTokens(hidden, { ...options, addSecret }) };
}

function providedTokens(
  endpoint: HttpEndpoint,
  provider: AuthProvider,
  { server, addSecret }: { readonly server: string; readonly addSecret: (token: string) => void },
): TokenSource {
  const token = async (): Promise<string> => {
    let text: unknown;
    try {
      text = await provider();
    } catch (cause) {
      const why = endSentence(`The auth provider of ${JSON.stringify(server)} failed: ${messageOf(cause)}`);
      throw new McpCodegenError("LOGIN_REQUIRED", why, { cause });
    }
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

interface OAuthOptions extends TokenOptions {
  /** Keeps a token out of messages. */
  readonly addSecret: (token: string) => void;
}

interface Grant {
  readonly token: string;
  readonly scopes: readonly string[];
}

/**
 * The access tokens of one connection: of the user's login, else by client credentials. A server that requires
 * neither gets no token. The SDK's OAuth client is loaded when a token is requested.
 */
class OAuthTokens implements TokenSource {
  readonly hint: string;
  readonly #endpoint: HttpEndpoint;
  readonly #options: OAuthOptions;
  readonly #store: LoginStore | undefined;
  #login: Promise<Login | undefined> | undefined;
  #grant: Grant | undefined;
  /** Whether the saved login has ended, so that it is not looked for again. */
  #hasEnded = false;
  #renewing: Promise<string | undefined> | undefined;

  constructor(endpoint: HttpEndpoint, options: OAuthOptions) {
    const { server, environment, loginUrl, logins } = options;
    this.#endpoint = endpoint;
    this.#options = options;
    this.#store = logins?.store;
    this.hint =
      logins?.hint(server, environment, loginUrl) ??
      `Pass connect({ auth }) a function that returns an access token, or set clientId and clientSecret under ${keyOfAuth(server, environment)}.`;
  }

  async token(): Promise<string | undefined> {
    this.#login ??= this.#find()?.catch((error: unknown) => {
      this.#login = undefined;
      throw error;
    });
    const login = await this.#login;
    if (login !== undefined && this.#grant === undefined) this.#accept(login);
    // A request with an expired token would fail anyway.
    if (login !== undefined && this.#store?.isExpiring(login) === true && login.refreshToken !== undefined)
      return this.#once(() => this.#refresh(login));
    return this.#grant?.token;
  }

  #find(): Promise<Login | undefined> | undefined {
    return this.#store?.find(this.#endpoint.url, this.#endpoint.oauth?.issuer);
  }

  prepare(): Promise<unknown> {
    return this.token();
  }

  async renew(response: Response, token: string | undefined): Promise<string | undefined> {
    // Another request has renewed it meanwhile.
    if (this.#grant !== undefined && this.#grant.token !== token) return this.#grant.token;
    return this.#once(() => this.#renew(response));
  }

  get hasToken(): boolean {
    return this.#grant !== undefined;
  }

  scopes(): readonly string[] | undefined {
    return this.#grant?.scopes;
  }

  #once(work: () => Promise<string | undefined>): Promise<string | undefined> {
    return (this.#renewing ??= work().finally(() => {
      this.#renewing = undefined;
    }));
  }

  async #renew(response: Response): Promise<string | undefined> {
    const { readChallenge, requestClientToken } = await loadRenewal();
    const challenge = readChallenge(response);
    const saved = await this.#login;
    const login = saved ?? (await this.#findLater());
    if (login !== undefined) {
      if (saved === undefined) return this.#accept(login);
      if (response.status === 401) {
        const token = await this.#refresh(login);
        if (token !== undefined) return token;
      } else if (challenge.isInsufficient) throw await this.#requireScopes(login, challenge.scopes);
      else return undefined;
    }
    const { clientSecret, scopes: allowed } = this.#endpoint.oauth ?? {};
    if (clientSecret === undefined || (response.status === 403 && !challenge.isInsufficient))
      return undefined;
    if (challenge.isInsufficient && allowed !== undefined)
      throw this.#missingScopes(
        challenge.scopes,
        `Add them to ${keyOfAuth(this.#options.server, this.#options.environment)}.scopes if you agree.`,
      );
    return this.#use(await requestClientToken(this.#endpoint, challenge, this.#grant?.scopes));
  }

  /** The user may have logged in since, while a program such as `serve` runs. */
  async #findLater(): Promise<Login | undefined> {
    if (this.#hasEnded) return undefined;
    this.#login = this.#find();
    const login = await this.#login;
    // The server requires a login, and a file that cannot be used may be the one.
    const [problem] = login === undefined ? ((await this.#store?.readAll())?.problems ?? []) : [];
    if (problem !== undefined && this.#endpoint.oauth?.clientSecret === undefined) throw problem;
    return login;
  }

  /** Returns undefined if the login has ended, and client credentials replace it. */
  async #refresh(login: Login): Promise<string | undefined> {
    const { refreshLogin } = await loadRenewal();
    if (this.#store === undefined) throw new TypeError("A login has a store.");
    const work = refreshLogin(this.#endpoint, login, { store: this.#store, hint: this.hint });
    const refreshed = await work.catch((error: unknown) => {
      const isOver = error instanceof McpCodegenError && error.code === "LOGIN_REQUIRED";
      if (!isOver || this.#endpoint.oauth?.clientSecret === undefined) throw error;
      this.#hasEnded = true;
      this.#grant = undefined;
      return undefined;
    });
    this.#login = Promise.resolve(refreshed);
    return refreshed && this.#accept(refreshed);
  }

  /** Saves the scopes for the next login, and returns the error that asks for it. */
  async #requireScopes(login: Login, scopes: readonly string[]): Promise<McpCodegenError> {
    const key = this.#options.isListing === true ? "scopes" : "callScopes";
    await this.#store?.update(login, (now) =>
      Promise.resolve(now && { ...now, [key]: uniteScopes(now[key], scopes) }),
    );
    return this.#missingScopes(scopes, this.hint);
  }

  #missingScopes(scopes: readonly string[], hint: string): McpCodegenError {
    const names = scopes.map((scope) => JSON.stringify(scope)).join(", ");
    const what = scopes.length === 0 ? "more scopes" : `the scope${scopes.length === 1 ? "" : "s"} ${names}`;
    const message = `The server at ${JSON.stringify(this.#endpoint.label)} requires a login with ${what}.`;
    return new McpCodegenError("LOGIN_REQUIRED", message, { hint });
  }

  #accept({ accessToken, scopes, refreshToken, clientSecret }: Login): string {
    for (const secret of [refreshToken, clientSecret])
      if (secret !== undefined) this.#options.addSecret(secret);
    return this.#use({ token: accessToken, scopes });
  }

  #use(grant: Grant): string {
    this.#grant = grant;
    this.#options.addSecret(grant.token);
    return grant.token;
  }
}

/** A scope token (RFC 6749, section 3.3) of limited length, for the lock and for messages. */
const SCOPE = /^[\x21\x23-\x5b\x5d-\x7e]{1,200}$/;
const MOST_SCOPES = 100;

/** Returns the scopes of a space-separated text without invalid ones. The text is the server's. */
export function splitScopes(text: string | undefined): readonly string[] {
  const tokens = (text ?? "").slice(0, 20_000).split(" ");
  return uniteScopes(tokens.filter((token) => SCOPE.test(token)).slice(0, MOST_SCOPES));
}

/** Returns all scopes, sorted, each once. */
export function uniteScopes(...lists: readonly (readonly string[] | undefined)[]): readonly string[] {
  return [...new Set(lists.flatMap((list) => list ?? []))].sort();
}

import { omitUndefined } from "../core/collections.js";
import { isModernVersion, type VariableLookup, preludeOf } from "../core/connection.js";
import type {
  AuthSettings,
  ConnectionSettings,
  EndpointSettings,
  OAuthSettings,
  SettingText,
  PreludeCall,
} from "../core/connection-settings.js";
import { type MissingVariable, MissingVariablesError, McpCodegenError } from "../core/errors.js";
import { getOwn, isJsonArray, isJsonObject, mapEntries, mergeDefined, type JsonValue } from "../core/json.js";
import { isRecognizable, isSecretKey, isSecretName, secretPartsOf } from "../core/secret-shapes.js";
import type { Endpoint, EndpointSecrets, OAuthClient } from "./endpoint.js";
import { secretForms } from "./server-errors.js";

interface ResolveOptions {
  readonly environment?: string | undefined;
  /** A variant of the server, over its settings and the environment. */
  readonly variant?: string | undefined;
  /** Override the settings and the environment. The same rule about origins applies. */
  readonly overrides?: EndpointSettings | undefined;
  readonly lookup: VariableLookup;
  /** Whether other credentials replace `auth`, so that its variables need not be set. */
  readonly ignoresAuth?: boolean | undefined;
  /** The configuration key of the settings, such as `servers.wordpress`, for errors. */
  readonly where: string;
}

/**
 * Returns the endpoint for settings, in one of their environments. A URL inherits authentication and headers
 * only from a URL of the same origin.
 *
 * @throws McpCodegenError `VARIABLE_MISSING` with all variables that have no value, `CONFIG_INVALID` for
 *   settings without an endpoint, `SERVER_UNKNOWN` for an environment or variant that is not configured.
 */
export function resolveEndpoint(settings: ConnectionSettings, options: ResolveOptions): Endpoint {
  const { environment, variant, overrides, where, ignoresAuth = false } = options;
  const find = (kind: "environments" | "variants", name: string | undefined): EndpointSettings | undefined =>
    name === undefined ? undefined : findNamed(settings, kind, name, where);
  const override = find("environments", environment);
  const view = find("variants", variant);
  const overlays = [
    { where, settings: overrides },
    { where: `${where}.variants.${variant}`, settings: view },
    { where: `${where}.environments.${environment}`, settings: override },
  ].filter((layer): layer is Layer => layer.settings !== undefined);
  for (const layer of [{ where, settings }, ...overlays]) assertOneLogin(layer);
  const resolver = new Resolver(options.lookup, where, overlays);
  const merged = overlays.reduceRight<EndpointSettings>(
    (base, layer) => resolver.overlay(base, layer.settings),
    settings,
  );
  const endpoint = resolver.resolve(
    ignoresAuth ? omitUndefined({ ...merged, auth: undefined }) : merged,
    preludeOf(settings, variant),
  );
  return { ...endpoint, readLimit: settings.readLimit };
}

/** Refuses two settings for one header, such as two logins, since one would silently replace the other. */
function assertOneLogin({ where, settings: { url = "", auth, headers = {} } }: Layer): void {
  const login = "authorization";
  const settings = [
    ...(/^[a-z]+:\/\/[^/?#@]*@/i.test(url) ? [{ header: login, key: "the user of url" }] : []),
    ...(auth === undefined ? [] : [{ header: login, key: "auth" }]),
    ...Object.keys(headers).map((name) => ({ header: name.toLowerCase(), key: `headers.${name}` })),
  ];
  const keys = new Map<string, string>();
  for (const { header, key } of settings) {
    const other = keys.get(header);
    keys.set(header, key);
    if (other === undefined) continue;
    const message = `${where} sets the header "${header}" twice: by ${other} and by ${key}.`;
    throw new McpCodegenError("CONFIG_INVALID", message, { hint: "Remove one of them." });
  }
}

function findNamed(
  settings: ConnectionSettings,
  kind: "environments" | "variants",
  name: string,
  where: string,
): EndpointSettings {
  const all: { readonly [name: string]: EndpointSettings } = settings[kind] ?? {};
  const choice = getOwn(all, name);
  if (choice !== undefined) return choice;
  const names = Object.keys(all).map((key) => JSON.stringify(key));
  const noun = kind === "variants" ? "variant" : "environment";
  throw new McpCodegenError("SERVER_UNKNOWN", `${where} has no ${noun} ${JSON.stringify(name)}.`, {
    hint: names.length === 0 ? `Add it under ${where}.${kind}.` : `Known: ${names.join(", ")}.`,
  });
}

/** Replaces an address with missing variables until the error about them is thrown. */
const UNKNOWN_URL = "http://unknown.invalid/";

interface Layer {
  readonly where: string;
  readonly settings: EndpointSettings;
}

class Resolver {
  readonly #lookup: VariableLookup;
  readonly #where: string;
  /** The overriding settings; the first has precedence. */
  readonly #overlays: readonly Layer[];
  readonly #secrets = new Set<string>();
  readonly #credentials = new Set<string>();
  readonly #missing: MissingVariable[] = [];

  constructor(lookup: VariableLookup, where: string, overlays: readonly Layer[]) {
    this.#lookup = lookup;
    this.#where = where;
    this.#overlays = overlays;
  }

  /** Merges the settings of one endpoint over those of another. */
  overlay(base: EndpointSettings, over: EndpointSettings): EndpointSettings {
    if (over.command !== undefined) return over;
    if (over.url === undefined) return mergeDefined(mergeDefined(base, over), mergeMaps(base, over));
    if (base.url === undefined || !this.#haveSameOrigin(base.url, over.url)) return over;
    const { auth, transport, protocol } = mergeDefined(base, over);
    const kept: EndpointSettings = mergeDefined(over, { auth, transport, protocol });
    return { ...kept, ...mergeMaps({ headers: base.headers ?? {} }, over) };
  }

  resolve(settings: EndpointSettings, prelude: readonly PreludeCall[] | undefined): Endpoint {
    // First, since the values of its variables are secrets of the endpoint.
    const calls = prelude?.map(({ tool, arguments: input = {} }, index) => ({
      tool,
      arguments: mapEntries(input, (value) => this.#expandJson(value, `prelude[${index}]`)),
    }));
    const endpoint: Endpoint = { ...this.#resolve(settings), prelude: calls };
    if (this.#missing.length > 0) throw new MissingVariablesError(this.#missing);
    return endpoint;
  }

  #resolve(settings: EndpointSettings): Endpoint {
    if (settings.url !== undefined && settings.command !== undefined) {
      throw this.#invalid(`${this.#where} has both a url and a command.`);
    }
    if (settings.url !== undefined) return this.#resolveHttp(settings, settings.url);
    if (settings.command !== undefined) return this.#resolveStdio(settings, settings.command);
    throw new McpCodegenError(
      "CONFIG_INVALID",
      `${this.#where} has neither a url nor a command, so there is no server to ask.`,
      {
        hint: `Give ${this.#where} a url or a command, in place of "file" if it has one. "npx mcp-codegen mock" serves the lock.`,
      },
    );
  }

  #lookupFor(setting: string): VariableLookup {
    return (name) => {
      const value = this.#lookup(name);
      if (value !== undefined) {
        this.#hide(value, isNamedSecret(name) || isNamedSecret(setting));
        for (const part of secretPartsOf(value)) this.#hide(part, true);
      }
      return value;
    };
  }

  #hide(value: string, isNamed: boolean): void {
    this.#secrets.add(value);
    if (isRecognizable(value, isNamed)) this.#credentials.add(value);
  }

  #hidden(): EndpointSecrets {
    return { secrets: [...this.#secrets].flatMap(secretForms), credentials: [...this.#credentials] };
  }

  #resolveStdio(settings: EndpointSettings, command: string): Endpoint {
    const args = settings.args ?? [];
    return {
      kind: "stdio",
      command: this.#expandText(command, "command"),
      args: args.map((arg, index) => this.#expandText(arg, `args[${index}]`)),
      env: this.#expandMap(settings.env, "env"),
      cwd: settings.cwd === undefined ? undefined : this.#expandText(settings.cwd, "cwd"),
      protocol: settings.protocol,
      label: [command, ...args].join(" "),
      ...this.#hidden(),
    };
  }

  #resolveHttp(settings: EndpointSettings, setting: string): Endpoint {
    const { protocol } = settings;
    if (settings.transport === "sse" && protocol !== undefined && isModernVersion(protocol)) {
      const message = `${this.#whereOf("protocol")} has the protocol "${protocol}", which the transport "sse" does not support.`;
      throw new McpCodegenError("CONFIG_INVALID", message, { hint: "Remove transport or protocol." });
    }
    const url = this.#parseUrl(setting);
    const headers: Record<string, string> = {};
    if (url.username !== "" || url.password !== "") {
      headers["authorization"] = this.#basic(decode(url.username), decode(url.password), true);
      // Without a password it may be an API key.
      if (url.password === "") this.#hide(decode(url.username), true);
      url.username = url.password = "";
    }
    const { auth } = settings;
    const oauth = auth !== undefined && "type" in auth ? this.#resolveClient(auth) : undefined;
    if (auth !== undefined && !("type" in auth)) headers["authorization"] = this.#authorization(auth);
    for (const [name, value] of url.searchParams) if (isNamedSecret(name)) this.#hide(value, true);
    for (const [name, value] of Object.entries(this.#expandMap(settings.headers, "headers"))) {
      headers[name.toLowerCase()] = value;
      this.#hide(value, isNamedSecret(name) && !isPublic(settings.headers?.[name]));
    }
    return {
      kind: "http",
      url: url.href,
      transport: settings.transport ?? "auto",
      protocol,
      headers,
      oauth,
      label: setting.replace(/^([a-z]+:\/\/)[^/@]*@/i, "$1"),
      ...this.#hidden(),
    };
  }

  #resolveClient(settings: OAuthSettings): OAuthClient {
    const { clientId, clientSecret, issuer, scopes, redirectPort, resource } = settings;
    const expand = <T>(text: string | T, key: string): string | T =>
      typeof text === "string" ? this.#expandPublic(text, `auth.${key}`) : text;
    return {
      clientId: expand(clientId, "clientId"),
      clientSecret: clientSecret === undefined ? undefined : this.#secret(clientSecret, "auth.clientSecret"),
      issuer: expand(issuer, "issuer"),
      scopes,
      redirectPort,
      resource: expand(resource, "resource"),
    };
  }

  #authorization(auth: Exclude<AuthSettings, OAuthSettings>): string {
    if ("bearer" in auth) {
      const token = this.#secret(auth.bearer, "auth.bearer");
      if (!/^bearer\s/i.test(token)) return `Bearer ${token}`;
      const message = `${this.#whereOf("auth")}.auth.bearer begins with "Bearer", which is sent before it.`;
      throw new McpCodegenError("CONFIG_INVALID", message, { hint: "Write the token alone." });
    }
    const password = this.#secret(auth.basic.password, "auth.basic.password");
    // A user name is not a secret. Without a password it may be an API key, which is one.
    const expand = password === "" ? this.#secret.bind(this) : this.#expandPublic.bind(this);
    const username = expand(auth.basic.username, "auth.basic.username");
    return this.#basic(username, password, !isPublic(auth.basic.password));
  }

  #basic(username: string, password: string, isSecret: boolean): string {
    const pair = `${username}:${password}`;
    const encoded = btoa(String.fromCharCode(...new TextEncoder().encode(pair)));
    for (const value of [password, pair, encoded]) this.#hide(value, isSecret);
    return `Basic ${encoded}`;
  }

  #parseUrl(setting: string): URL {
    const lookup = this.#lookupFor("");
    const text = this.#expand(setting, "url", (name) => {
      const value = lookup(name);
      // A part of an address, such as its path.
      for (const part of secretPartsOf(value ?? "", UNKNOWN_URL)) this.#hide(part, true);
      return value;
    });
    if (text === undefined) return new URL(UNKNOWN_URL);
    const url = parseHttpUrl(text);
    if (url !== undefined) return url;
    throw this.#invalid(
      `${this.#whereOf("url")}.url ${JSON.stringify(setting)} is not an http: or https: URL.`,
    );
  }

  /**
   * Whether two addresses have the same known origin. An environment may not define the variables of the base
   * settings: then nothing is inherited, as from another origin.
   */
  #haveSameOrigin(base: string, over: string): boolean {
    const [first, other] = [base, over].map((setting) => {
      try {
        return parseHttpUrl(expandVariables(setting, this.#lookup, ""))?.origin;
      } catch (error) {
        if (error instanceof MissingVariablesError) return undefined;
        throw error;
      }
    });
    return first !== undefined && first === other;
  }

  #secret(text: SettingText, key: string): string {
    const value = this.#expandText(text, key, "secret");
    this.#hide(value, !isPublic(text));
    return value;
  }

  #expandMap(map: EndpointSettings["env"], key: string): { [name: string]: string } {
    const entries = Object.entries(map ?? {});
    return Object.fromEntries(
      entries.map(([name, text]) => [name, this.#expandText(text, `${key}.${name}`, name)]),
    );
  }

  #expandJson(value: JsonValue, key: string): JsonValue {
    if (typeof value === "string") return this.#expand(value, key) ?? "";
    if (isJsonArray(value)) return value.map((item) => this.#expandJson(item, key));
    return isJsonObject(value) ? mapEntries(value, (item) => this.#expandJson(item, key)) : value;
  }

  /** @param name the name of the setting, which may say that it holds a secret */
  #expandText(text: SettingText, key: string, name = ""): string {
    return typeof text === "string" ? (this.#expand(text, key, this.#lookupFor(name)) ?? "") : text.value;
  }

  /** As {@link Resolver.#expandText}, but the values of variables are not secrets. */
  #expandPublic(text: SettingText, key: string): string {
    return typeof text === "string" ? (this.#expand(text, key, this.#lookup) ?? "") : text.value;
  }

  /**
   * Returns undefined when variables are missing. {@link Resolver.resolve} throws after all of them are
   * collected.
   */
  #expand(text: string, key: string, lookup: VariableLookup = this.#lookupFor("")): string | undefined {
    // A server cannot use an empty address or credential; an empty variable or argument may be meant.
    const needsText = /^(?:url|auth|headers)\b/.test(key);
    const find: VariableLookup = (name) => (needsText ? lookup(name) || undefined : lookup(name));
    try {
      return expandVariables(text, find, `${this.#whereOf(key)}.${key}`);
    } catch (error) {
      if (!(error instanceof MissingVariablesError)) throw error;
      this.#missing.push(...error.variables);
      return undefined;
    }
  }

  /**
   * Returns the key of the settings that a value comes from, such as `servers.blog` or
   * `servers.blog.environments.staging`.
   */
  #whereOf(key: string): string {
    const [, member = "", name] = /^(\w+)(?:\.(.*))?/s.exec(key) ?? [];
    const isMerged = member === "headers" || member === "env";
    const layer = this.#overlays.find(({ settings }) => {
      const value: unknown = Object.entries(settings).find(([settingName]) => settingName === member)?.[1];
      if (value === undefined || !isMerged || name === undefined) return value !== undefined;
      return typeof value === "object" && value !== null && Object.hasOwn(value, name);
    });
    return layer?.where ?? this.#where;
  }

  #invalid(message: string): McpCodegenError {
    return new McpCodegenError("CONFIG_INVALID", message, {
      hint: `Give ${this.#where} either a url or a command.`,
    });
  }
}

/** Whether the name of a variable, a header or a parameter says that its value is a secret. */
function isNamedSecret(name: string): boolean {
  return isSecretName(name) || isSecretKey(name);
}

function isPublic(setting: SettingText | undefined): boolean {
  return typeof setting === "object";
}

function mergeMaps(base: EndpointSettings, over: EndpointSettings): EndpointSettings {
  return {
    ...((base.headers ?? over.headers) && { headers: mergeDefined(base.headers ?? {}, over.headers) }),
    ...((base.env ?? over.env) && { env: mergeDefined(base.env ?? {}, over.env) }),
  };
}

function parseHttpUrl(text: string): URL | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  return url?.protocol === "http:" || url?.protocol === "https:" ? url : undefined;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

const VARIABLE = /\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}/g;

/**
 * Replaces every `${NAME}` and `${NAME:-default}` in a text. As in a shell, the default also replaces an
 * empty variable. Other spellings are kept.
 *
 * @param where the configuration key that holds the text, for the error
 * @throws MissingVariablesError with all variables that have no value
 */
export function expandVariables(text: string, lookup: VariableLookup, where: string): string {
  const missing: MissingVariable[] = [];
  const expanded = text.replace(VARIABLE, (_match, name: string, fallback: string | undefined) => {
    const value = lookup(name);
    if (fallback !== undefined) return value === undefined || value === "" ? fallback : value;
    if (value === undefined) missing.push({ name, where });
    return value ?? "";
  });
  if (missing.length > 0) throw new MissingVariablesError(missing);
  return expanded;
}

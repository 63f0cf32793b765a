import type { JsonObject } from "./json.js";

/** Stands for the server of tools that no server has, in policies, filters and options. No server has this name. */
export const STATIC_TOOLS = "static";

/** A text that may hold `${VAR}` and `${VAR:-default}`, or a literal that its author declares to be public. */
export type SettingText = string | { readonly value: string; readonly public: true };

export type AuthSettings =
  | { readonly basic: { readonly username: SettingText; readonly password: SettingText } }
  | { readonly bearer: SettingText }
  | OAuthSettings;

/** An OAuth client for a server that requires a login. A server without `auth` needs none of these. */
export interface OAuthSettings {
  readonly type: "oauth";
  /** A registered client ID, or the URL of a client metadata document. Default: `login` registers a client. */
  readonly clientId?: string;
  /** With `issuer`, gets tokens by client credentials where the user has not logged in, such as in CI. */
  readonly clientSecret?: SettingText;
  /** The issuer of the authorization server. No other receives the client ID and secret. */
  readonly issuer?: string;
  /** The scopes to request. Default: those that the server names. */
  readonly scopes?: readonly string[];
  /** The port of the redirect address that is registered for `clientId`. Default: any free port. */
  readonly redirectPort?: number;
  /**
   * The resource to request a token for (RFC 8707), or `false` to name none, as some servers require (Microsoft Entra). Default:
   * the one that the server names.
   */
  readonly resource?: string | false;
}

/** Returns the access token of the next request. Called again, once, when the server refuses that token. */
export type AuthProvider = () => Promise<string>;

/** Where one server is reached. Variables are unresolved: this is what is written into generated code. */
export interface EndpointSettings {
  /** An `http:` or `https:` URL; for a server that is started, see `command`. */
  readonly url?: string;
  /** Default: streamable HTTP, falling back on legacy SSE as the specification's transport section describes. */
  readonly transport?: "http" | "sse";
  /** The version of MCP to speak, such as `2026-07-28`. Default: the client and the server agree on the latest that both know. */
  readonly protocol?: string;
  /** Basic or bearer authentication, or an OAuth client, with the secrets as `${VAR}`. */
  readonly auth?: AuthSettings;
  /** Sent with every request to `url`. */
  readonly headers?: { readonly [name: string]: SettingText };
  /** A program that speaks MCP on its stdin and stdout. It is started without a shell. */
  readonly command?: string;
  /** Arguments of `command`. */
  readonly args?: readonly string[];
  /** Environment variables for `command`, beside the few that every program needs. */
  readonly env?: { readonly [name: string]: SettingText };
  /** Where `command` is started. Relative to the configuration file; at run time, relative to the process. */
  readonly cwd?: string;
}

/** One environment of a server: another endpoint of the same contract. */
export interface EnvironmentSettings extends EndpointSettings {
  /**
   * Whether others work with it. Tools that are not locked are refused there by default. Default: by its name, and `true`
   * unless the name has a word such as `local`, `dev`, `test`, `sandbox` or `staging`.
   */
  readonly production?: boolean;
}

/** A call that makes a server list its tools, such as one that selects a project. */
export interface PreludeCall {
  readonly tool: string;
  /** Texts may hold `${VAR}` and `${VAR:-default}`. */
  readonly arguments?: JsonObject;
}

/** One variant of a server: the same server with another account, other flags or other capabilities. */
export interface VariantSettings extends EndpointSettings {
  /** Client capabilities to declare, in place of the server's. */
  readonly capabilities?: JsonObject;
  /** In place of the server's. */
  readonly prelude?: readonly PreludeCall[];
}

export interface ConnectionSettings extends EndpointSettings {
  /** Other endpoints of the same contract. One of another origin inherits no credentials. */
  readonly environments?: { readonly [name: string]: EnvironmentSettings };
  /**
   * Other views of the same server, whose list depends on who asks and on its flags: `pull` locks which variant lists which
   * tool. What a variant does not set is as in the server's own settings; one of another origin inherits no credentials.
   */
  readonly variants?: { readonly [name: string]: VariantSettings };
  /**
   * Milliseconds. Connect: 60,000 for a command, 5,000 for a URL. Call: 60,000. List, for a whole list of tools: 10,000 at run
   * time; `pull` and `check` have no limit unless this sets one.
   */
  readonly timeouts?: { readonly connect?: number; readonly call?: number; readonly list?: number };
  /**
   * The most bytes that are read of one answer, or of the saved list in `file`. Default: 268435456 (256 MiB); at most 524288000
   * (500 MiB).
   */
  readonly readLimit?: number;
  /**
   * Calls that are made in each session before anything else, for servers that list their tools only then. Only tools that
   * read are called, and `pull` asks once before it makes them.
   */
  readonly prelude?: readonly PreludeCall[];
  /** Client capabilities to declare: some servers list their tools by them. */
  readonly capabilities?: JsonObject;
}

/** What a recorded call of a server leaves out. */
export interface RecordSettings {
  /**
   * The paths of values that are replaced by `[redacted]`, such as `arguments.customer.email` and
   * `result.structuredContent.*.iban`; `*` is any key or index. Secrets that are detected are always replaced.
   */
  readonly redact?: readonly string[];
  /**
   * The paths of values that are recorded although their keys look like those of secrets, such as `arguments.token` for a
   * page of a list. What has the shape of a secret is still replaced.
   */
  readonly keep?: readonly string[];
}

/**
 * Receives each line that a started server writes to stderr, with the server's name. The line has no control characters and
 * none of the secrets that we gave the server, but it is the server's text.
 */
export type ServerOutputListener = (server: string, line: string) => void;

/** Looks a variable up; undefined when it is not set. */
export type VariableLookup = (name: string) => string | undefined;

/**
 * What happens to an answer that does not fit the output schema.
 *
 * - `tolerant`: unknown keys in closed objects are kept and reported as the event `tool.output.unknown_keys`; every other
 *   misfit fails the call.
 * - `strict`: every misfit fails the call.
 * - `warn`: a misfit is reported as a warning, and the answer is handed over.
 * - `off`: the answer is not checked.
 */
export type OutputMode = "tolerant" | "strict" | "warn" | "off";

/** The revisions of MCP in which each request carries its version, and no session is initialized. */
export const MODERN_VERSIONS: readonly string[] = ["2026-07-28"];

/** The revisions of MCP in which `initialize` opens a session, the latest first. */
export const LEGACY_VERSIONS: readonly string[] = [
  ...["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05", "2024-10-07"],
];

/** The revisions of MCP that the client speaks, the latest first. */
export const PROTOCOL_VERSIONS: readonly string[] = [...MODERN_VERSIONS, ...LEGACY_VERSIONS];

/**
 * Whether a protocol version belongs to the modern era (specification 2026-07-28, "Versioning and
 * Compatibility").
 */
export function isModernVersion(version: string): boolean {
  return MODERN_VERSIONS.includes(version);
}

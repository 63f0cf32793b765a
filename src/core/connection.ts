import { getOwn, type JsonObject } from "./json.js";

/** The name for static tools instead of a server, in policies, filters and options. No server has this name. */
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
  /** With `issuer`: gets tokens by client credentials where the user has not logged in, such as in CI. */
  readonly clientSecret?: SettingText;
  /** The issuer of the authorization server. No other receives the client ID and secret. */
  readonly issuer?: string;
  /** The scopes to request. Default: those that the server names. */
  readonly scopes?: readonly string[];
  /** The port of the redirect address registered for `clientId`. Default: any free port. */
  readonly redirectPort?: number;
  /**
   * The resource to request a token for (RFC 8707), or `false` for none, as Microsoft Entra requires. Default: the
   * one that the server names.
   */
  readonly resource?: string | false;
}

/** Returns the access token for the next request. Called once more if the server refuses that token. */
export type AuthProvider = () => Promise<string>;

/** The connection settings of one server, with unresolved variables. Generated code contains them. */
export interface EndpointSettings {
  /** An `http:` or `https:` URL. */
  readonly url?: string;
  /** Default: streamable HTTP, falling back on legacy SSE. */
  readonly transport?: "http" | "sse";
  /** The version of MCP to speak, such as `2026-07-28`. Default: the latest that client and server know. */
  readonly protocol?: string;
  /** Basic or bearer authentication, or an OAuth client, with secrets as `${VAR}`. */
  readonly auth?: AuthSettings;
  /** Sent with every request to `url`. */
  readonly headers?: { readonly [name: string]: SettingText };
  /** A program that speaks MCP on stdin and stdout, started without a shell. */
  readonly command?: string;
  /** Arguments of `command`. */
  readonly args?: readonly string[];
  /** Environment variables for `command`, beside the few that every program needs. */
  readonly env?: { readonly [name: string]: SettingText };
  /** The working directory of `command`, relative to the configuration; at run time, to the process. */
  readonly cwd?: string;
}

/** One environment of a server: another endpoint of the same contract. */
export interface EnvironmentSettings extends EndpointSettings {
  /**
   * Whether other people use it. By default, tools that are not locked are refused there. Default: `true`, unless the name has
   * a word such as `local`, `dev`, `test`, `sandbox` or `staging`.
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
  /** Client capabilities to declare, instead of those of the server's settings. */
  readonly capabilities?: JsonObject;
  /** Replaces the `prelude` of the server's settings. */
  readonly prelude?: readonly PreludeCall[];
}

export interface ConnectionSettings extends EndpointSettings {
  /** Other endpoints of the same contract. Another origin inherits no credentials. */
  readonly environments?: { readonly [name: string]: EnvironmentSettings };
  /**
   * Other views of the server, where its list depends on the account or on flags. `pull` locks which variant lists
   * which tool. Another origin inherits no credentials.
   */
  readonly variants?: { readonly [name: string]: VariantSettings };
  /**
   * Milliseconds. Connect: 60,000 for a command, 5,000 for a URL. Call: 60,000. List of all tools: 10,000 at run
   * time, no limit in `pull` and `check`.
   */
  readonly timeouts?: { readonly connect?: number; readonly call?: number; readonly list?: number };
  /** The most bytes of one answer, or of `file`. Default: 268435456 (256 MiB); at most 524288000 (500 MiB). */
  readonly readLimit?: number;
  /**
   * Read-only calls to make at the start of a session, for servers that list their tools only then. `pull` asks for
   * consent once.
   */
  readonly prelude?: readonly PreludeCall[];
  /** Client capabilities to declare, on which some lists depend. */
  readonly capabilities?: JsonObject;
}

/** The values that recorded calls of a server leave out. */
export interface RecordSettings {
  /**
   * The paths of values that are replaced by `[redacted]`, such as `arguments.customer.email` and
   * `result.structuredContent.*.iban`; `*` is any key or index. Secrets that are detected are always replaced.
   */
  readonly redact?: readonly string[];
  /**
   * The paths of values to record although their keys look like those of secrets, such as `arguments.token` for a page of a
   * list. Values with the shape of a secret are still replaced.
   */
  readonly keep?: readonly string[];
}

/**
 * Receives each line that a started server writes to stderr, with the server's name. The line has no control characters and
 * none of the secrets that we gave the server, but it is the server's text.
 */
export type ServerOutputListener = (server: string, line: string) => void;

/** Returns the value of a variable; undefined if it is not set. */
export type VariableLookup = (name: string) => string | undefined;

/**
 * How to treat an answer that does not fit the output schema.
 *
 * - `tolerant`: unknown keys in closed objects are kept and reported as the event `tool.output.unknown_keys`; every other
 *   fault fails the call.
 * - `strict`: every fault fails the call.
 * - `warn`: a fault causes a warning, and the answer is returned.
 * - `off`: the answer is not validated.
 */
export type OutputMode = "tolerant" | "strict" | "warn" | "off";

/** How to treat an input that does not fit the input schema: `strict` refuses the call, `warn` sends it with a warning. */
export type InputMode = "strict" | "warn";

/** The revisions of MCP in which each request carries its version, and no session is initialized. */
export const MODERN_VERSIONS: readonly string[] = ["2026-07-28"];

/** The revisions of MCP in which `initialize` opens a session, the latest first. */
export const LEGACY_VERSIONS: readonly string[] = [
  "2025-11-25",
  "2025-06-18",
  "2025-03-26",
  "2024-11-05",
  "2024-10-07",
];

/** The revisions of MCP that the client speaks, the latest first. */
export const PROTOCOL_VERSIONS: readonly string[] = [...MODERN_VERSIONS, ...LEGACY_VERSIONS];

/** Whether a protocol version belongs to the modern era (specification 2026-07-28, "Versioning"). */
export function isModernVersion(version: string): boolean {
  return MODERN_VERSIONS.includes(version);
}

/** The settings of a server that hold calls before the list. */
export interface Preludes {
  readonly prelude?: ConnectionSettings["prelude"] | undefined;
  readonly variants?: ConnectionSettings["variants"] | undefined;
}

/** Returns the calls before the list of a server, or of its variant; undefined without any. */
export function preludeOf(
  { prelude, variants = {} }: Preludes,
  variant: string | undefined,
): readonly PreludeCall[] | undefined {
  const calls = (variant === undefined ? undefined : getOwn(variants, variant)?.prelude) ?? prelude;
  return calls === undefined || calls.length === 0 ? undefined : calls;
}

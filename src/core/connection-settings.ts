/** How to reach a server and to call it, as a configuration and generated code contain it. */
import * as f from "./format.js";
import { PROTOCOL_VERSIONS, STATIC_TOOLS } from "./connection.js";
import { findRounded } from "./exact-json.js";
import { HIGHEST_READ_LIMIT, LONGEST_WAIT } from "./limits.js";
import { findPatternProblem } from "./name-pattern.js";
import { DEFAULT_VIEW } from "./snapshot.js";

/** The name of a server in a file of ours. It becomes an identifier and the name of a folder. */
const SERVER_NAME = /^[a-z][a-z0-9_]*$/;
export const serverName: f.ValueFormat<string> = f.textLike(
  { pattern: SERVER_NAME.source, not: { const: STATIC_TOOLS } },
  "expected a name such as my_server",
  (name) => SERVER_NAME.test(name) && name !== STATIC_TOOLS,
);

/** A text that may hold `${VAR}` and `${VAR:-default}`, or a literal that its author declares to be public. */
export type SettingText = string | { readonly value: string; readonly public: true };

const secret: f.ValueFormat<SettingText> = f.either(
  "expected a string or { value, public: true }",
  f.anyText,
  f.record({ value: f.anyText, public: f.oneOf(true) }),
);
const secrets = f.mapOf(secret, "expected an object of strings");

const url = f.matching(
  f.text,
  /^(?:https?:\/\/|\$\{)/i,
  'expected a URL that starts with "http://" or "https://"',
);

const oauth = f.record({
  type: f.oneOf("oauth"),
  /** A registered client ID, or the URL of a client metadata document. Default: `login` registers a client. */
  clientId: f.optional(f.text),
  /** With `issuer`: gets tokens by client credentials where the user has not logged in, such as in CI. */
  clientSecret: f.optional(secret),
  /** The issuer of the authorization server. No other receives the client ID and secret. */
  issuer: f.optional(url),
  /** The scopes to request. Default: those that the server names. */
  scopes: f.optional(
    f.list(f.matching(f.text, /^[!#-[\]-~]+$/, "expected a scope"), "expected an array of scopes"),
  ),
  /** The port of the redirect address registered for `clientId`. Default: any free port. */
  redirectPort: f.optional(f.wholeNumber(1, "expected a port from 1 to 65535", 65_535)),
  /**
   * The resource to request a token for (RFC 8707), or `false` for none, as Microsoft Entra requires. Default: the
   * one that the server names.
   */
  resource: f.optional(
    f.either(
      "expected an absolute URI, or false",
      f.matching(f.text, /^(?:[a-z][a-z\d+.-]*:|\$\{)/i, "expected an absolute URI, or false"),
      f.oneOf(false),
    ),
  ),
});

/** An OAuth client for a server that requires a login. A server without `auth` needs none of these. */
export type OAuthSettings = f.SettingsOf<typeof oauth>;

export type AuthSettings =
  | { readonly basic: { readonly username: SettingText; readonly password: SettingText } }
  | { readonly bearer: SettingText }
  | OAuthSettings;
const auth: f.ValueFormat<AuthSettings> = f.either(
  'expected { basic: { username, password } }, { bearer } or { type: "oauth" } with its client',
  f.record({ basic: f.record({ username: secret, password: secret }) }),
  f.record({ bearer: secret }),
  f.withRule<OAuthSettings>(
    oauth,
    // Without the issuer, the MCP server would choose who receives the secret.
    ({ clientSecret, clientId, issuer }, refuse) =>
      clientSecret === undefined ||
      (clientId !== undefined && issuer !== undefined) ||
      refuse('"clientSecret" needs "clientId" and "issuer"'),
  ),
);

// `init` writes keys in this order.
const endpoint = f.record({
  /** An `http:` or `https:` URL. */
  url: f.optional(url),
  /** A program that speaks MCP on stdin and stdout, started without a shell. */
  command: f.optional(f.text),
  /** Arguments of `command`. */
  args: f.optional(f.strings),
  /** Default: streamable HTTP, falling back on legacy SSE. */
  transport: f.optional(f.oneOf("http", "sse")),
  /** The version of MCP to speak, such as `2026-07-28`. Default: the latest that client and server know. */
  protocol: f.optional(f.oneOf(...PROTOCOL_VERSIONS)),
  /** Basic or bearer authentication, or an OAuth client, with secrets as `${VAR}`. */
  auth: f.optional(auth),
  /** Sent with every request to `url`. */
  headers: f.optional(secrets),
  /** Environment variables for `command`, beside the few that every program needs. */
  env: f.optional(secrets),
  /** The working directory of `command`, relative to the configuration; at run time, to the process. */
  cwd: f.optional(f.text),
});

/** The connection settings of one server, with unresolved variables. Generated code contains them. */
export type EndpointSettings = f.SettingsOf<typeof endpoint>;

const environment = f.record({
  ...endpoint.fields,
  /**
   * Whether other people use it. By default, tools that are not locked are refused there. Default: `true`, unless the name has
   * a word such as `local`, `dev`, `test`, `sandbox` or `staging`.
   */
  production: f.optional(f.flag),
});

/** One environment of a server: another endpoint of the same contract. */
export type EnvironmentSettings = f.SettingsOf<typeof environment>;

const sendable = f.withRule(
  f.anyObject,
  (value, refuse) =>
    findRounded(value).length === 0 ||
    refuse("expected numbers that JavaScript can hold; write longer ones as strings"),
);
const call = f.record(
  {
    tool: f.text,
    /** Texts may hold `${VAR}` and `${VAR:-default}`. */
    arguments: f.optional(sendable),
  },
  { text: "expected { tool, arguments }" },
);

/** A call that makes a server list its tools, such as one that selects a project. */
export type PreludeCall = f.SettingsOf<typeof call>;
const prelude = f.list<PreludeCall>(call, "expected an array of calls");

const variant = f.record({
  ...endpoint.fields,
  /** Client capabilities to declare, instead of those of the server's settings. */
  capabilities: f.optional(f.anyObject),
  /** Replaces the `prelude` of the server's settings. */
  prelude: f.optional(prelude),
});

/** One variant of a server: the same server with another account, other flags or other capabilities. */
export type VariantSettings = f.SettingsOf<typeof variant>;

const KINDS = ["url", "command", "file"] as const;
const KEYS_OF = [
  ["command", ["args", "env", "cwd"]],
  ["url", ["auth", "headers", "transport"]],
] as const;

/** A server has one kind of source, and the keys of that kind; an environment or a variant may have none. */
export function keysOfOneKind(
  isServer: boolean,
): f.ValueRule<EndpointSettings & { readonly file?: string; readonly php?: unknown }> {
  return (settings, refuse) => {
    const [kind, ...others] = KINDS.filter((key) => settings[key] !== undefined);
    if (others.length > 0 || (isServer && kind === undefined && settings.php === undefined))
      return refuse(
        `expected exactly one of ${isServer ? '"url", "command" and "file", or "php"' : '"url" and "command"'}`,
      );
    for (const [needed, keys] of KEYS_OF)
      for (const key of keys)
        if (settings[key] !== undefined && kind !== undefined && kind !== needed)
          refuse(`applies only together with "${needed}"`, key);
    return true;
  };
}

export const variantName: f.ValueFormat<string> = f.withRule(
  f.matching(f.anyText, /^[A-Za-z]\w*$/, "expected a name of letters, digits and _"),
  (name, refuse) =>
    name !== DEFAULT_VIEW || refuse(`"${DEFAULT_VIEW}" is the name of the server's own settings`),
  { not: { const: DEFAULT_VIEW } },
);
const environmentName = f.withRule(
  f.anyText,
  (name, refuse) =>
    !["all", DEFAULT_VIEW].includes(name) || refuse(`"${name}" cannot be the name of an environment`),
);
const milliseconds = f.wholeNumber(
  1,
  `expected a whole number of milliseconds from 1 to ${LONGEST_WAIT}`,
  LONGEST_WAIT,
);

export const connection = f.record({
  ...endpoint.fields,
  /** Other endpoints of the same contract. Another origin inherits no credentials. */
  environments: f.optional(
    f.mapOf(
      f.withRule<EnvironmentSettings>(environment, keysOfOneKind(false)),
      "expected an object of endpoints",
      environmentName,
    ),
  ),
  /**
   * Other views of the server, where its list depends on the account or on flags. `pull` locks which variant lists
   * which tool. Another origin inherits no credentials.
   */
  variants: f.optional(
    f.mapOf(
      f.withRule<VariantSettings>(variant, keysOfOneKind(false)),
      "expected an object of variants",
      variantName,
    ),
  ),
  /**
   * Milliseconds. Connect: 60,000 for a command, 5,000 for a URL. Call: 60,000. List of all tools: 10,000 at run
   * time, no limit in `pull` and `check`.
   */
  timeouts: f.optional(
    f.record({
      connect: f.optional(milliseconds),
      call: f.optional(milliseconds),
      list: f.optional(milliseconds),
    }),
  ),
  /** The most bytes of one answer, or of `file`. Default: 268435456 (256 MiB); at most 524288000 (500 MiB). */
  readLimit: f.optional(
    f.wholeNumber(
      1,
      `expected a whole number of bytes from 1, and at most ${HIGHEST_READ_LIMIT} bytes (500 MiB)`,
      HIGHEST_READ_LIMIT,
    ),
  ),
  /** Client capabilities to declare, on which some lists depend. */
  capabilities: f.optional(f.anyObject),
  /**
   * Read-only calls to make at the start of a session, for servers that list their tools only then. `pull` asks for
   * consent once.
   */
  prelude: f.optional(prelude),
});
export type ConnectionSettings = f.SettingsOf<typeof connection>;

const valuePaths = f.list(
  f.withRule(
    f.matching(
      f.textLike({}, "expected a path"),
      /^(?:arguments|result)(?:\.[^.]+)+$/,
      'expected a path that starts with "arguments." or "result.", such as "arguments.customer.email"',
    ),
    (path, refuse) => {
      const problem = path
        .split(".")
        .map((step) => findPatternProblem(step))
        .find((each) => each !== undefined);
      if (problem !== undefined) refuse(problem);
    },
  ),
  "expected an array of paths",
);

export const recording = f.record({
  /**
   * The paths of values that are replaced by `[redacted]`, such as `arguments.customer.email` and
   * `result.structuredContent.*.iban`; `*` is any key or index. Secrets that are detected are always replaced.
   */
  redact: f.optional(valuePaths),
  /**
   * The paths of values to record although their keys look like those of secrets, such as `arguments.token` for a page of a
   * list. Values with the shape of a secret are still replaced.
   */
  keep: f.optional(valuePaths),
});

/** The values that recorded calls of a server leave out. */
export type RecordSettings = f.SettingsOf<typeof recording>;

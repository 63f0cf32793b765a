import { join } from "node:path";
import { STATIC_TOOLS } from "../config/find-unknown-in-policy.js";
import { hasVariable } from "../config/secret-shapes.js";
import { CONFIG_NAME, type LoadedConfig } from "../config/load-config.js";
import { parseServerArgument } from "../config/parse-server-argument.js";
import type { ServerConfig } from "../config/config.js";
import { validateConfig } from "../config/validate-config.js";
import type { SettingText } from "../contract/connection.js";
import { McpCodegenError } from "../contract/errors.js";
import type { Context } from "./context.js";
import { findProject } from "./load-project.js";
import type { OptionValues } from "./options.js";

/** The options that name a server on the command line. */
export type ServerOptions = OptionValues<"server" | "header" | "bearer">;

/** A server that the command line describes. No configuration has it, and nothing is written for it. */
export interface AdHocServer {
  readonly name: string;
  /** As the command line has them. */
  readonly settings: ServerConfig;
  /** A configuration in memory that has this server alone. */
  readonly project: LoadedConfig;
  /** The options that name the server, for a command line that is printed: literal secrets are left out. */
  readonly words: readonly string[];
}

/** What `--server` names: a configured server by its name, or a server by its command or URL. */
export type NamedServer =
  | { readonly kind: "configured"; readonly name: string }
  | { readonly kind: "ad-hoc"; readonly server: AdHocServer };

/**
 * Reads `--server`, `--header` and `--bearer`; undefined without them. A configuration is read only for a `--server`
 * of one word, which may be the name of a configured server.
 *
 * @throws McpCodegenError `USAGE` for a text that names no server, or for credentials without a URL; `SERVER_UNKNOWN` for a
 *   word that looks like a configured server's name and is not one; `SECRET_LITERAL` for a secret in the text of `--server`
 */
export async function readServerOptions(
  context: Context,
  options: ServerOptions,
): Promise<NamedServer | undefined> {
  const { server: text } = options;
  if (text === undefined) {
    if (options.header === undefined && options.bearer === undefined) return undefined;
    throw needsUrl();
  }
  if (/^[a-z][a-z0-9_]*$/.test(text)) {
    const servers = (await findProject(context))?.config.servers;
    if (servers !== undefined) {
      if (options.header !== undefined || options.bearer !== undefined) throw needsUrl();
      return { kind: "configured", name: getConfigured(text, Object.keys(servers)) };
    }
  }
  return { kind: "ad-hoc", server: await readAdHocServer(context, text, options) };
}

function needsUrl(): McpCodegenError {
  return new McpCodegenError("USAGE", "--header and --bearer need --server with a URL.", {
    hint: "For example: --server https://example.com/mcp --bearer '${TOKEN}'.",
  });
}

function getConfigured(name: string, known: readonly string[]): string {
  if (name === STATIC_TOOLS || known.includes(name)) return name;
  throw new McpCodegenError("SERVER_UNKNOWN", `The configuration has no server "${name}".`, {
    hint: `${known.length === 0 ? "It has no servers" : `It has ${known.map((each) => `"${each}"`).join(", ")}`}. To start the command "${name}", write its path.`,
  });
}

/** Milliseconds to wait on a terminal, where a bridge may ask for a login and Ctrl-C ends the wait. */
const LOGIN_TIME = 300_000;

async function readAdHocServer(
  { io, isInteractive }: Context,
  text: string,
  { header = [], bearer }: ServerOptions,
): Promise<AdHocServer> {
  const { name, settings } = parseServerArgument(text);
  const headers = header.map(parseHeader);
  if (settings.url === undefined && (headers.length > 0 || bearer !== undefined)) {
    throw new McpCodegenError("USAGE", "--header and --bearer need --server with a URL.", {
      hint: "Pass secrets to a command as environment variables: --server 'TOKEN=${TOKEN} npx -y some-server'.",
    });
  }
  if (bearer?.trim() === "")
    throw new McpCodegenError("USAGE", "--bearer is empty.", {
      hint: "Check that the variable that holds the token is set.",
    });
  const complete: ServerConfig = {
    ...settings,
    ...(bearer !== undefined && { auth: { bearer: toSetting(bearer) } }),
    ...(headers.length > 0 && {
      headers: Object.fromEntries(headers.map(([key, value]) => [key, toSetting(value)])),
    }),
  };
  const waits = isInteractive && settings.command !== undefined;
  return {
    name,
    settings: complete,
    project: {
      config: await validateAdHoc(name, {
        ...complete,
        ...(waits && { timeouts: { connect: LOGIN_TIME } }),
      }),
      dir: io.cwd,
      path: join(io.cwd, CONFIG_NAME),
    },
    words: [
      ...["--server", text],
      ...headers.flatMap(([key, value]) => ["--header", `${key}: ${withoutSecret(value)}`]),
      ...(bearer === undefined ? [] : ["--bearer", withoutSecret(bearer)]),
    ],
  };
}

/** A literal secret in a command or a URL is refused: messages name a server by that text. */
async function validateAdHoc(name: string, settings: ServerConfig): Promise<LoadedConfig["config"]> {
  try {
    return await validateConfig({ servers: { [name]: settings } }, "--server");
  } catch (error) {
    if (!(error instanceof McpCodegenError) || error.code !== "SECRET_LITERAL") throw error;
    throw new McpCodegenError(error.code, error.message, {
      hint: 'Write "${NAME}", in single quotes so that the shell does not expand it, and set NAME in the environment or in ".env.local".',
    });
  }
}

function parseHeader(text: string): readonly [name: string, value: string] {
  const [, name, value] = /^([\w!#$%&'*+.^`|~-]+):[ \t]*(\S.*)$/s.exec(text) ?? [];
  // The text may hold a secret, so the message does not repeat it.
  if (name === undefined || value === undefined || /[\r\n\0]/.test(value)) {
    throw new McpCodegenError("USAGE", "--header takes a name and a value, separated by a colon.", {
      hint: "For example: --header 'X-Api-Key: ${API_KEY}'.",
    });
  }
  return [name, value.trimEnd()];
}

/** A text with a variable is expanded as in a configuration; any other is sent as it is. */
function toSetting(text: string): SettingText {
  return hasVariable(text) ? text : { value: text, public: true };
}

function withoutSecret(text: string): string {
  return hasVariable(text) ? text : "…";
}

/** The settings of an ad hoc server as a configuration may hold them: each literal secret is a variable. */
export async function settingsToKeep({ name, settings }: AdHocServer): Promise<ServerConfig> {
  const { replaceSecrets } = await import("../config/replace-secrets.js");
  const { auth, headers } = settings;
  const asLiteral = (text: SettingText): SettingText => (typeof text === "string" ? text : text.value);
  return replaceSecrets(name, {
    ...settings,
    ...(auth !== undefined && "bearer" in auth && { auth: { bearer: asLiteral(auth.bearer) } }),
    ...(headers !== undefined && {
      headers: Object.fromEntries(Object.entries(headers).map(([key, value]) => [key, asLiteral(value)])),
    }),
  }).server;
}

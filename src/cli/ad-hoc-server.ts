import { join } from "node:path";
import type { ServerConfig } from "../config/config.js";
import { CONFIG_NAME, type LoadedConfig } from "../config/load-config.js";
import { parseServerArgument } from "../config/parse-server-argument.js";
import { validateConfig } from "../config/validate-config.js";
import { type SettingText, STATIC_TOOLS } from "../core/connection.js";
import { McpCodegenError } from "../core/errors.js";
import { hasVariable } from "../core/secret-shapes.js";
import { usageError } from "./command-spec.js";
import type { Context } from "./context.js";
import { type EditorServers, findEditorServers } from "./editor-servers.js";
import { findProject } from "./load-project.js";

/** The options that name a server on the command line. */
export interface ServerOptions {
  readonly server?: string | undefined;
  readonly header?: readonly string[] | undefined;
  readonly bearer?: string | undefined;
}

/**
 * A server given by its command or URL on the command line. It is in no configuration, and no files are written for
 * it.
 */
export interface AdHocServer {
  readonly name: string;
  /** The settings as given on the command line. */
  readonly settings: ServerConfig;
  /** A configuration in memory with only this server. */
  readonly project: LoadedConfig;
  /** The options that name the server, for printed command lines; literal secrets are replaced by `…`. */
  readonly words: readonly string[];
}

/** The server that `--server` names: a configured server, one of an editor's files, or a command or URL. */
type NamedServer =
  | { readonly kind: "configured"; readonly name: string }
  | { readonly kind: "editor"; readonly name: string; readonly editor: EditorServers }
  | { readonly kind: "ad-hoc"; readonly server: AdHocServer };

/**
 * Reads `--server`, `--header` and `--bearer`; returns undefined without them. Reads the configuration, or the editors'
 * files without one, only if `--server` is one word, which may be the name of a server there.
 *
 * @throws McpCodegenError `USAGE` for a value that is not a command or URL, or for credentials without a URL;
 *   `SERVER_UNKNOWN` for an unknown name of a configured server; `SECRET_LITERAL` for a literal secret in `--server`
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
    const editor = await findEditorServers(context);
    if (editor !== undefined && Object.hasOwn(editor.imported.servers, text))
      return { kind: "editor", name: text, editor };
  }
  return { kind: "ad-hoc", server: await readAdHocServer(context, text, options) };
}

function needsUrl(): McpCodegenError {
  return usageError(
    "--header and --bearer need --server with a URL.",
    "For example: --server https://example.com/mcp --bearer '${TOKEN}'.",
  );
}

/**
 * Returns the name, which has to be one of `known`.
 *
 * @param files the editors' files that have the servers; none for the configuration
 * @throws McpCodegenError `SERVER_UNKNOWN`
 */
export function getConfigured(name: string, known: readonly string[], files: readonly string[] = []): string {
  if (name === STATIC_TOOLS || known.includes(name)) return name;
  const place = files.length === 0 ? "The configuration has" : `${files.join(" and ")} has`;
  throw new McpCodegenError("SERVER_UNKNOWN", `${place} no server ${JSON.stringify(name)}.`, {
    hint: `${known.length === 0 ? "It has no servers" : `It has ${known.map((each) => `"${each}"`).join(", ")}`}. To start the command "${name}", write its path.`,
  });
}

/** Connection time-out on a terminal in milliseconds: a bridge may ask for a login, and Ctrl-C ends the wait. */
const LOGIN_TIME = 300_000;

async function readAdHocServer(
  { io, isInteractive }: Context,
  text: string,
  { header = [], bearer }: ServerOptions,
): Promise<AdHocServer> {
  const { name, settings } = parseServerArgument(text);
  const headers = header.map(parseHeader);
  if (settings.url === undefined && (headers.length > 0 || bearer !== undefined)) {
    throw usageError(
      "--header and --bearer need --server with a URL.",
      "Pass secrets to a command as environment variables: --server 'TOKEN=${TOKEN} npx -y some-server'.",
    );
  }
  if (bearer?.trim() === "")
    throw usageError("--bearer is empty.", "Check that the variable that holds the token is set.");
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

/** Refuses a literal secret in a command or URL, since messages quote it. */
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
  // The message does not quote the value, since it may contain a secret.
  if (name === undefined || value === undefined || /[\r\n\0]/.test(value)) {
    throw usageError(
      "--header takes a name and a value, separated by a colon.",
      "For example: --header 'X-Api-Key: ${API_KEY}'.",
    );
  }
  return [name, value.trimEnd()];
}

/** A value with a variable is expanded as in a configuration; any other value is sent unchanged. */
function toSetting(text: string): SettingText {
  return hasVariable(text) ? text : { value: text, public: true };
}

function withoutSecret(text: string): string {
  return hasVariable(text) ? text : "…";
}

/** Returns the settings of an ad-hoc server for a configuration file, with variables in place of literal secrets. */
export async function settingsToKeep({ name, settings }: AdHocServer): Promise<ServerConfig> {
  const { replaceSecrets } = await import("../config/find-secrets.js");
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

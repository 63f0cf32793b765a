import { createHash } from "node:crypto";
import { join } from "node:path";
import type { ServerConfig } from "../config/config.js";
import { importEditorConfigs, type ImportedServers, USER_FILES } from "../config/import-editor-configs.js";
import { CONFIG_NAME } from "../config/load-config.js";
import { parseServerArgument } from "../config/parse-server-argument.js";
import { validateConfig } from "../config/validate-config.js";
import { STATIC_TOOLS, type VariableLookup } from "../core/connection.js";
import type { SettingText } from "../core/connection-settings.js";
import { quoteAll } from "../core/collections.js";
import { McpCodegenError } from "../core/errors.js";
import { findOwn, getOwn, mapEntries, tryParseJson } from "../core/json.js";
import { printable, printJson } from "../core/printable.js";
import { hasVariable } from "../core/secret-shapes.js";
import { findBounded, upwards } from "../files/read-files.js";
import { writeAtomic } from "../files/write-atomic.js";
import { Project } from "../project/project.js";
import { usageError } from "./command-spec.js";
import { type Context, printOnStderr } from "./context.js";
import { findProject, homeFolder, readAccess, settingsOf, stateFolder } from "./load-project.js";
import { printCommand } from "./print-text.js";
import { confirm, printArguments } from "./prompts.js";
import { replaceSecrets } from "../config/find-secrets.js";

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
  readonly project: Project;
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
  const { server: text, header, bearer } = options;
  const hasCredentials = header !== undefined || bearer !== undefined;
  if (text === undefined) {
    if (!hasCredentials) return undefined;
    throw needsUrl();
  }
  if (/^[a-z][a-z0-9_]*$/.test(text)) {
    const servers = (await findProject(context))?.config.servers;
    if (servers !== undefined) {
      if (hasCredentials) throw needsUrl();
      return { kind: "configured", name: getConfigured(text, Object.keys(servers)) };
    }
    const editor = await findEditorServers(context);
    if (editor !== undefined && Object.hasOwn(editor.imported.servers, text))
      return { kind: "editor", name: text, editor };
  }
  return { kind: "ad-hoc", server: await readAdHocServer(context, text, options) };
}

function needsUrl(
  hint = "For example: --server https://example.com/mcp --bearer '${TOKEN}'.",
): McpCodegenError {
  return usageError("--header and --bearer need --server with a URL.", hint);
}

/**
 * Returns the name, which has to be one of `known`.
 *
 * @param files the editors' files that have the servers; none for the configuration
 * @throws McpCodegenError `SERVER_UNKNOWN`
 */
export function getConfigured(name: string, names: readonly string[], files: readonly string[] = []): string {
  if (name === STATIC_TOOLS || names.includes(name)) return name;
  const place = files.length === 0 ? "The configuration" : files.join(" and ");
  const [has, they] = files.length > 1 ? ["have", "They have"] : ["has", "It has"];
  throw new McpCodegenError("SERVER_UNKNOWN", `${place} ${has} no server ${JSON.stringify(name)}.`, {
    hint: `${they} ${quoteAll(names) || "no servers"}. To start the command "${name}", write its path.`,
  });
}

/** Connection time-out on a terminal in milliseconds: a bridge may ask for a login, and Ctrl-C ends the wait. */
const LOGIN_TIME = 300_000;

async function readAdHocServer(
  context: Context,
  text: string,
  { header = [], bearer }: ServerOptions,
): Promise<AdHocServer> {
  const { io, isInteractive } = context;
  const { name, settings } = parseServerArgument(text);
  const headers = header.map(parseHeader);
  if (settings.url === undefined && (headers.length > 0 || bearer !== undefined))
    throw needsUrl(
      "Pass secrets to a command as environment variables: --server 'TOKEN=${TOKEN} npx -y some-server'.",
    );
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
  const patient = { ...complete, ...(waits && { timeouts: { connect: LOGIN_TIME } }) };
  const config = await validateAdHoc(name, patient);
  return {
    name,
    settings: complete,
    project: new Project(
      { config, dir: io.cwd, path: join(io.cwd, CONFIG_NAME) },
      { ...settingsOf(context), access: (dir) => readAccess(context, dir, settings.url) },
    ),
    words: [
      "--server",
      text,
      ...headers.flatMap(([key, value]) => ["--header", `${key}: ${withoutSecret(value)}`]),
      ...(bearer === undefined ? [] : ["--bearer", withoutSecret(bearer)]),
    ],
  };
}

/** Refuses a literal secret in a command or URL, since messages quote it. */
function validateAdHoc(name: string, settings: ServerConfig): Promise<Project["config"]> {
  return validateConfig({ servers: { [name]: settings } }, "--server").catch((error: unknown) => {
    if (!(error instanceof McpCodegenError) || error.code !== "SECRET_LITERAL") throw error;
    throw new McpCodegenError(error.code, error.message, {
      hint: 'Write "${NAME}", in single quotes so that the shell does not expand it, and set NAME in the environment or in ".env.local".',
    });
  });
}

function parseHeader(text: string): readonly [name: string, value: string] {
  const [, name, value] = /^([\w!#$%&'*+.^`|~-]+):[ \t]*(\S.*)$/s.exec(text) ?? [];
  // The message does not quote the value, since it may contain a secret.
  if (name === undefined || value === undefined || /[\r\n\0]/.test(value))
    throw usageError(
      "--header takes a name and a value, separated by a colon.",
      "For example: --header 'X-Api-Key: ${API_KEY}'.",
    );
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
export function settingsToKeep({ name, settings }: AdHocServer): ServerConfig {
  const { auth, headers } = settings;
  const asLiteral = (text: SettingText): SettingText => (typeof text === "string" ? text : text.value);
  return replaceSecrets(name, {
    ...settings,
    ...(auth !== undefined && "bearer" in auth && { auth: { bearer: asLiteral(auth.bearer) } }),
    ...(headers !== undefined && { headers: mapEntries(headers, asLiteral) }),
  }).server;
}

/** The servers that the files of editors and assistants name, for commands in a folder without a configuration. */
export interface EditorServers {
  readonly imported: ImportedServers;
  /** A configuration in memory with these servers. */
  readonly project: Project;
  /** Returns the variables of `lookup`, and the secrets that the files write out. */
  readonly withLiterals: (lookup: VariableLookup) => VariableLookup;
}

/**
 * Reads the editors' files of the working folder, or else of the nearest folder above that has some, or else those of the
 * user. Returns undefined if they name no server.
 */
export async function findEditorServers({ io }: Context): Promise<EditorServers | undefined> {
  const home = homeFolder(io.env);
  for (const dir of upwards(io.cwd)) {
    // Without the user's own folder and those above it.
    if (dir === home) break;
    const editorServers = await readEditorServers(dir, await importEditorConfigs(dir));
    if (editorServers !== undefined) return editorServers;
  }
  return readEditorServers(home, await importEditorConfigs(home, USER_FILES));
}

async function readEditorServers(dir: string, imported: ImportedServers): Promise<EditorServers | undefined> {
  if (Object.keys(imported.servers).length === 0) return undefined;
  const config = await validateConfig({ servers: imported.servers }, imported.files.join(" and "));
  return {
    imported,
    project: new Project({ config, dir, path: join(dir, CONFIG_NAME) }),
    withLiterals: (lookup) => (name) => lookup(name) ?? imported.literalOf(name),
  };
}

/**
 * Asks before the first start of each command that an editor's file names, and remembers the answer for the user: a
 * repository that was just cloned may name any command.
 *
 * @throws McpCodegenError `CONFIRMATION_REQUIRED` where there is no terminal, or if the user refuses
 */
export async function confirmStart(
  context: Context,
  { imported, project }: EditorServers,
  names: readonly string[],
): Promise<void> {
  const path = join(stateFolder(context.io.env), "mcp-codegen", "started-commands.json");
  const startedServers = await readStarted(path);
  const started = names.flatMap((name) => {
    const settings = getOwn(project.config.servers, name);
    if (settings?.command === undefined) return [];
    const { command, args = [], cwd, env } = settings;
    const line = printable([command, ...args].join(" "), 400);
    return { line, shown: { command, args, cwd, env }, key: keyOf(project.dir, settings) };
  });
  const unknown = started.filter(({ key }) => !startedServers.includes(key));
  const [first] = unknown;
  if (first === undefined) return;
  const from = imported.files.map((file) => JSON.stringify(file)).join(" and ");
  const { line } = first;
  if (!context.isInteractive) {
    const message = `${from} names a command that was not started before: ${line}.`;
    throw new McpCodegenError("CONFIRMATION_REQUIRED", message, {
      hint: `Confirm it once at a terminal, name it yourself (--server ${JSON.stringify(line)}), or write a configuration: ${printCommand("init", ["--yes"])}.`,
    });
  }
  const shown = unknown.flatMap((command) => printArguments(command.shown));
  printOnStderr(context, [`${from} names commands to start:`, ...shown]);
  const question = unknown.length === 1 ? "Start it?" : "Start them?";
  if (!(await confirm(context, question, { initial: false })))
    throw new McpCodegenError("CONFIRMATION_REQUIRED", "The commands were not started.");
  // The newest are kept.
  const kept = [...startedServers, ...unknown.map(({ key }) => key)].slice(-MOST_REMEMBERED);
  await writeAtomic(path, `${printJson({ commands: kept })}\n`);
}

const MOST_REMEMBERED = 1_000;

async function readStarted(path: string): Promise<readonly string[]> {
  const commands = findOwn(tryParseJson(String((await findBounded(path)) ?? "")), "commands");
  return Array.isArray(commands) ? commands.filter((key): key is string => typeof key === "string") : [];
}

/** The digest of everything that decides what is started. Secrets are variables in it. */
function keyOf(dir: string, { command, args, env, cwd }: ServerConfig): string {
  return createHash("sha256")
    .update(JSON.stringify([dir, command, args, env, cwd]))
    .digest("hex");
}

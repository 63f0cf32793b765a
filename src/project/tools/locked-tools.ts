import { resolve } from "node:path";
import type { ServerConfig } from "../../config/config.js";
import type { LoadedConfig } from "../../config/load-config.js";
import { isThroughAdapter } from "../../core/ability.js";
import type { OutputOf } from "../../emit/plan-files.js";
import type { ServerOutputListener, VariableLookup } from "../../core/connection.js";
import type { EndpointSettings } from "../../core/connection-settings.js";
import { confirmedCalls } from "../../core/digest.js";
import { omitUndefined } from "../../core/collections.js";
import { McpCodegenError } from "../../core/errors.js";
import type { Logins } from "../../core/login.js";
import { getOwn, mapEntries } from "../../core/json.js";
import type { LockedServer, LockedTool, Lockfile } from "../../core/lockfile.js";
import { bindTool, type Connection, connectTools } from "../../runtime/define-tool.js";
import { readLiveSchema } from "../../schema/interpret/live-schema.js";
import { defineRawTool, offeredToModels, schemaOpenedBy } from "../../agent/registry/registered-tool.js";
import { resolveSource, type ServerToolSource } from "../../agent/registry/server-source.js";
import { openRegistry } from "../../agent/registry/tool-registry.js";
import type { Clock } from "../../runtime/events.js";
import type {
  ServerDefinition,
  AnyTool,
  ServerTool,
  ToolDefinition,
  RegisteredTool,
} from "../../core/tool.js";
import type { OnInput } from "../../core/input-question.js";
import { findSharedCaller } from "../../runtime/client/pooled-client.js";

export interface LockedToolsOptions {
  /** Absent for the servers' own settings. */
  readonly environment?: string | undefined;
  readonly lookup: VariableLookup;
  /** Returns the output schemas of tools that declare none. */
  readonly outputOf?: OutputOf | undefined;
  /** As in `ConnectOptions`. */
  readonly onInput?: OnInput | undefined;
  readonly logins?: Logins | undefined;
  readonly onStderr?: ServerOutputListener | undefined;
}

/** Locked tools of one server on a connection to one of its environments. Their keys have no meaning. */
export type ConnectedTools = { readonly [name: string]: AnyTool } & Connection;

/**
 * Returns the tools that generated code would have, from the lock and the configuration alone, with interpreted schemas; none if
 * the server is not locked. Undefined for a server that is not configured. A schema that cannot be read refuses every input.
 *
 * @throws McpCodegenError `SERVER_UNKNOWN` for an environment that is not configured
 */
export function connectServer(
  { config, dir }: LoadedConfig,
  locked: LockedServer | undefined,
  wanted: { readonly server: string; readonly tools?: readonly string[] },
  { environment, lookup, logins, onInput, onStderr, outputOf }: LockedToolsOptions,
): ConnectedTools | undefined {
  const { server, tools: names = Object.keys(locked?.tools ?? {}) } = wanted;
  const settings = getOwn(config.servers, server);
  if (settings === undefined) return undefined;
  assertServerEnvironment(server, settings, environment);
  const definition = defineConfigured(server, settings, dir, locked);
  const tools = names.flatMap((name): readonly (readonly [string, ServerTool])[] => {
    const tool = getOwn(locked?.tools ?? {}, name);
    if (locked === undefined || tool === undefined || tool.unusable !== undefined) return [];
    const described = defineLockedTool(definition, name, tool, { locked, outputOf });
    const bound = bindTool(described, {}, (options) => findSharedCaller(definition, options));
    // A tool may be called "close", which also ends the connection.
    return [[`tool ${name}`, bound]];
  });
  const connectOptions = omitUndefined({
    environment,
    onInput,
    variables: lookup,
    logins,
    onStderr: onStderr && ((line: string) => { onStderr(server, line); }), // prettier-ignore
  });
  return connectTools(definition, Object.fromEntries(tools), connectOptions);
}

/** A locked server, and its tools on a connection. */
export interface ConnectedServer {
  readonly name: string;
  readonly settings: ServerConfig;
  readonly locked: LockedServer;
  readonly connection: ConnectedTools;
}

interface OpenLockedOptions extends LockedToolsOptions {
  readonly servers?: readonly string[] | undefined;
  /** Static tools of the program. */
  readonly static?: readonly AnyTool[] | undefined;
  /** Receives the failures to list a server, and the servers without the environment. */
  readonly onWarning?: ((message: string) => void) | undefined;
  readonly now?: Clock | undefined;
  /** Whether tools that only user interfaces call are among them. */
  readonly hasAppTools?: boolean | undefined;
}

/**
 * Opens a registry of every server that is configured and locked, or of those named. Nothing connects before a tool is called. A
 * server without environments is the same in all of them. Static tools, which replace tools of servers with the same name, come
 * first.
 *
 * @param adapt returns the source of a server that the registry uses; by default, the locked tools are all
 * @throws McpCodegenError as {@link connectServer} does.
 */
export function openLockedTools(
  project: LoadedConfig,
  lock: Lockfile,
  { environment, servers, static: statics = [], hasAppTools = true, ...options }: OpenLockedOptions,
  adapt: (source: ServerToolSource, server: ConnectedServer) => ServerToolSource = (source) => source,
) {
  const { onWarning = () => undefined, now } = options;
  const names = new Set(statics.map(({ definition }) => definition.name));
  const offered = (tools: readonly RegisteredTool[]): readonly RegisteredTool[] =>
    (hasAppTools ? tools : offeredToModels(tools)).filter(({ name }) => !names.has(name));
  const connections: ConnectedTools[] = [];
  const sources = Object.entries(project.config.servers).flatMap(
    ([name, settings]): readonly ServerToolSource[] => {
      const locked = getOwn(lock.servers, name);
      if (locked === undefined || servers?.includes(name) === false) return [];
      const isInOne = environment !== undefined && Object.keys(settings.environments ?? {}).length > 0;
      const here = isInOne ? environment : undefined;
      const connection = connectServer(project, locked, { server: name }, { ...options, environment: here });
      const source = connection && resolveSource(connection, here);
      if (connection === undefined || source === undefined) return [];
      connections.push(connection);
      return [adapt({ ...source, list: undefined }, { name, settings, locked, connection })];
    },
  );
  return {
    registry: openRegistry(
      { environment, static: statics, onWarning, now },
      sources.map((source) => ({
        definition: source.definition,
        in: (wanted) => (wanted === environment ? source : undefined),
      })),
      { isEnabled: () => true, offered },
    ),
    close: async (): Promise<void> => {
      await Promise.all(connections.map((connection) => connection.close()));
    },
  };
}

/** A configured server as generated code would have it; without a contract if it is not locked. */
function defineConfigured(
  name: string,
  settings: ServerConfig,
  dir: string,
  locked?: LockedServer,
): ServerDefinition {
  const { url, transport, protocol, auth, headers } = settings;
  const { environments, timeouts, capabilities, validateOutput, validateInput, record } = settings;
  const { dialect, formats, defaults, trust } = settings;
  const here = <S extends EndpointSettings>(endpoint: S): S =>
    // A path that begins with a variable is resolved later.
    endpoint.command === undefined || endpoint.cwd?.startsWith("${") === true
      ? endpoint
      : { ...endpoint, cwd: resolve(dir, endpoint.cwd ?? ".") };
  const { command, args, env, cwd } = here(settings);
  const { prelude, variants } = confirmedCalls(settings, locked);
  return omitUndefined({
    name,
    contract: locked?.contract,
    url,
    transport,
    protocol,
    auth,
    headers,
    command,
    args,
    env,
    cwd,
    environments: environments && mapEntries(environments, here),
    variants: variants && mapEntries(variants, here),
    prelude,
    timeouts,
    capabilities,
    output: validateOutput,
    validateInput,
    record,
    dialect,
    formats,
    defaults,
    trust,
  });
}

/** A locked tool as generated code would define it. */
export function defineLockedTool(
  server: ServerDefinition,
  name: string,
  { definition, ability, category, digest }: LockedTool,
  { locked, outputOf }: { readonly locked: LockedServer; readonly outputOf?: OutputOf | undefined },
): ToolDefinition<unknown, unknown> {
  const dialect = server.dialect ?? (locked.wordpress && "wordpress");
  const declared = getOwn(definition, "outputSchema");
  const observed = declared === undefined ? outputOf?.(server.name, name, digest) : undefined;
  const learned = observed !== undefined && "output" in observed ? observed.output : undefined;
  const called = isThroughAdapter(locked) ? ability?.definition : undefined;
  const outputSchema = declared ?? learned?.schema;
  const raw = { name, definition, ability: called, category, dialect, outputSchema };
  const defined = defineRawTool(server, raw, (schema) =>
    schemaOpenedBy(() => readLiveSchema(schema, { ...server, dialect })),
  );
  return learned?.observed === undefined ? defined : { ...defined, observed: learned.observed };
}

/** Refuses an environment that a server does not have: calls would go to another. Throws `SERVER_UNKNOWN`. */
export function assertServerEnvironment(
  server: string,
  settings: ServerConfig,
  environment: string | undefined,
): void {
  if (environment === undefined || getOwn(settings.environments ?? {}, environment) !== undefined) return;
  const names = Object.keys(settings.environments ?? {}).map((name) => JSON.stringify(name));
  const message = `servers.${server} has no environment ${JSON.stringify(environment)}.`;
  throw new McpCodegenError("SERVER_UNKNOWN", message, {
    hint: names.length === 0 ? `Add it under servers.${server}.environments.` : `Known: ${names.join(", ")}.`,
  });
}

/**
 * Returns the tools that the modules of `serve.tools` export. Importing a module runs it.
 *
 * @throws McpCodegenError for a module that cannot be imported
 */
export async function findOwnTools(
  { config, dir }: LoadedConfig,
  onWarning: (message: string) => void,
): Promise<readonly AnyTool[]> {
  const patterns = config.serve?.tools;
  if (patterns === undefined) return [];
  const { discoverTools } = await import("../../agent/modules/discover-tools.js");
  const options = { roots: [dir], tools: { patterns }, strict: true, onWarning };
  const tools = await discoverTools(options).catch((cause: unknown) => {
    if (!(cause instanceof McpCodegenError)) throw cause;
    const { code, message, hint } = cause;
    throw new McpCodegenError(code, `serve.tools: ${message}`, { hint, cause });
  });
  if (tools.length === 0) onWarning("serve.tools: no module that matches exports a tool.");
  return tools.filter(({ definition }) => definition.server === undefined);
}

import { describeValue } from "../../core/check-options.js";
import { quoteAll } from "../../core/collections.js";
import type { ConnectionSettings } from "../../core/connection-settings.js";
import { McpCodegenError } from "../../core/errors.js";
import { getOwn, mergeDefined } from "../../core/json.js";
import { bindTool, originOf } from "../../runtime/define-tool.js";
import type { CallOptions } from "../../core/call.js";
import type { Caller } from "../../runtime/client/caller.js";
import { findSharedCaller, hasConnectionOptions, PooledClient } from "../../runtime/client/pooled-client.js";
import { isReplayed } from "../../runtime/request.js";
import type { ServerDefinition, ServerTool, ToolDefinition } from "../../core/tool.js";
import { defineServer, isTool } from "../../runtime/tool.js";
import type { LiveOptions, LiveTools } from "./list-live.js";
import type { ServerInput } from "./registry.js";
import { assertServerName } from "../../core/tool-name.js";

/**
 * A server in one environment: its connection, and the tools that are known without a request. Those of a generated index and of
 * a lock are locked; a server that was just listed has the tools of its list.
 */
export interface ServerToolSource {
  readonly definition: ServerDefinition;
  readonly tools: readonly ServerTool[];
  /** The server's environment in which its tools are called; undefined for its own settings, and if it is already connected. */
  readonly environment: string | undefined;
  /** Lists the server's tools; absent where there is no connection, and where the known tools are all. */
  readonly list?: ((options: LiveListRequest) => Promise<LiveTools>) | undefined;
  /** Binds an unlocked tool to the connection of the locked ones. */
  readonly bind: (definition: ToolDefinition<unknown, unknown>) => ServerTool;
}

export interface LiveListRequest extends Omit<LiveOptions, "server"> {
  /** Called when the server later reports that its list has changed. Held weakly. */
  readonly onListChanged: () => void;
}

export interface RegistryServer {
  readonly definition: ServerDefinition;
  /** Undefined for a connection to another environment. */
  readonly in: (environment: string | undefined) => ServerToolSource | undefined;
}

/** The name for a server's own settings, outside of its environments. */
export const DEFAULT_ENVIRONMENT = "default";

/**
 * Resolves a source in an environment. Returns undefined for a connection to another environment.
 *
 * @throws McpCodegenError `CONFIG_INVALID` for an invalid source, or a server whose name is not `snake_case`.
 */
export function resolveSource(
  source: ServerInput,
  environment: string | undefined,
): ServerToolSource | undefined {
  const definition = definitionOf(source);
  assertServerName(definition.name);
  const chosen = environmentOf(definition, environment);
  const origin = originOf(source);
  const tools = Object.values(source).filter(isServerTool);
  const find = (options: CallOptions): Caller => findSharedCaller(definition, options);
  if (origin === undefined) {
    return {
      definition,
      tools,
      environment: chosen,
      list: (options) =>
        listWith(find(chosen === undefined ? {} : { environment: chosen }), definition, options),
      bind: (live) => bindTool(live, {}, find),
    };
  }
  const { options, client } = origin;
  // A connection of the program's own without a name serves every environment.
  const isUnnamed =
    options.environment === undefined && (options.client !== undefined || options.url !== undefined);
  if (!isUnnamed && options.environment !== chosen) return undefined;
  const canList = !isReplayed(options) && (client instanceof PooledClient || client.canList);
  return {
    definition,
    tools,
    environment: undefined,
    list: canList ? (request) => listWith(client, definition, request) : undefined,
    bind: (live) =>
      bindTool(live, options, (callOptions) =>
        hasConnectionOptions(callOptions) ? find(mergeDefined(options, callOptions)) : client,
      ),
  };
}

/** @throws McpCodegenError `CONFIG_INVALID` for an invalid source */
export function serverOf(source: ServerInput): RegistryServer {
  return { definition: definitionOf(source), in: (environment) => resolveSource(source, environment) };
}

async function listWith(
  caller: Caller,
  server: ServerDefinition,
  { onListChanged, ...options }: LiveListRequest,
): Promise<LiveTools> {
  caller.listen?.(onListChanged);
  // Loaded on demand: it reads lists and schemas.
  const { listThrough } = await import("./list-live.js");
  return listThrough(caller, { server, ...options });
}

function definitionOf(source: ServerInput): ServerDefinition {
  // Callers without types may pass anything.
  const value: unknown = source;
  if (typeof value === "object" && value !== null) {
    const server: unknown = originOf(value)?.server ?? ("server" in value ? value.server : value);
    if (isDefinition(server)) return defineServer(server);
  }
  const message = '"servers" of a registry contains a value that is not a server.';
  throw new McpCodegenError("CONFIG_INVALID", message, {
    hint: 'Give it a generated index (import * as shop from "./generated/shop/index.js"), what connect() returned, or defineServer({ … }).',
  });
}

/**
 * Refuses an environment that no server has. If no server has environments, any name is valid: it only labels tools.
 *
 * @param names the environments of the servers
 * @throws McpCodegenError `SERVER_UNKNOWN`
 */
export function assertEnvironment(environment: string | undefined, names: readonly string[]): void {
  if (environment === undefined || environment === DEFAULT_ENVIRONMENT) return;
  if (names.includes(environment) || names.every((name) => name === DEFAULT_ENVIRONMENT)) return;
  throw unknownEnvironment(environment, names);
}

export function unknownEnvironment(environment: string, names: readonly string[]): McpCodegenError {
  const message = `No server has an environment ${describeValue(environment)}.`;
  const hint =
    names.length === 0 ? "Add it under servers.<name>.environments." : `Known: ${quoteAll(names)}.`;
  return new McpCodegenError("SERVER_UNKNOWN", message, { hint });
}

/** Returns the server's environment to use; undefined for its own settings. */
export function environmentOf(
  { environments = {} }: ServerDefinition,
  environment: string | undefined,
): string | undefined {
  if (environment === undefined || getOwn(environments, environment) !== undefined) return environment;
  const isOwn = environment === DEFAULT_ENVIRONMENT || Object.keys(environments).length === 0;
  return isOwn ? undefined : environment;
}

function isDefinition(value: unknown): value is ServerDefinition {
  return typeof value === "object" && value !== null && "name" in value && typeof value.name === "string";
}

/** Whether a value, such as an export of a generated index, is a tool of a server. */
export function isServerTool(value: unknown): value is ServerTool {
  return isTool(value) && isDefinition(value.definition.server);
}

/** Words for environments that only developers use. */
const DEVELOPMENT: ReadonlySet<string> = new Set([
  "local", "localhost", "dev", "develop", "development", "sandbox", "playground", "demo", "mock", "test", "tests",
  "testing", "qa", "uat", "ci", "e2e", "integration", "stage", "staging", "stg", "preview", "review", "nightly",
]); // prettier-ignore
/** Words for production environments. They take precedence: `test-prod` is one. */
const PRODUCTION: ReadonlySet<string> = new Set(["production", "prod", "prd", "live"]);

/**
 * Whether an environment is in production, so that unreviewed tools are refused there: as the server marks it, else by its name.
 * A name without a known word counts as production.
 */
export function isProduction(environment: string | undefined, server?: ConnectionSettings): boolean {
  if (environment === undefined) return false;
  const marked = getOwn(server?.environments ?? {}, environment)?.production;
  if (marked !== undefined) return marked;
  // The name of the servers' own settings has no meaning.
  if (environment === DEFAULT_ENVIRONMENT) return false;
  const words = wordsOf(environment);
  return words.some((word) => PRODUCTION.has(word)) || !words.some((word) => DEVELOPMENT.has(word));
}

/** `shopStaging2` has the words `shop` and `staging`. */
function wordsOf(name: string): readonly string[] {
  return name
    .replace(/([a-z])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .flatMap((word) => [word, word.replace(/(?<!\d)\d+$/, "")]);
}

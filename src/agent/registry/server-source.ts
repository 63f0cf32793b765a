import type { ConnectionSettings } from "../../contract/connection.js";
import { McpCodegenError } from "../../contract/errors.js";
import { getOwn, mergeDefined } from "../../contract/json.js";
import { bindTool } from "../../runtime/define-tool.js";
import type { CallOptions } from "../../runtime/call-options.js";
import type { Caller } from "../../runtime/client/caller.js";
import { findSharedCaller, hasConnectionOptions, PooledClient } from "../../runtime/client/pooled-client.js";
import { isReplayed } from "../../runtime/cassette-use.js";
import { originOf } from "../../runtime/connect-tools.js";
import { type ServerDefinition, type ServerTool, type ToolDefinition, isTool } from "../../runtime/tool.js";
import type { LiveOptions, LiveTools } from "./list-live.js";
import type { ServerSource } from "./registry.js";
import { assertServerName } from "./tool-names.js";

/** A server in one environment: what is locked of it, and how it is reached. */
export interface ResolvedSource {
  readonly definition: ServerDefinition;
  readonly tools: readonly ServerTool[];
  /** In which of its environments its tools are called; absent for its own settings, and where it is connected already. */
  readonly environment: string | undefined;
  /** Lists the server's tools; absent where there is no connection. */
  readonly list?: (options: ListOptions) => Promise<LiveTools>;
  /** A tool that is not locked, called as those are that are. */
  readonly bind: (definition: ToolDefinition<unknown, unknown>) => ServerTool;
}

export interface ListOptions extends Omit<LiveOptions, "server"> {
  /** Called whenever the server says later that its list has changed. Held weakly. */
  readonly onListChanged: () => void;
}

/** Stands for the settings of a server that are under none of its environments. */
export const DEFAULT_ENVIRONMENT = "default";

/**
 * What a source is in an environment; undefined for a connection to another one.
 *
 * @throws McpCodegenError `CONFIG_INVALID` for an invalid source, or a server whose name is not `snake_case`.
 */
export function resolveSource(
  source: ServerSource,
  environment: string | undefined,
): ResolvedSource | undefined {
  const definition = definitionOf(source);
  assertServerName(definition.name);
  const own = environmentOf(definition, environment);
  const origin = originOf(source);
  const tools = Object.values(source).filter(isServerTool);
  const find = (options: CallOptions): Caller => findSharedCaller(definition, options);
  if (origin === undefined) {
    return {
      definition,
      tools,
      environment: own,
      list: (options) => listWith(find(own === undefined ? {} : { environment: own }), definition, options),
      bind: (live) => bindTool(live, {}, find),
    };
  }
  const { options, client } = origin;
  const isFixed = options.client !== undefined || options.url !== undefined;
  if (!isFixed && options.environment !== own) return undefined;
  const canList = !isReplayed(options) && (client instanceof PooledClient || client.canList);
  return {
    definition,
    tools,
    environment: undefined,
    ...(canList && { list: (given) => listWith(client, definition, given) }),
    bind: (live) =>
      bindTool(live, options, (one) =>
        hasConnectionOptions(one) ? find(mergeDefined(options, one)) : client,
      ),
  };
}

async function listWith(
  caller: Caller,
  server: ServerDefinition,
  { onListChanged, ...options }: ListOptions,
): Promise<LiveTools> {
  caller.listen?.(onListChanged);
  // It reads lists and schemas, which is much to load for those who never ask.
  const { listThrough } = await import("./list-live.js");
  return listThrough(caller, { server, ...options });
}

/** The server of a source. */
export function definitionOf(source: ServerSource): ServerDefinition {
  // Callers without types may pass anything.
  const given: unknown = source;
  if (typeof given === "object" && given !== null) {
    const found: unknown = originOf(given)?.server ?? ("server" in given ? given.server : given);
    if (isDefinition(found)) return found;
  }
  throw new McpCodegenError(
    "CONFIG_INVALID",
    '"servers" of a registry contains a value that is not a server.',
    {
      hint: 'Give it a generated index (import * as shop from "./generated/shop/index.js"), what connect() returned, or defineServer({ … }).',
    },
  );
}

/** The environment that a server is to be in; undefined for its own settings, which are all that some servers have. */
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

/** Whether a value, such as what a generated index exports, is a tool of a server. */
export function isServerTool(value: unknown): value is ServerTool {
  return isTool(value) && isDefinition(value.definition.server);
}

/** Words for environments that only developers work with. */
const DEVELOPMENT: ReadonlySet<string> = new Set([
  ...["local", "localhost", "dev", "develop", "development", "sandbox", "playground", "demo", "mock"],
  ...["test", "tests", "testing", "qa", "uat", "ci", "e2e", "integration"],
  ...["stage", "staging", "stg", "preview", "review", "nightly"],
]);
/** Words for the environment in use. They count more: `test-prod` is one. */
const PRODUCTION: ReadonlySet<string> = new Set(["production", "prod", "prd", "live"]);

/**
 * Whether others work with an environment, so that tools without a review are refused there: as the server marks it, and
 * otherwise by its name. A name without a known word may be anything, so it counts as production.
 */
export function isProduction(environment: string | undefined, server?: ConnectionSettings): boolean {
  if (environment === undefined) return false;
  const marked = getOwn(server?.environments ?? {}, environment)?.production;
  if (marked !== undefined) return marked;
  // The servers' own settings have no name that says anything.
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
    .flatMap((word) => [word, word.replace(/\d+$/, "")]);
}

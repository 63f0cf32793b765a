import { findOutage } from "../../runtime/client/failures.js";
import { lookUpVariable } from "../../runtime/client/open-server.js";
import { omitUndefined } from "../../core/collections.js";
import { isReplayed } from "../../runtime/cassette-use.js";
import { explainUnsendable } from "../../core/hosts/fit-schema.js";
import { byCodeUnit, getOwn, type JsonObject, type JsonValue } from "../../core/json.js";
import type { CallOptions, ToolCaller } from "../../runtime/call-options.js";
import type { Clock } from "../../runtime/events.js";
import {
  type ServerDefinition,
  type AnyTool,
  isTool,
  type ServerTool,
  type ToolDefinition,
  withoutContract,
} from "../../runtime/tool.js";
import {
  isProduction,
  DEFAULT_ENVIRONMENT,
  isServerTool,
  type ResolvedSource,
  definitionOf,
  resolveSource,
} from "./server-source.js";
import {
  lazySchema,
  readJsonObject,
  registerTool,
  type RegisteredTool,
  type ToolChange,
  offeredToModels,
} from "./registered-tool.js";
import type { RegistryOptions, RefusedTool, ToolEntry } from "./registry.js";
import { ServerToolCache, type CommonCacheOptions, type LiveList } from "./server-tool-cache.js";
import { joinToolName, isToolName } from "./tool-names.js";
import { describeTool } from "../../core/describe-tool.js";
import { McpCodegenError } from "../../core/errors.js";
import { connectTools } from "../../runtime/connect-tools.js";

/** The common context of the servers of a registry. */
export interface CacheContext {
  readonly options: RegistryOptions;
  readonly environment: string | undefined;
  readonly now: Clock;
  readonly onChange: (change: ToolChange) => void;
  readonly onListChanged: (server: string) => void;
}

/** Creates the cache of a configured server, with its locked tools. */
export function cacheOfSource(source: ResolvedSource, context: CacheContext): ServerToolCache {
  const { definition, tools, environment, bind } = source;
  const server = definition.name;
  const { options } = context;
  const register = (tool: AnyTool): RegisteredTool => registerServerTool(server, tool, environment, options);
  const registered = new Map(tools.map((tool) => [tool.definition.name, register(tool)]));
  const locked = new Map(tools.map((tool) => [tool.definition.name, tool]));
  const admitsUnlocked = options.admitUnlocked ?? admitsByDefault(source, context.environment);
  // Connections hold it weakly. `list` keeps it, and the cache keeps `list`.
  const onListChanged = (): void => {
    context.onListChanged(server);
  };
  const list = async (): Promise<LiveList> => {
    const live = await source.list?.({ locked, admitsUnlocked, onListChanged });
    const kept = (live?.locked ?? []).flatMap((name) => registered.get(name) ?? []);
    const unlocked = (live?.unlocked ?? []).map((found) => ({
      ...register(bind(found)),
      ...unlockedIn(context.environment, definition),
    }));
    const { refused = [], notes, ttlMs } = live ?? {};
    return { tools: sortByName(offeredToModels([...kept, ...unlocked])), refused, notes, ttlMs };
  };
  return new ServerToolCache({
    ...commonOf(server, context),
    locked,
    findOutage: () => findOutage(definition, environment),
    tools: sortByName(offeredToModels([...registered.values()])),
    list: source.list === undefined || isReplayed(options) ? undefined : list,
  });
}

/** Creates the cache of a server that the program lists itself. */
export function cacheOfTools(
  server: string,
  tools: readonly AnyTool[],
  context: CacheContext,
): ServerToolCache {
  const locked = new Map(tools.filter(isServerTool).map((tool) => [tool.definition.name, tool]));
  return new ServerToolCache({ ...commonOf(server, context), locked, tools: [] });
}

function registerServerTool(
  server: string,
  tool: AnyTool,
  environment: string | undefined,
  options: RegistryOptions,
): RegisteredTool {
  const name = joinToolName(server, tool.definition.name);
  return registerTool(tool, name, server, bindOptions(environment, options));
}

/** Returns the options of a registry that apply to the calls of its tools. */
export function bindOptions(
  environment: string | undefined,
  { logger, traceId, onInput, record, replay, mode }: RegistryOptions,
): CallOptions {
  return omitUndefined({ record, replay, mode, environment, logger, traceId, onInput });
}

function sortByName(tools: readonly RegisteredTool[]): readonly RegisteredTool[] {
  return [...tools].sort((a, b) => byCodeUnit(a.name, b.name));
}

function commonOf(server: string, { options, now, onChange }: CacheContext): CommonCacheOptions {
  const isEnabled = (): boolean => isServerEnabled(server, options.enabled);
  return { server, isEnabled, ttl: options.ttl, now, onChange };
}

/** Returns the members that mark a registered tool as unlocked. */
export function unlockedIn(
  environment: string | undefined,
  server: ServerDefinition,
): { readonly isLocked: false; readonly isProduction?: true } {
  return isProduction(environment, server) ? { isLocked: false, isProduction: true } : { isLocked: false };
}

/** A registry without an environment may be in production, where unreviewed tools are refused. */
function admitsByDefault({ definition }: ResolvedSource, environment: string | undefined): boolean {
  if (definition.contract === undefined) return true;
  return (
    environment !== undefined && environment !== DEFAULT_ENVIRONMENT && !isProduction(environment, definition)
  );
}

/** The variable `<SERVER>_MCP_ENABLED` takes precedence over the configuration. */
function isServerEnabled(
  server: string,
  enabled: { readonly [server: string]: boolean } | undefined,
): boolean {
  const variable = lookUpVariable(`${server.toUpperCase()}_MCP_ENABLED`)?.trim().toLowerCase() ?? "";
  if (["false", "0", "off", "no"].includes(variable)) return false;
  if (["true", "1", "on", "yes"].includes(variable)) return true;
  return getOwn(enabled ?? {}, server) ?? true;
}

/**
 * Registers the tools that a program gives for a server: tools, and entries of a `tools/list` result as unlocked tools.
 *
 * @throws McpCodegenError `CONFIG_INVALID` for a malformed name, and for entries without a client or connection
 */
export function readServerTools(
  server: string,
  tools: readonly (AnyTool | ToolEntry)[],
  client: ToolCaller | undefined,
  { options, environment }: CacheContext,
): { readonly given: readonly AnyTool[]; readonly list: LiveList } {
  const configured = (options.servers ?? []).find((one) => definitionOf(one).name === server);
  const place = client === undefined ? configured : connectTools({ name: server }, {}, { client });
  const source = place && resolveSource(place, environment);
  const given = tools.filter((tool) => isTool(tool));
  const entries = tools.filter((tool): tool is ToolEntry => !isTool(tool));
  const { made, refused } = bindEntries(server, entries, source);
  const unlocked = unlockedIn(environment, source?.definition ?? { name: server });
  const registered = [
    ...given.map((tool) => registerServerTool(server, tool, undefined, options)),
    ...made.map((tool) => ({
      ...registerServerTool(server, tool, source?.environment, options),
      ...unlocked,
    })),
  ];
  return { given, list: { tools: sortByName(registered), refused } };
}

/** Creates tools from entries. Entries that cannot be used are refused. */
function bindEntries(
  server: string,
  entries: readonly ToolEntry[],
  source: ResolvedSource | undefined,
): { readonly made: readonly ServerTool[]; readonly refused: readonly RefusedTool[] } {
  if (entries.length === 0) return { made: [], refused: [] };
  if (source === undefined) {
    const message = `The registry cannot call the listed tools of server ${JSON.stringify(server)}.`;
    throw new McpCodegenError("CONFIG_INVALID", message, {
      hint: "Pass the client that listed them: registerServerTools(server, tools, { client }).",
    });
  }
  const made = new Map<string, ServerTool>();
  const refused: RefusedTool[] = [];
  for (const entry of entries) {
    // A program may pass any value.
    const read = readJsonObject(() => entry);
    const given = getOwn(read ?? {}, "name");
    const name = typeof given === "string" ? given : "";
    const problem = read === undefined ? "It is not an object." : findEntryProblem(name, read, made);
    if (read === undefined || problem !== undefined)
      refused.push({ tool: name, code: "unusable", reason: problem ?? "" });
    else made.set(name, source.bind(defineEntry(source.definition, name, read)));
  }
  return { made: [...made.values()], refused };
}

function findEntryProblem(
  name: string,
  entry: JsonObject,
  made: ReadonlyMap<string, unknown>,
): string | undefined {
  if (!isToolName(name)) return "Its name is malformed.";
  if (made.has(name)) return "The list has another tool with this name.";
  return explainUnsendable(inputSchemaOf(entry));
}

function inputSchemaOf(entry: JsonObject): JsonValue {
  return getOwn(entry, "inputSchema") ?? { type: "object" };
}

function defineEntry(
  server: ServerDefinition,
  name: string,
  entry: JsonObject,
): ToolDefinition<unknown, unknown> {
  const inputSchema = inputSchemaOf(entry);
  const outputSchema = getOwn(entry, "outputSchema");
  const definition = {
    // The tool is not locked.
    server: withoutContract(server),
    name,
    ...describeTool(entry),
    input: lazySchema(() => inputSchema),
    inputSchema: () => inputSchema,
  };
  if (outputSchema === undefined) return definition;
  return { ...definition, output: lazySchema(() => outputSchema), outputSchema: () => outputSchema };
}

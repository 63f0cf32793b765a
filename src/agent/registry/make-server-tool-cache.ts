import { findOutage } from "../../runtime/client/failures.js";
import { lookUpVariable } from "../../runtime/client/open-server.js";
import { omitUndefined } from "../../contract/collections.js";
import { isReplayed } from "../../runtime/cassette-use.js";
import { byCodeUnit, getOwn } from "../../contract/json.js";
import type { CallOptions } from "../../runtime/call-options.js";
import type { Clock } from "../../runtime/clock.js";
import type { ServerDefinition, AnyTool } from "../../runtime/tool.js";
import { isProduction } from "./server-source.js";
import { registerTool, type RegisteredTool, type ToolChange, offeredToModels } from "./registered-tool.js";
import type { RegistryOptions } from "./registry.js";
import { ServerToolCache, type LiveList } from "./server-tool-cache.js";
import { DEFAULT_ENVIRONMENT, isServerTool, type ResolvedSource } from "./server-source.js";
import { joinToolName } from "./tool-names.js";

/** What the servers of a registry have in common. */
export interface CacheContext {
  readonly options: RegistryOptions;
  readonly environment: string | undefined;
  readonly now: Clock;
  readonly onChange: (change: ToolChange) => void;
  readonly onListChanged: (server: string) => void;
}

/** The slot of a server that can be asked. Until it is, its tools are the locked ones. */
export function cacheOfSource(source: ResolvedSource, context: CacheContext): ServerToolCache {
  const { definition, tools, environment, bind } = source;
  const server = definition.name;
  const { options } = context;
  const register = (tool: AnyTool): RegisteredTool => registerServerTool(server, tool, environment, options);
  const registered = new Map(tools.map((tool) => [tool.definition.name, register(tool)]));
  const locked = new Map(tools.map((tool) => [tool.definition.name, tool]));
  const admitsUnlocked = options.admitUnlocked ?? admitsByDefault(source, context.environment);
  // Kept by `list`, and so by the slot: connections do not keep it.
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
    const { refused = [], notes = [], ttlMs } = live ?? {};
    const tools = sortByName(offeredToModels([...kept, ...unlocked]));
    return { tools, refused, notes, ...(ttlMs !== undefined && { ttlMs }) };
  };
  return new ServerToolCache({
    ...commonOf(server, context),
    locked,
    findOutage: () => findOutage(definition, environment),
    tools: sortByName(offeredToModels([...registered.values()])),
    ...(source.list && !isReplayed(options) && { list }),
  });
}

/** The slot of a server that somebody else asks, without tools yet. */
export function cacheOfTools(
  server: string,
  tools: readonly AnyTool[],
  context: CacheContext,
): ServerToolCache {
  const locked = new Map(tools.filter(isServerTool).map((tool) => [tool.definition.name, tool]));
  return new ServerToolCache({ ...commonOf(server, context), locked, tools: [] });
}

/** A tool as a server's in a registry. */
export function registerServerTool(
  server: string,
  tool: AnyTool,
  environment: string | undefined,
  options: RegistryOptions,
): RegisteredTool {
  const name = joinToolName(server, tool.definition.name);
  return registerTool(tool, name, server, bindOptions(environment, options));
}

/** What calls of a registry's tools are bound to. */
export function bindOptions(
  environment: string | undefined,
  { logger, traceId, onInput, record, replay, mode }: RegistryOptions,
): CallOptions {
  return {
    ...omitUndefined({ record, replay, mode }),
    ...(environment !== undefined && { environment }),
    ...(logger && { logger }),
    ...(traceId !== undefined && { traceId }),
    ...(onInput && { onInput }),
  };
}

export function sortByName(tools: readonly RegisteredTool[]): readonly RegisteredTool[] {
  return [...tools].sort((a, b) => byCodeUnit(a.name, b.name));
}

function commonOf(
  server: string,
  { options, now, onChange }: CacheContext,
): Pick<
  ConstructorParameters<typeof ServerToolCache>[0],
  "server" | "isEnabled" | "ttl" | "now" | "onChange"
> {
  const isEnabled = (): boolean => isServerEnabled(server, options.enabled);
  return { server, isEnabled, ttl: options.ttl, now, onChange };
}

/** What makes a registered tool an unlocked one. */
export function unlockedIn(
  environment: string | undefined,
  server: ServerDefinition,
): Pick<RegisteredTool, "isLocked" | "isProduction"> {
  return { isLocked: false, ...(isProduction(environment, server) && { isProduction: true }) };
}

/** A registry without an environment may be in production, where unreviewed tools are refused. */
function admitsByDefault({ definition }: ResolvedSource, environment: string | undefined): boolean {
  if (definition.contract === undefined) return true;
  return (
    environment !== undefined && environment !== DEFAULT_ENVIRONMENT && !isProduction(environment, definition)
  );
}

/** Whether a server is switched on: by `<SERVER>_MCP_ENABLED` where it says so, otherwise by configuration. */
function isServerEnabled(
  server: string,
  enabled: { readonly [server: string]: boolean } | undefined,
): boolean {
  const variable = lookUpVariable(`${server.toUpperCase()}_MCP_ENABLED`)?.trim().toLowerCase() ?? "";
  if (["false", "0", "off", "no"].includes(variable)) return false;
  if (["true", "1", "on", "yes"].includes(variable)) return true;
  return getOwn(enabled ?? {}, server) ?? true;
}

import type { LoadedConfig } from "../config/load-config.js";
import type { ServerOutputListener, VariableLookup } from "../core/connection.js";
import { groupBy } from "../core/collections.js";
import { McpCodegenError } from "../core/errors.js";
import { getOwn, mapEntries } from "../core/json.js";
import type { Logins } from "../core/login.js";
import type { Lockfile } from "../core/lockfile.js";
import {
  type ConnectedServer,
  type ConnectedTools,
  type LockedToolsOptions,
  openLockedTools,
  withStatics,
} from "../project/tools/locked-tools.js";
import { type Clock, createWarner } from "../runtime/events.js";
import { originOf } from "../runtime/define-tool.js";
import { registerTool, offeredToModels } from "../agent/registry/registered-tool.js";
import type { ServerState } from "../agent/registry/registry.js";
import { failListing } from "../agent/registry/server-tool-cache.js";
import { DEFAULT_ENVIRONMENT, resolveSource } from "../agent/registry/server-source.js";
import type { ToolError } from "../core/call.js";
import type { AnyTool, RegisteredTool } from "../core/tool.js";
import {
  ContractWatch,
  type DriftedTool,
  DriftGuard,
  type DriftState,
  type LiveContract,
} from "./drift-guard.js";
import type { DirectSource } from "./offer.js";
import { unlockedIn } from "../agent/registry/server-tools.js";
import { joinToolName, ownNameOf } from "../core/tool-name.js";

/** The options that programs set. */
export interface ServedChoice {
  /** Default: the servers' own settings. */
  readonly environment?: string | undefined;
  readonly logins?: Logins | undefined;
  readonly onStderr?: ServerOutputListener | undefined;
  /** Names of servers; all locked ones by default. */
  readonly servers?: readonly string[] | undefined;
  /**
   * Whether tools are offered that are not locked, or that differ from the lock: with their live schemas, and as
   * destructive. For development; servers are then listed before tools are shown.
   */
  readonly allowUnlocked?: boolean | undefined;
  /** Called for each call that is refused because of drift. */
  readonly onDrift?: ((tool: DriftedTool) => void) | undefined;
}

export interface ServedToolsOptions extends ServedChoice {
  readonly lookup: VariableLookup;
  /** As in `LockedToolsOptions`. */
  readonly outputOf?: LockedToolsOptions["outputOf"];
  /** Static tools of the program. */
  readonly static?: readonly AnyTool[] | undefined;
  readonly now: Clock;
  /** Called once for each failure to list a server. */
  readonly onWarning?: ((message: string) => void) | undefined;
}

/** The tools of locked servers. A tool is not called if its server no longer matches the lock. */
export interface ServedTools extends DirectSource {
  /** The tools that are known before a server is listed. */
  readonly known: readonly RegisteredTool[];
  readonly drift: DriftState;
  close(): Promise<void>;
}

/**
 * Opens the tools of locked servers, without connecting. Before the first call of a server's tool, its live list is
 * compared with the lock, and again when it may have changed.
 *
 * @throws McpCodegenError `SERVER_UNKNOWN` for a server that is not configured or not locked, or an unknown environment
 */
export function openServedTools(
  project: LoadedConfig,
  lock: Lockfile,
  options: ServedToolsOptions,
): ServedTools {
  const { environment, servers, allowUnlocked = false } = options;
  for (const server of servers ?? []) assertLocked(project, lock, server);
  assertEnvironment(project, environment);
  const opened = openLockedTools(project, lock, options);
  const watches = new Map(
    opened.sources.map((source) => [source.name, new ContractWatch(source, options.now)]),
  );
  const guard = new DriftGuard({
    contracts: mapEntries(lock.servers, ({ contract }) => contract),
    read: (server, given) => getWatch(watches, server).read(given),
    ...{ onDrift: options.onDrift, environment },
  });
  const locked = offeredToModels(opened.tools).map((tool) => guard.guard(tool));
  const states = trackServers(opened.tools, options.onWarning);
  const getTools = allowUnlocked
    ? admitLiveTools(locked, opened.sources, watches, states.set)
    : () => Promise.resolve(locked);
  return {
    environment,
    environments: [...new Set([environment ?? DEFAULT_ENVIRONMENT, ...namesOfEnvironments(project)])],
    known: locked,
    isPartial: servers !== undefined,
    get servers() {
      return states.list();
    },
    getTools,
    getTool: async (wanted) => (await getTools()).find(({ name }) => name === wanted),
    get drift() {
      return guard.state;
    },
    close: () => opened.close(),
  };
}

/** The states of the servers, with the errors of those that could not be listed. */
function trackServers(
  locked: readonly RegisteredTool[],
  onWarning: (message: string) => void = () => undefined,
): {
  readonly set: (server: string, cause: unknown) => void;
  readonly list: () => readonly ServerState[];
} {
  const errors = new Map<string, ToolError>();
  const warn = createWarner(onWarning);
  const byServer = groupBy(locked, ({ server }) => server);
  return {
    set: (server, cause) => {
      errors.delete(server);
      if (cause === undefined) return;
      const { error } = failListing(server, cause);
      errors.set(server, error);
      warn(error.message);
    },
    list: () =>
      [...byServer].flatMap(([name, { length: toolCount }]) =>
        name === undefined ? [] : [{ name, isEnabled: true, toolCount, error: errors.get(name) }],
      ),
  };
}

function getWatch(watches: ReadonlyMap<string, ContractWatch>, server: string): ContractWatch {
  const watch = watches.get(server);
  if (watch !== undefined) return watch;
  throw new McpCodegenError("SERVER_UNKNOWN", `Server ${JSON.stringify(server)} is not locked.`);
}

function assertLocked({ config }: LoadedConfig, lock: Lockfile, server: string): void {
  if (getOwn(config.servers, server) !== undefined && getOwn(lock.servers, server) !== undefined) return;
  const known = Object.keys(config.servers).filter((name) => Object.hasOwn(lock.servers, name));
  const names = known.map((name) => JSON.stringify(name)).join(", ");
  throw new McpCodegenError("SERVER_UNKNOWN", `There is no locked server ${JSON.stringify(server)}.`, {
    hint: names === "" ? 'Run "npx mcp-codegen pull" first.' : `Locked are ${names}.`,
  });
}

function namesOfEnvironments({ config }: LoadedConfig): readonly string[] {
  return Object.values(config.servers).flatMap(({ environments = {} }) => Object.keys(environments));
}

function assertEnvironment(project: LoadedConfig, environment: string | undefined): void {
  const known = namesOfEnvironments(project);
  if (environment === undefined || known.includes(environment)) return;
  const names = [...new Set(known)].map((name) => JSON.stringify(name)).join(", ");
  const message = `No server has an environment ${JSON.stringify(environment)}.`;
  const hint = names === "" ? "Add it under servers.<name>.environments." : `Known: ${names}.`;
  throw new McpCodegenError("SERVER_UNKNOWN", message, { hint });
}

/**
 * Returns the current tools of servers: those that match the lock as they are locked, the others with their live
 * definitions. A server that cannot be listed has its locked tools, and `onListed` gets the error. An unchanged list is the
 * same object.
 */
function admitLiveTools(
  locked: readonly RegisteredTool[],
  sources: readonly ConnectedServer[],
  watches: ReadonlyMap<string, ContractWatch>,
  onListed: (server: string, error: unknown) => void,
): () => Promise<readonly RegisteredTool[]> {
  const statics = locked.filter(({ server }) => server === undefined);
  let last: readonly (LiveContract | undefined)[] | undefined;
  let tools: readonly RegisteredTool[] = [];
  return async () => {
    const contracts = await Promise.all(
      sources.map(async ({ name }) => {
        try {
          const contract = await watches.get(name)?.read();
          onListed(name, undefined);
          return contract;
        } catch (error) {
          onListed(name, error);
          return undefined;
        }
      }),
    );
    if (last !== undefined && contracts.every((contract, at) => contract === last?.[at])) return tools;
    const lists = sources.map(async ({ name, connection }, at) => {
      const own = locked.filter(({ server }) => server === name);
      const contract = contracts[at];
      return contract === undefined ? own : admit(own, connection, contract);
    });
    tools = withStatics(statics, offeredToModels((await Promise.all(lists)).flat()));
    last = contracts;
    return tools;
  };
}

async function admit(
  locked: readonly RegisteredTool[],
  connection: ConnectedTools,
  contract: LiveContract,
): Promise<readonly RegisteredTool[]> {
  const kept = new Map<string, RegisteredTool>();
  for (const tool of locked) {
    const name = ownNameOf(tool);
    if ((await contract.findBreaks(name)).length === 0) kept.set(name, tool);
  }
  const source = resolveSource(connection, originOf(connection)?.options.environment);
  // It loads the reader of schemas.
  const { defineLiveTool } = await import("../agent/registry/list-live.js");
  const { snapshot } = contract;
  return snapshot.tools.flatMap((tool) => {
    const same = kept.get(tool.name);
    if (same !== undefined || source === undefined) return same ?? [];
    const defined = defineLiveTool(source.definition, snapshot, tool);
    if ("reason" in defined) return [];
    const { name } = source.definition;
    const registered = registerTool(source.bind(defined), joinToolName(name, tool.name), name);
    return [{ ...registered, ...unlockedIn(originOf(connection)?.options.environment, source.definition) }];
  });
}

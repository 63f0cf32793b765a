import type { LoadedConfig } from "../config/load-config.js";
import type { ServerOutputListener, VariableLookup } from "../contract/connection.js";
import { McpCodegenError } from "../contract/errors.js";
import { getOwn, mapEntries } from "../contract/json.js";
import type { Logins } from "../contract/login.js";
import type { Lockfile } from "../contract/lockfile.js";
import { openLockedTools, type ConnectedTools } from "../project/locked-tools.js";
import type { Clock } from "../runtime/clock.js";
import { originOf } from "../runtime/connect-tools.js";
import { registerTool, type RegisteredTool, offeredToModels } from "../agent/registry/registered-tool.js";
import type { ServerState } from "../agent/registry/registry.js";
import { failListing } from "../agent/registry/server-tool-cache.js";
import { DEFAULT_ENVIRONMENT } from "../agent/registry/server-source.js";
import type { ToolError } from "../runtime/result.js";
import type { AnyTool } from "../runtime/tool.js";
import type { ToolProvider } from "../agent/registry/registry.js";
import { createWarner } from "../runtime/events.js";
import type { admitLiveTools } from "./admit-live-tools.js";
import { ContractWatch } from "./contract-watch.js";
import { DriftGuard, type DriftedTool, type DriftState } from "./drift-guard.js";

export interface ServedToolsOptions {
  /** Absent for the servers' own settings. */
  readonly environment?: string;
  readonly lookup: VariableLookup;
  readonly logins?: Logins | undefined;
  readonly onStderr?: ServerOutputListener | undefined;
  /** Names of servers; all locked ones by default. */
  readonly servers?: readonly string[];
  /** Static tools of the program. */
  readonly static?: readonly AnyTool[];
  /**
   * Whether live tools are offered that the lock does not know, or knows otherwise: with their live schemas, as tools that
   * may destroy. For development; servers are then asked before tools are shown.
   */
  readonly allowUnlocked?: boolean;
  readonly now: Clock;
  /** Called for every call that was refused because of drift. */
  readonly onDrift?: (tool: DriftedTool) => void;
  /** Receives each failure to list a server once. */
  readonly onWarning?: (message: string) => void;
}

/** The tools of locked servers as they may be served: none is called whose server no longer keeps to the lock. */
export interface ServedTools extends Omit<ToolProvider, "for"> {
  /** The tools there are before any server is asked. */
  readonly known: readonly RegisteredTool[];
  readonly drift: DriftState;
  close(): Promise<void>;
}

/**
 * Opens the tools of locked servers. Nothing connects yet. Before a server's tool is called the first time, its live list is
 * held against the lock, and again when it may have changed.
 *
 * @throws McpCodegenError `SERVER_UNKNOWN` for a server that is not configured or not locked, or an unknown environment.
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
  const watches = watchServers(project, lock, opened.sources, options.now);
  const guard = new DriftGuard(
    mapEntries(lock.servers, ({ contract }) => contract),
    (server, given) => getWatch(watches, server).read(given),
    options.onDrift,
  );
  const statics = (options.static ?? []).map((tool) =>
    registerTool(tool, tool.definition.name, undefined, environment === undefined ? {} : { environment }),
  );
  const locked = opened.tools.map((tool) => guard.guard(tool));
  const arrange = arrangeWith(statics);
  const states = new ServerStates(opened.tools, options.onWarning);
  const live = allowUnlocked
    ? readLive(locked, opened.sources, watches, states.set)
    : () => Promise.resolve(locked);
  const index = indexByName();
  const getTools = async (): Promise<readonly RegisteredTool[]> => arrange(await live());
  return {
    ...(environment !== undefined && { environment }),
    environments: environmentsOf(project, environment),
    known: arrange(locked),
    get servers() {
      return states.list();
    },
    getTools,
    getTool: async (name) => index(await getTools()).get(name),
    get drift() {
      return guard.state;
    },
    close: () => opened.close(),
  };
}

/** Which servers could not be listed. */
class ServerStates {
  readonly #errors = new Map<string, ToolError>();
  readonly #locked: readonly RegisteredTool[];
  readonly #warn: (message: string) => void;

  constructor(locked: readonly RegisteredTool[], onWarning: (message: string) => void = () => undefined) {
    this.#locked = locked;
    this.#warn = createWarner(onWarning);
  }

  readonly set = (server: string, cause: unknown): void => {
    if (cause === undefined) {
      this.#errors.delete(server);
      return;
    }
    const { error } = failListing(server, cause);
    this.#errors.set(server, error);
    this.#warn(error.message);
  };

  list(): readonly ServerState[] {
    const names = new Set(this.#locked.flatMap(({ server }) => server ?? []));
    return [...names].map((name) => {
      const error = this.#errors.get(name);
      const toolCount = this.#locked.filter(({ server }) => server === name).length;
      return { name, isEnabled: true, toolCount, ...(error && { error }) };
    });
  }
}

/** Static tools before the others; one wins over a server's of the same name. The same list gives the same. */
function arrangeWith(
  statics: readonly RegisteredTool[],
): (tools: readonly RegisteredTool[]) => readonly RegisteredTool[] {
  const taken = new Set(statics.map(({ name }) => name));
  return onChange((tools) => [...statics, ...offeredToModels(tools).filter(({ name }) => !taken.has(name))]);
}

function indexByName(): (tools: readonly RegisteredTool[]) => ReadonlyMap<string, RegisteredTool> {
  return onChange((tools) => new Map(tools.map((tool) => [tool.name, tool])));
}

/** Works anew where the list is another one than the last time. */
function onChange<T>(work: (tools: readonly RegisteredTool[]) => T): (tools: readonly RegisteredTool[]) => T {
  let last: { readonly tools: readonly RegisteredTool[]; readonly result: T } | undefined;
  return (tools) => {
    if (last?.tools !== tools) last = { tools, result: work(tools) };
    return last.result;
  };
}

/** What reads live tools is loaded where they are wanted. */
function readLive(...given: Parameters<typeof admitLiveTools>): ReturnType<typeof admitLiveTools> {
  const loading = import("./admit-live-tools.js").then((module) => module.admitLiveTools(...given));
  return async () => (await loading)();
}

function watchServers(
  { config }: LoadedConfig,
  lock: Lockfile,
  connections: readonly ConnectedTools[],
  now: Clock,
): ReadonlyMap<string, ContractWatch> {
  return new Map(
    connections.flatMap((connection): readonly (readonly [string, ContractWatch])[] => {
      const name = originOf(connection)?.server.name ?? "";
      const [settings, locked] = [getOwn(config.servers, name), getOwn(lock.servers, name)];
      if (settings === undefined || locked === undefined) return [];
      return [[name, new ContractWatch({ name, settings, locked, connection }, now)]];
    }),
  );
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

function assertEnvironment({ config }: LoadedConfig, environment: string | undefined): void {
  if (environment === undefined) return;
  const known = Object.values(config.servers).flatMap(({ environments = {} }) => Object.keys(environments));
  if (known.includes(environment)) return;
  const names = [...new Set(known)].map((name) => JSON.stringify(name)).join(", ");
  throw new McpCodegenError(
    "SERVER_UNKNOWN",
    `No server has an environment ${JSON.stringify(environment)}.`,
    {
      hint: names === "" ? "Add it under servers.<name>.environments." : `Known: ${names}.`,
    },
  );
}

function environmentsOf({ config }: LoadedConfig, environment: string | undefined): readonly string[] {
  const named = Object.values(config.servers).flatMap(({ environments = {} }) => Object.keys(environments));
  return [...new Set([environment ?? DEFAULT_ENVIRONMENT, ...named])];
}

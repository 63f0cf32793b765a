import type { LoadedConfig } from "../config/load-config.js";
import type { ServerOutputListener, VariableLookup } from "../core/connection.js";
import { quoteAll } from "../core/collections.js";
import { McpCodegenError } from "../core/errors.js";
import { getOwn } from "../core/json.js";
import type { Logins } from "../core/login.js";
import type { Lockfile } from "../core/lockfile.js";
import { type LockedToolsOptions, openLockedTools } from "../project/tools/locked-tools.js";
import type { Clock } from "../runtime/events.js";
import { DEFAULT_ENVIRONMENT, unknownEnvironment } from "../agent/registry/server-source.js";
import type { Registry, ToolView } from "../agent/registry/registry.js";
import { completeView } from "../agent/registry/tool-view.js";
import type { AnyTool, RegisteredTool } from "../core/tool.js";
import { ContractWatch, type DriftedTool, DriftGuard, type DriftState } from "./drift-guard.js";

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
export interface ServedTools extends ToolView {
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
  const named = Object.values(project.config.servers).flatMap((server) =>
    Object.keys(server.environments ?? {}),
  );
  const environments = [...new Set(named)];
  if (environment !== undefined && !environments.includes(environment))
    throw unknownEnvironment(environment, environments);
  const guard = new DriftGuard(environment, options.onDrift);
  const listed: ContractWatch[] = [];
  const opened = openLockedTools(project, lock, { ...options, hasAppTools: false }, (source, server) => {
    const watch = new ContractWatch(server, options.now);
    const tools = source.tools.map((tool) => guard.guard(tool, watch));
    if (!allowUnlocked && server.settings.trust?.newTools !== true) return { ...source, tools };
    listed.push(watch);
    return { ...source, tools, list: (request) => watch.list(source, request, allowUnlocked) };
  });
  const { registry } = opened;
  // A list that its server has changed is not shown.
  const refresh = async (): Promise<Registry> => {
    const outdated = listed.filter(({ isCurrent }) => !isCurrent);
    await Promise.all(outdated.map(({ server }) => registry.refresh(server)));
    return registry;
  };
  const view = completeView({
    environment,
    environments: [...new Set([environment ?? DEFAULT_ENVIRONMENT, ...environments])],
    isPartial: servers !== undefined,
    get servers() {
      return registry.servers;
    },
    getTools: async () => (await refresh()).getTools(),
    getTool: async (name) => (await refresh()).getTool(name),
  });
  return Object.assign(view, { known: registry.tools, drift: guard.state, close: () => opened.close() });
}

function assertLocked({ config }: LoadedConfig, lock: Lockfile, server: string): void {
  if (getOwn(config.servers, server) !== undefined && getOwn(lock.servers, server) !== undefined) return;
  const servers = Object.keys(config.servers).filter((name) => Object.hasOwn(lock.servers, name));
  const names = quoteAll(servers);
  throw new McpCodegenError("SERVER_UNKNOWN", `There is no locked server ${JSON.stringify(server)}.`, {
    hint: names === "" ? 'Run "npx mcp-codegen pull" first.' : `Locked are ${names}.`,
  });
}

import type { LoadedConfig } from "../config/load-config.js";
import { readVariables } from "../config/variables.js";
import { checkOptions, FLAG, FUNCTION, OBJECT, TEXT, TEXTS } from "../core/check-options.js";
import { groupBy, omitUndefined, quoteAll } from "../core/collections.js";
import type { ServerOutputListener, VariableLookup } from "../core/connection.js";
import { decide, statedEffectOf } from "../core/decide.js";
import { McpCodegenError } from "../core/errors.js";
import { getOwn } from "../core/json.js";
import type { Lockfile } from "../core/lockfile.js";
import type { Logins } from "../core/login.js";
import { addRole, type Policy } from "../core/policy.js";
import { serverNameOf } from "../core/tool-name.js";
import type { AnyTool, RegisteredTool } from "../core/tool.js";
import type { Registry, ToolView } from "../agent/registry/registry.js";
import { warnOfUnmatched } from "../agent/registry/restrict-view.js";
import { DEFAULT_ENVIRONMENT, unknownEnvironment } from "../agent/registry/server-source.js";
import { completeView } from "../agent/registry/tool-view.js";
import { type Embedder, SEARCH_OPTIONS } from "../agent/search/create-tool-search.js";
import { createToolset } from "../agent/toolset/create-toolset.js";
import type { Toolset } from "../agent/toolset/toolset.js";
import { type CodeTools, createCodeTools, loadScriptPackages } from "../code-mode/create-code-tools.js";
import { openProject, type Project } from "../project/project.js";
import { explainWrites, toolPolicyOf } from "../project/tool-policy.js";
import { findOwnTools, type LockedToolsOptions, openLockedTools } from "../project/tools/locked-tools.js";
import { type Clock, createWarner, systemClock } from "../runtime/events.js";
import { ContractWatch, createDriftGuard, type DriftedTool, type DriftState } from "./drift-guard.js";
import type { DirectOptions } from "./offer.js";

interface ServedChoice {
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

export interface OpenToolsetOptions extends ServedChoice {
  /** The folder to search for the configuration, with its parents. */
  readonly cwd: string;
  /** The absolute path of a configuration, instead of a search. */
  readonly config?: string | undefined;
  /** Variables that override those of `.env.local` and `.env` next to the configuration. */
  readonly variables: { readonly [name: string]: string | undefined };
  /** The absolute path of a file of variables that also override these two files. */
  readonly envFile?: string | undefined;
  /** A role that restricts what the configuration allows. */
  readonly role?: string | undefined;
  /** A prefix for the names of the five tools. Default: the configuration's `serve.prefix`. */
  readonly prefix?: string | undefined;
  /** Whether models write scripts, with `search_api` and `run_code` instead of the five tools. */
  readonly code?: boolean | undefined;
  /** With `code`, whether scripts are a person's own, as those of `run`. */
  readonly ownScripts?: boolean | undefined;
  /** Whether tools that write may be called unless the configuration or `MCP_CODEGEN_ENABLE_WRITES` switches writes off. */
  readonly writes?: boolean | undefined;
  /** Also searches by meaning. Default: the `embedder` of the configuration. */
  readonly embedder?: Embedder | undefined;
  readonly onWarning?: ((message: string) => void) | undefined;
}

export interface OpenedToolset extends Toolset {
  readonly project: LoadedConfig;
  readonly lookup: VariableLookup;
  readonly policy: Policy;
  /** The toolset itself, with the option `code`. */
  readonly code: CodeTools | undefined;
  /**
   * Loads what checks and runs scripts, so that a missing package is an error at the start.
   *
   * @throws McpCodegenError `DEPENDENCY_MISSING`
   */
  loadScriptPackages(): Promise<void>;
  /** The number of shown tools, with reasons for the others. */
  readonly count: ServedCount;
  readonly drift: DriftState;
  /** The tools to serve directly, with options: `serveStdio(direct.source, { ...direct.options, … })`. */
  readonly direct: { readonly source: ToolView; readonly options: DirectOptions };
  /** Closes the connections to servers. */
  close(): Promise<void>;
}

/** Loads the embedder of a configuration. Most name none, and a search of scripts uses none. */
async function loadEmbedder(
  project: Project,
  { embedder, code }: OpenToolsetOptions,
): Promise<Embedder | undefined> {
  if (embedder !== undefined || code === true || project.config.embedder === undefined) return embedder;
  const { openEmbedder } = await import("../project/tools/embedder.js");
  return openEmbedder(project);
}

/**
 * Opens five meta-tools for the locked and static tools of a project, under its policy. Does not connect yet.
 *
 * @throws McpCodegenError `CONFIG_NOT_FOUND`, `CONFIG_INVALID`, `LOCK_NOT_FOUND`, `LOCK_INVALID`, `SERVER_UNKNOWN`; whatever
 * is wrong with a module of tools.
 */
export async function openToolset(options: OpenToolsetOptions): Promise<OpenedToolset> {
  checkOptions("openToolset", options, {
    cwd: TEXT,
    config: TEXT,
    variables: OBJECT,
    envFile: TEXT,
    role: TEXT,
    prefix: TEXT,
    code: FLAG,
    ownScripts: FLAG,
    writes: FLAG,
    ...SEARCH_OPTIONS,
    onWarning: FUNCTION,
    environment: TEXT,
    servers: TEXTS,
    logins: OBJECT,
    allowUnlocked: FLAG,
    onDrift: FUNCTION,
    onStderr: FUNCTION,
  });
  const { cwd, config, variables, envFile, role } = options;
  const onWarning = createWarner(options.onWarning ?? (() => undefined));
  const project = await openProject({ cwd, ...omitUndefined({ path: config }) });
  if (project === undefined) {
    const message = `There is no mcp-codegen configuration at ${JSON.stringify(cwd)}.`;
    throw new McpCodegenError("CONFIG_NOT_FOUND", message, {
      hint: 'Run "npx mcp-codegen init", or name a configuration.',
    });
  }
  const { dir } = project;
  const [lock, embedder, lookup, statics, outputOf] = await Promise.all([
    project.lockOrEmpty(),
    loadEmbedder(project, options),
    readVariables({ dir, environment: { ...variables }, ...omitUndefined({ envFile }) }),
    findOwnTools(project, onWarning),
    project.outputs(),
  ]);
  const configured = toolPolicyOf(project.config, lookup, { allowsWrites: options.writes });
  const policy = role === undefined ? configured : addRole(configured, role);
  const tools = openServedTools(project, lock, {
    ...options,
    lookup,
    outputOf,
    static: statics,
    now: systemClock,
  });
  // A pull has noted the patterns of `tools.annotations` that match nothing.
  const selected = { ...policy, annotations: {} };
  if (options.allowUnlocked !== true)
    warnOfUnmatched(tools.known, tools, { policy: selected, warn: onWarning });
  const toolsetOptions = {
    policy,
    onWarning,
    writesHint: (server: string, hasNoHints: boolean) => {
      const how = options.ownScripts === true ? "Pass --yes, or set" : "Set";
      const writes = explainWrites(project.config, lookup, server, how);
      return hasNoHints
        ? `If the tool only reads, say so in servers.${server}.tools.annotations. Otherwise: ${writes}`
        : writes;
    },
    prefix: options.prefix ?? project.config.serve?.prefix,
  };
  const open = options.code === true ? createCodeTools : undefined;
  const code = open?.(tools, { ...toolsetOptions, ownScripts: options.ownScripts });
  return Object.assign(code ?? createToolset(tools, { ...toolsetOptions, embedder }), {
    project,
    lookup,
    policy,
    code,
    loadScriptPackages,
    direct: { source: tools, options: toolsetOptions },
    count: countServed(tools.known, lock, policy, options.servers),
    drift: tools.drift,
    close: () => tools.close(),
  });
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
  const configured = Object.values(project.config.servers);
  const environments = [...new Set(configured.flatMap((server) => Object.keys(server.environments ?? {})))];
  if (environment !== undefined && !environments.includes(environment))
    throw unknownEnvironment(environment, environments);
  const drift = createDriftGuard(environment, options.onDrift);
  const listed: ContractWatch[] = [];
  const opened = openLockedTools(project, lock, { ...options, hasAppTools: false }, (source, server) => {
    const watch = new ContractWatch(server, options.now);
    const tools = source.tools.map((tool) => drift.guard(tool, watch));
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
  return Object.assign(view, { known: registry.tools, drift: drift.state, close: () => opened.close() });
}

function assertLocked({ config }: LoadedConfig, lock: Lockfile, server: string): void {
  if (getOwn(config.servers, server) !== undefined && getOwn(lock.servers, server) !== undefined) return;
  const servers = Object.keys(config.servers).filter((name) => Object.hasOwn(lock.servers, name));
  const names = quoteAll(servers);
  throw new McpCodegenError("SERVER_UNKNOWN", `There is no locked server ${JSON.stringify(server)}.`, {
    hint: names === "" ? 'Run "npx mcp-codegen pull" first.' : `Locked are ${names}.`,
  });
}

/** How many tools are served, and why others are not. */
export interface ServedCount {
  /** Tools that the policy shows. */
  readonly shown: number;
  /** Locked and own tools. */
  readonly total: number;
  /** Tools that are not shown, by the reason: a focus mode, a role, or that no call of them is possible. */
  readonly left: readonly { readonly reason: string; readonly count: number }[];
  /** Tools that are shown, and refused because writes are off. */
  readonly unwritten: number;
  /** The servers of those that state no effect. */
  readonly unstated: readonly string[];
}

/** Counts the tools that are known before a server is listed. */
function countServed(
  lockedTools: readonly RegisteredTool[],
  lock: Lockfile,
  policy: Policy,
  servers: readonly string[] | undefined,
): ServedCount {
  const decisions = lockedTools.map((tool) => ({ tool, ...decide(tool, policy) }));
  const shown = decisions.filter(({ isVisible }) => isVisible);
  const hidden = decisions.flatMap(({ isVisible, reasons: [reason] }) =>
    isVisible || reason === undefined ? [] : [`hidden by ${reason.by}`],
  );
  const unusable = Object.entries(lock.servers)
    .filter(([name]) => servers?.includes(name) !== false)
    .flatMap(([, { tools }]) => Object.values(tools))
    .filter((tool) => tool.unusable !== undefined)
    .map(() => "unusable");
  const reasons = [...hidden, ...unusable];
  const unwritten = shown.filter(({ isAllowed }) => !isAllowed);
  const unstated = unwritten.filter(({ tool }) => statedEffectOf(tool, policy) === "unstated");
  return {
    shown: shown.length,
    total: lockedTools.length + unusable.length,
    left: [...groupBy(reasons, (reason) => reason)].map(([reason, { length: count }]) => ({ reason, count })),
    unwritten: unwritten.length,
    unstated: [...new Set(unstated.map(({ tool }) => serverNameOf(tool)))],
  };
}

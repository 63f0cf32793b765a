import type { Clock } from "../../runtime/events.js";
import type { Connection } from "../../runtime/define-tool.js";
import type { OnInput } from "../../core/input-question.js";
import type {
  CallOptions,
  CallRecorder,
  CassetteOptions,
  Logger,
  Result,
  ToolCaller,
  ToolError,
} from "../../core/call.js";
import type { ServerDefinition, ServerTrust, AnyTool, RegisteredTool } from "../../core/tool.js";
import type { PolicyDecision } from "../../core/decide.js";
import type { Policy } from "../../core/policy.js";
import type { ApprovalOptions, ApprovalRule, Approve } from "./approval.js";
import type { RegistryChange } from "./registered-tool.js";

/**
 * A server of a registry: a generated index (`import * as wordpress from "./generated/wordpress/index.js"`), the result of its
 * `connect()`, or a definition without locked tools (`defineServer({ name, url })`).
 */
export type ServerInput = ServerDefinition | { readonly server: ServerDefinition } | Connection;

/** Options of a registry. With `replay` and without `record`, the servers have their locked tools and are not listed. */
export interface RegistryOptions extends CassetteOptions {
  /** Servers, and tools such as those that `discoverTools` finds. */
  readonly servers?: readonly (ServerInput | AnyTool)[] | undefined;
  /** Static tools, from `defineStaticTool`, or generated tools under their own names. */
  readonly static?: readonly AnyTool[] | undefined;
  /** Milliseconds until a list is stale. Default: the time that the server states (`ttlMs`, at least a second), or five minutes. */
  readonly ttl?: number | undefined;
  /** The environment of the servers. A server without environments is the same in all of them. */
  readonly environment?: string | undefined;
  /**
   * Whether to offer tools that a server lists and its lock does not have, with `isLocked: false`. Default: true for a server
   * without a lock; for a locked server, true only in a named environment that is not `production`.
   */
  readonly admitUnlocked?: boolean | undefined;
  /**
   * How far each server is trusted beyond its lock, in every environment: for servers whose tools come and go, such as a WordPress
   * with its plugins. `newTools` takes precedence over `admitUnlocked`. Default: `trust` of the server's configuration.
   */
  readonly trust?: { readonly [server: string]: ServerTrust } | undefined;
  /** Switches servers on or off, at each refresh. The variable `<SERVER>_MCP_ENABLED`, `true` or `false`, takes precedence. */
  readonly enabled?: { readonly [server: string]: boolean } | undefined;
  /**
   * Categories by pattern of the tool's name, as in a policy's `names`: `"list-*"`, or `"shop__*"` for a server's tools. The
   * first matching pattern applies and takes precedence over the category of the tool itself.
   */
  readonly categories?: { readonly [pattern: string]: string } | undefined;
  /** Restricts the tools, as `restrict` does, in every environment. A toolset of the registry has the same policy by default. */
  readonly policy?: Policy | undefined;
  /**
   * Records the calls of its tools that do more than read, whatever makes them: an adapter, a toolset, a script or the program.
   * See `createChangeTracker`.
   */
  readonly changes?: CallRecorder | undefined;
  /** The tools whose calls need approval, in every adapter, toolset and script. Default: `destructive`. */
  readonly approval?: ApprovalRule | undefined;
  /** Asked before each call that needs approval, in every adapter, toolset and script. Calls of the program itself need none. */
  readonly approve?: Approve | undefined;
  /** Receives events of the registry and of calls. */
  readonly logger?: Logger | undefined;
  /** As in `CallOptions`, also for the events of the registry. */
  readonly traceId?: string | (() => string) | undefined;
  /** As in `CallOptions`: answers questions that servers ask while tools run. */
  readonly onInput?: OnInput | undefined;
  /** Receives each warning once, such as that a server cannot be listed. Default: `process.emitWarning`, if it exists. */
  readonly onWarning?: ((message: string) => void) | undefined;
  readonly now?: Clock | undefined;
}

/** A filter for tools; absent conditions match all. */
export interface ToolFilter {
  readonly server?: string | undefined;
  /** `uncategorized` matches tools without a category. */
  readonly category?: string | undefined;
  readonly isLocked?: boolean | undefined;
}

/** The last known state of a server of a registry. */
export interface ServerState {
  readonly name: string;
  readonly isEnabled: boolean;
  readonly toolCount: number;
  /** When the server was last listed, ISO 8601; absent before. */
  readonly listedAt?: string;
  /** Listed tools that are not offered, with the reasons; absent if all are offered. */
  readonly refused?: readonly RefusedTool[];
  /** True if every tool that the server may offer is known: it offers only locked tools, and has all of them. */
  readonly hasAllTools?: true | undefined;
  /** Why the last listing failed. The server keeps its previous tools. */
  readonly error?: ToolError | undefined;
}

/** A tool as a server lists it. Other keys are read if they are known, such as `annotations`. */
export interface ToolEntry {
  readonly name: string;
  readonly inputSchema?: unknown;
  readonly [key: string]: unknown;
}

export interface ServerListing {
  /** The number of tools that the registry offers. */
  readonly toolCount: number;
  /** Live tools that are not offered, with the reasons. */
  readonly refused: readonly RefusedTool[];
  /** Missing information about the tools, such as the categories of a WordPress; absent if it is complete. */
  readonly notes?: readonly string[];
}

export interface RefusedTool {
  /** The tool's name on the server. */
  readonly tool: string;
  /** `unusable`: its name or schema cannot be used. */
  readonly code: "not-locked" | "unusable";
  readonly reason: string;
}

/** The result of a refresh: the changes, and the result of each listed server. */
export interface RefreshReport extends RegistryChange {
  /** Whether every server was listed successfully. */
  readonly ok: boolean;
  /** A server that failed keeps its previous tools. */
  readonly servers: { readonly [server: string]: Result<ServerListing> };
}

/** Why a name is not one of the tools. */
export interface Explanation {
  readonly message: string;
  /** For a malformed name, and for a tool of a server that could not be listed. */
  readonly error?: ToolError;
}

/** The tools of one environment: of a registry, a toolset, a session, or a part of one. Every function takes a view. */
export interface ToolView {
  /** Absent if the servers' own settings apply. */
  readonly environment?: string | undefined;
  /** The environments that `for` accepts, this one first; `default` stands for the servers' own settings. */
  readonly environments: readonly string[];
  /** The last known state of the servers, without a request. */
  readonly servers: readonly ServerState[];
  /** Whether the tools of some servers of the program are left out. */
  readonly isPartial?: boolean | undefined;
  /** The policy that the registry was created with. */
  readonly policy?: Policy | undefined;
  /** The approvals of the registry, where options do not replace them. */
  readonly approvals?: ApprovalOptions | undefined;
  /** The last known tools, in the order of {@link ToolView.getTools}, without a request. */
  readonly tools: readonly RegisteredTool[];
  /**
   * Returns the tools: static ones first, then those of each server as configured, by name. Servers that were not listed yet
   * are listed first, in parallel. Servers whose list is stale are listed in the background, and their last known tools
   * returned. Servers that fail keep their tools, and are not asked again for half a minute.
   */
  getTools(filter?: ToolFilter): Promise<readonly RegisteredTool[]>;
  /**
   * Returns one of {@link ToolView.getTools}. Lists only the server in the name. A known list is read again only if it lacks
   * the tool: immediately if it is stale, otherwise at most every five seconds.
   */
  getTool(name: string): Promise<RegisteredTool | undefined>;
  /**
   * Calls a tool by its name, or by the one that models see: its own, if no other tool has it. Never throws: an unknown name
   * gives `TOOL_NOT_FOUND`, a live tool that was not admitted `TOOL_NOT_ALLOWED`, and a tool of a server that could not be
   * listed `TOOL_UNAVAILABLE`.
   */
  call(name: string, input: unknown, options?: CallOptions): Promise<Result<unknown>>;
  /**
   * Returns the same tools in another environment. Static tools are shared; results of `connect()` keep their connection.
   *
   * @throws McpCodegenError `SERVER_UNKNOWN` for an unknown environment
   */
  for(environment: string): ToolView;
  /**
   * Returns the same tools under one more policy, or a role of the current one. Both can only restrict: hidden tools are neither
   * listed nor called, and calls of tools that do not only read fail unless the policy has `writes`.
   *
   * @throws McpCodegenError `CONFIG_INVALID` for an unknown focus mode or role, and for a malformed pattern; `USAGE` for an
   * unknown key
   */
  restrict(rule: Policy | string): ToolView;
  /** Says whether the policies of this view let a tool be found and called, of the last known tools. */
  decide(name: string): PolicyDecision;
  /** Returns all tools: those that a search has yet to find have `isDeferred`. Absent if there is no search. */
  getDeferrable?(): Promise<readonly RegisteredTool[]>;
  /** Explains to a model why none of these tools has a name. */
  explain?(name: string): Promise<Explanation>;
  /** Introduces the tools to a model that does not see all of them. */
  introduce?(environment?: string): Promise<string>;
  /** Subscribes to changes of the list. Returns a function that unsubscribes. */
  onChange?(listener: () => void): () => void;
}

/**
 * The source of tools that every function takes: a registry, a toolset, a session, a list of registered tools, or generated and static
 * tools: a single tool, a list or an object of tools, the result of `connect()`, `import * as wordpress`, or a module of such
 * modules.
 */
export type ToolSource =
  | Pick<ToolView, "getTools">
  | readonly RegisteredTool[]
  | { readonly [name: string]: unknown }
  | (object & { readonly then?: never });

/**
 * Static tools and the tools of several servers, in one environment. Connects when tools are first requested; the list of a
 * server is then valid for five minutes.
 */
export interface Registry extends ToolView {
  /** Returns the same registry in another environment, with connections and lists of its own. */
  for(environment: string): Registry;
  /** Adds a static tool. It replaces a tool of the same name, with a warning. */
  registerStaticTool(tool: AnyTool): void;
  /**
   * Sets the tools of a server without listing it. A server with a connection is listed at the next refresh.
   *
   * Tools may be entries of a `tools/list` result. Those are not locked, their schemas are read at the first call, and they are
   * called through `client` or the registry's connection to the server. Entries that cannot be used are in
   * {@link ServerState.refused}.
   *
   * @throws McpCodegenError `CONFIG_INVALID` for a malformed name, and for entries without a client or connection.
   */
  registerServerTools(
    server: string,
    tools: readonly (AnyTool | ToolEntry)[],
    options?: { readonly client?: ToolCaller },
  ): void;
  /** Removes a server and its tools; it is not contacted again. */
  removeServerTools(server: string): void;
  /**
   * Whether a server has to be listed before its tools can be returned.
   *
   * @throws McpCodegenError `SERVER_UNKNOWN`
   */
  isStale(server: string): boolean;
  /**
   * Lists one server, or all of them in parallel, regardless of the age of the known lists. Concurrent calls
   * share one request.
   *
   * @throws McpCodegenError `SERVER_UNKNOWN`. The failure of a server is part of the report.
   */
  refresh(server?: string): Promise<RefreshReport>;
  /** Marks lists as stale, in one environment or in all: servers are listed when tools are next needed, and these stay until then. */
  invalidate(environment?: string): void;
  /** Subscribes to changes, which are reported by server. Returns a function that unsubscribes. */
  onChange(listener: (change: RegistryChange) => void): () => void;
}

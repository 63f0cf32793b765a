import type { CallOptions, ToolCaller } from "../../runtime/call-options.js";
import type { CassetteOptions } from "../../runtime/call-options.js";
import type { Clock } from "../../runtime/clock.js";
import type { Connection } from "../../runtime/connect-tools.js";
import type { OnInput } from "../../runtime/input-question.js";
import type { Logger } from "../../runtime/events.js";
import type { Result, ToolError } from "../../runtime/result.js";
import type { ServerDefinition, AnyTool } from "../../runtime/tool.js";
import type { RegisteredTool } from "./registered-tool.js";

/**
 * Where a server's tools come from: a generated index (`import * as wordpress from "./generated/wordpress/index.js"`),
 * what its `connect()` returned, or a bare definition (`defineServer({ name, url })`), of which nothing is locked.
 */
export type ServerSource = ServerDefinition | { readonly server: ServerDefinition } | Connection;

/**
 * Options of a registry. With `replay` alone, its servers have their locked tools: no list is asked for.
 */
export interface RegistryOptions extends CassetteOptions {
  readonly servers?: readonly ServerSource[];
  /** Static tools, from `defineStaticTool`, or generated tools under their own names. */
  readonly static?: readonly AnyTool[];
  /** Milliseconds until a list of tools is stale. Default: what the server states (`ttlMs`, at least one second), or five minutes. */
  readonly ttl?: number;
  /** The environment of the servers. A server without environments is the same in all of them. */
  readonly environment?: string;
  /**
   * Whether tools that a server lists and its lock does not know are offered, with `isLocked: false`. Default: always
   * where nothing is locked; with a lock, only in a named environment that is not `production`.
   */
  readonly admitUnlocked?: boolean;
  /**
   * Servers that are switched on or off, read again at each refresh. The environment variable `<SERVER>_MCP_ENABLED`,
   * `true` or `false`, says more than this.
   */
  readonly enabled?: { readonly [server: string]: boolean };
  /**
   * Category by pattern of the tool's name, as in a policy's `names`: `"list-*"`, or `"shop__*"` for a server's tools. The
   * first that fits counts, before the category that the tool has.
   */
  readonly categories?: { readonly [pattern: string]: string };
  /** Receives events of the registry and of calls. */
  readonly logger?: Logger;
  /** As in `CallOptions`, for the events of the registry as well. */
  readonly traceId?: string | (() => string);
  /** As in `CallOptions`: answers questions that servers ask while tools run. */
  readonly onInput?: OnInput;
  /**
   * Receives warnings, such as that a server cannot be listed, each once; default: `process.emitWarning` where there is
   * one.
   */
  readonly onWarning?: (message: string) => void;
  readonly now?: Clock;
}

/** A filter for tools; absent conditions match all. */
export interface ToolFilter {
  readonly server?: string;
  /** `uncategorized` for tools that have none. */
  readonly category?: string;
  readonly isLocked?: boolean;
}

/** The last known state of a server of a registry. */
export interface ServerState {
  readonly name: string;
  readonly isEnabled: boolean;
  readonly toolCount: number;
  /** When it was last listed, ISO 8601; absent before. */
  readonly listedAt?: string;
  /** Tools that it lists and that are not offered, and why; absent where all are offered. */
  readonly refused?: readonly RefusedTool[];
  /** Why the last listing failed. The server keeps its previous tools. */
  readonly error?: ToolError;
}

/** Names of added and removed tools. */
export interface RegistryChange {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  /** The same by category; `uncategorized` for tools that have none. */
  readonly byCategory: {
    readonly [category: string]: { readonly added: readonly string[]; readonly removed: readonly string[] };
  };
}

/** A tool as a server lists it. Other keys are read where they are known, such as `annotations`. */
export interface ToolEntry {
  readonly name: string;
  readonly inputSchema?: unknown;
  readonly [key: string]: unknown;
}

/** The result of listing a server. */
export interface ServerListing {
  /** How many of them the registry offers. */
  readonly toolCount: number;
  /** Live tools that are not offered, and why. */
  readonly refused: readonly RefusedTool[];
  /** What could not be read about the tools, such as the categories of a WordPress; absent where nothing is missing. */
  readonly notes?: readonly string[];
}

/** Why a live tool is not offered: it is not locked, or its name or schema cannot be used. */
export type RefusalCode = "not-locked" | "unusable";

export interface RefusedTool {
  /** The tool's name on the server. */
  readonly tool: string;
  readonly code: RefusalCode;
  readonly reason: string;
}

/** The result of a refresh: the changes, and the result of each listed server. */
export interface RefreshReport extends RegistryChange {
  /** Whether every server was listed successfully. */
  readonly ok: boolean;
  /** A server that failed keeps its previous tools. */
  readonly servers: { readonly [server: string]: Result<ServerListing> };
}

/**
 * Static tools and the tools of many servers in one place, in one environment. Nothing connects before tools are asked
 * for; a server's list is then good for five minutes.
 */
export interface Registry {
  /** Absent for the servers' own settings. */
  readonly environment?: string;
  /** The environments that {@link Registry.for} knows, this one first; `default` stands for the servers' own settings. */
  readonly environments: readonly string[];
  /** The last known state of the servers, without a request. */
  readonly servers: readonly ServerState[];
  /** The last known tools, in the order of {@link Registry.getTools}; contacts no server. */
  readonly tools: readonly RegisteredTool[];
  /**
   * The same registry in another environment, with connections and lists of its own. Static tools are shared; what
   * `connect()` returned stays where it is connected.
   *
   * @throws McpCodegenError `SERVER_UNKNOWN` for an environment that no server has.
   */
  for(environment: string): Registry;
  /**
   * The tools there are, static ones first, then by server as configured and by name. Servers that were not asked yet are
   * asked first, side by side. Those whose list is stale are asked in the background, and their last known tools are
   * given at once. Servers that fail keep the tools they had, and are left alone for half a minute.
   */
  getTools(filter?: ToolFilter): Promise<readonly RegisteredTool[]>;
  /** How many of the tools that {@link Registry.getTools} gives each category has, by name; `uncategorized` for those without. */
  getCategories(filter?: ToolFilter): Promise<{ readonly [category: string]: number }>;
  /**
   * Returns one of {@link Registry.getTools}. Lists only the server in the name, and a known list again only if it lacks the
   * tool: a stale list at once, and any other at most every five seconds.
   */
  getTool(name: string): Promise<RegisteredTool | undefined>;
  /**
   * Calls a tool by its name, such as a model gives. Never throws: a name that stands for nothing is `TOOL_NOT_FOUND`, a
   * live tool that was not admitted `TOOL_NOT_ALLOWED`, and a name whose server could not be listed `TOOL_UNAVAILABLE`.
   */
  call(name: string, input: unknown, options?: CallOptions): Promise<Result<unknown>>;
  /** Adds a static tool. It replaces a tool of the same name, with a warning. */
  registerStaticTool(tool: AnyTool): void;
  /**
   * Says which tools a server has, without asking it. For a server that can be asked, that holds until the next refresh.
   *
   * The tools may be entries of a `tools/list` answer. They are not locked. Their schemas are read when they are called,
   * through `client` or the connection of a server that the registry has. An entry that cannot be used is listed in
   * {@link ServerState.refused}.
   *
   * @throws McpCodegenError `CONFIG_INVALID` for a malformed name, and for entries that nothing can call.
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
   * @throws McpCodegenError `SERVER_UNKNOWN`. A server that fails is part of the report.
   */
  refresh(server?: string): Promise<RefreshReport>;
  /**
   * Marks all lists as stale, in one environment or in all, so that servers are listed when tools are next needed.
   * Until then, the known tools stay.
   */
  invalidate(environment?: string): void;
  /** Subscribes to changes, which are reported by server. Returns a function that unsubscribes. */
  onChange(listener: (change: RegistryChange) => void): () => void;
}

/** Provides the tools of one environment: a registry, a registry under a policy, or any object of this shape. */
export interface ToolProvider
  extends
    Pick<Registry, "environment" | "environments" | "getTools" | "getTool">,
    Partial<Pick<Registry, "tools" | "servers">> {
  /**
   * The same tools in another environment.
   *
   * @throws McpCodegenError `SERVER_UNKNOWN` for an unknown environment.
   */
  for(environment: string): ToolProvider;
}

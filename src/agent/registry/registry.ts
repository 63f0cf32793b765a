import type { CallOptions, ToolCaller } from "../../runtime/call-options.js";
import type { Clock } from "../../runtime/clock.js";
import type { Connection } from "../../runtime/connect-tools.js";
import type { Logger } from "../../runtime/events.js";
import type { Result, ToolError } from "../../runtime/result.js";
import type { ServerDefinition } from "../../runtime/server-definition.js";
import type { AnyTool } from "../../runtime/tool.js";
import type { RegisteredTool } from "./registered-tool.js";

/**
 * Where a server's tools come from: a generated index (`import * as wordpress from "./generated/wordpress/index.js"`),
 * what its `connect()` returned, or a bare definition (`defineServer({ name, url })`), of which nothing is locked.
 */
export type ServerSource = ServerDefinition | { readonly server: ServerDefinition } | Connection;

export interface RegistryOptions {
  readonly servers?: readonly ServerSource[];
  /** Tools of the program's own: what `defineStaticTool` gives, or a generated tool under its own name. */
  readonly static?: readonly AnyTool[];
  /** Milliseconds until a list of tools is stale. Default: five minutes. */
  readonly ttl?: number;
  /** Which environment of its servers this is about. A server without environments is the same in all of them. */
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
  /** Receives what happens, here and in calls. */
  readonly logger?: Logger;
  /** As in `CallOptions`, for the events of the registry as well. */
  readonly traceId?: string | (() => string);
  /**
   * Receives warnings, such as that a server cannot be listed, each once; default: `process.emitWarning` where there is
   * one.
   */
  readonly onWarning?: (message: string) => void;
  readonly now?: Clock;
}

/** Which tools; what is absent does not narrow. */
export interface ToolFilter {
  readonly server?: string;
  /** `uncategorized` for tools that have none. */
  readonly category?: string;
  readonly isLocked?: boolean;
}

/** One of a registry's servers, as it was last known. */
export interface ServerState {
  readonly name: string;
  readonly isEnabled: boolean;
  readonly toolCount: number;
  /** When it was last listed, ISO 8601; absent before. */
  readonly listedAt?: string;
  /** Tools that it lists and that are not offered, and why; absent where all are offered. */
  readonly refused?: readonly RefusedTool[];
  /** Why it could not be asked the last time. Its tools are those it had before. */
  readonly error?: ToolError;
}

/** Names of tools that came and went. */
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

/** What a server answered when it was asked for its tools. */
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
  /** As the server calls it. */
  readonly tool: string;
  readonly code: RefusalCode;
  readonly reason: string;
}

/** What became of a refresh: what changed, and what each server that was asked came to. */
export interface RefreshReport extends RegistryChange {
  /** Whether every server that was asked answered. */
  readonly ok: boolean;
  /** A server that failed keeps the tools it had. */
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
  /** The servers as they are known now, without a request. */
  readonly servers: readonly ServerState[];
  /** The tools as they were last listed, in the order of {@link Registry.getTools}; no server is asked. */
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
  /** One of {@link Registry.getTools}. Only the server in the name is asked; a stale list is waited for when it has no such tool. */
  getTool(name: string): Promise<RegisteredTool | undefined>;
  /**
   * Calls a tool by its name, such as a model gives. Never throws: a name that stands for nothing is `TOOL_NOT_FOUND`, a
   * live tool that was not admitted `TOOL_NOT_ALLOWED`.
   */
  call(name: string, input: unknown, options?: CallOptions): Promise<Result<unknown>>;
  /** Adds a tool of the program's own. It wins over a server's tool of the same name, and over an earlier one, with a warning. */
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
  /** Takes a server and its tools out; it is not asked again. */
  removeServerTools(server: string): void;
  /**
   * Whether a server would be asked before its tools are given.
   *
   * @throws McpCodegenError `SERVER_UNKNOWN`
   */
  isStale(server: string): boolean;
  /**
   * Asks one server, or all of them side by side, whatever the age of what is known. Who asks while a server is being asked
   * shares its answer.
   *
   * @throws McpCodegenError `SERVER_UNKNOWN`. A server that fails is part of the report.
   */
  refresh(server?: string): Promise<RefreshReport>;
  /**
   * Has every server asked anew when its tools are next needed: in one environment, or in all of them. Until they
   * answer, what is known stays.
   */
  invalidate(environment?: string): void;
  /** Hears of every change, server by server. Call what it returns to hear no more. */
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

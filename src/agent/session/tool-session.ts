import type { JsonObject } from "../../core/json.js";
import type { Result, ToolError, CallOptions } from "../../core/call.js";
import type { Schema } from "../../core/schema.js";
import type { ToolView } from "../registry/registry.js";
import { defineStaticTool, type StaticTool } from "../define-static-tool.js";
import type { Policy } from "../../core/policy.js";
import type { RegisteredTool } from "../../core/tool.js";
import type { ToolSearchOptions } from "../search/create-tool-search.js";
import type { DescribedHit, WantedTools } from "../toolset/find-tools.js";
import { checkArguments } from "../toolset/meta-tool.js";

/** The answer of a session's search. */
export interface SessionSearchAnswer {
  /** The added tools, best first. */
  readonly tools: readonly DescribedHit[];
  /**
   * Without a query: the names of all matching tools, in pages of 100. For a query: the names of tools that fit less well, or
   * have a long definition. Only those in `tools` were added.
   */
  readonly names?: readonly string[];
  /** The number of matching tools; for a query, at most 100. */
  readonly total: number;
  /** The offset of the next page of names; absent at the end. */
  readonly next?: number;
  readonly query: string;
  /** Advice if no tool was added. */
  readonly suggestion?: string;
}

export type SearchTool = StaticTool<WantedTools, SessionSearchAnswer>;

/** Creates the tool with which a model finds others; a search adds at most `limit` of them. */
export function makeSearchTool(
  name: string,
  limit: number,
  search: (wanted: WantedTools) => Promise<SessionSearchAnswer>,
): SearchTool {
  const text = { type: "string", minLength: 1, maxLength: 1_000 };
  const schema: JsonObject = {
    type: "object",
    properties: {
      query: { ...text, description: "The task, in plain words. Required without a category." },
      category: { ...text, description: "Only tools of this category." },
      server: { ...text, description: "Only tools of this server." },
      limit: { type: "integer", minimum: 1, maximum: limit, default: limit },
      offset: { type: "integer", minimum: 0, description: 'For names: "next" of the previous answer.' },
    },
    additionalProperties: false,
  };
  const validate: Schema<WantedTools>["~standard"]["validate"] = (value) => {
    const issues = checkArguments(schema, value);
    if (issues.length > 0) return { issues };
    const wanted = value as WantedTools;
    const isEmpty = [wanted.query, wanted.category, wanted.server].every((wish) => wish === undefined);
    return isEmpty ? { issues: [{ message: "Missing query or category." }] } : { value: wanted };
  };
  return defineStaticTool({
    name,
    description: `Finds tools for a task. They join your tools with their schemas, at most ${limit} per search: call them by name in your next step. A search for one of the "names" adds that tool. A category alone lists the names of its tools.`,
    annotations: { readOnlyHint: true, idempotentHint: true, openWorldHint: false },
    input: { "~standard": { version: 1, vendor: "mcp-codegen", validate } },
    inputSchema: () => schema,
    execute: search,
  });
}

export interface ToolSessionOptions extends ToolSearchOptions {
  /** Tools that are always available, by names or by patterns with `*` as in a policy. Default: none. */
  readonly core?: readonly string[] | undefined;
  /** The maximum number of tools that one search adds. Default: 5. */
  readonly limit?: number | undefined;
  /** The maximum number of found tools at once, besides the core tools. Default: 20. */
  readonly maxActive?: number | undefined;
  /** The tools that an earlier part of the conversation has found: its {@link ToolSession.found}. Default: none. */
  readonly found?: readonly string[] | undefined;
  /** Tools that it hides are neither found nor called. Default: all tools are allowed. */
  readonly policy?: Policy | undefined;
  /** The prefix of the name `search_tools`. Default: none. */
  readonly prefix?: string | undefined;
  /** Receives problems that are not failures. Default: `process.emitWarning`, if it exists. */
  readonly onWarning?: ((message: string) => void) | undefined;
}

/**
 * The tools of one conversation: a few core tools, a tool to search for others, and the tools it has found. A session is a source
 * for the adapters. Convert its tools again for each request to a model.
 */
export interface ToolSession extends ToolView {
  /**
   * Returns the tools to show to a model: `search_tools`, the core tools in the order of the source, and the found tools in the order
   * in which they were found. New tools are added at the end, so that a prompt's cache stays valid.
   */
  getTools(): Promise<readonly RegisteredTool[]>;
  /**
   * Returns `search_tools`, the core tools and all others, with `isDeferred`, always in the same order: for providers that load a
   * tool when a search has found it. Adapters with `deferLoading` use it.
   */
  getDeferrable(): Promise<readonly RegisteredTool[]>;
  /** The last known tools that can be found. */
  readonly tools: readonly RegisteredTool[];
  /** The search tool, which the program may also call itself. */
  readonly search: SearchTool;
  /** The active tools that were found, by their names in the source. Store them to continue a conversation elsewhere. */
  readonly found: readonly string[];
  /**
   * Calls an active tool by its name for models. Never throws: other names give `TOOL_NOT_FOUND`, or `TOOL_UNAVAILABLE` if the
   * tool's server could not be listed.
   */
  call(name: string, input: unknown, options?: CallOptions): Promise<Result<unknown>>;
  /** Removes the found tools, for a new conversation. */
  clear(): void;
  /**
   * Adds a role, which can only restrict. Tools that it forbids are removed.
   *
   * @throws McpCodegenError `CONFIG_INVALID` for an unknown role.
   */
  narrow(role: string): void;
  /** Returns the same conversation in another environment of the source. */
  for(environment: string): ToolSession;
  /** Returns the error for an unknown name if a server that may have the tool could not be listed. */
  findListingError(name: string): Promise<ToolError | undefined>;
  /** Explains to a model why it cannot call a tool of this name. */
  explainUnknown(name: string): Promise<string>;
  /** Explains to a model how to find tools, and lists their categories: the `systemPrompt` of a session. */
  introduce(environment?: string): Promise<string>;
}

/** The names of the tools that searches have found. When it is full, the least recently used ones are removed. */
export class ActiveSet {
  readonly #most: number;
  /** The last use of each, in the order of finding. */
  readonly #uses = new Map<string, number>();
  #now = 0;

  constructor(most: number) {
    this.#most = most;
  }

  /** In the order of finding, which further uses do not change. */
  get names(): readonly string[] {
    return [...this.#uses.keys()];
  }

  /** Adds found tools, best first. Adding a tool again counts as a use. */
  add(names: readonly string[]): void {
    const kept = names.slice(0, this.#most);
    for (const name of kept) if (!this.#uses.has(name)) this.#uses.set(name, 0);
    // In reverse, so that the best is removed last.
    for (const name of kept.toReversed()) this.use(name);
    const excess = this.#uses.size - this.#most;
    if (excess <= 0) return;
    const oldest = [...this.#uses].sort(([, a], [, b]) => a - b).slice(0, excess);
    for (const [name] of oldest) this.#uses.delete(name);
  }

  /** Records a call of a tool, unless it was removed. */
  use(name: string): void {
    if (!this.#uses.has(name)) return;
    this.#now += 1;
    this.#uses.set(name, this.#now);
  }

  /** Removes the names that do not match. */
  keep(matches: (name: string) => boolean): void {
    for (const name of this.names) if (!matches(name)) this.#uses.delete(name);
  }
}

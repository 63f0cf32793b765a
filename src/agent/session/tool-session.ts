import type { CallOptions } from "../../runtime/call-options.js";
import type { Result, ToolError } from "../../runtime/result.js";
import { checkOptions, FUNCTION, TEXT, TEXTS } from "../../contract/check-options.js";
import { McpCodegenError } from "../../contract/errors.js";
import { createWarner } from "../../runtime/events.js";
import type { ToolHolder } from "../adapters/tool-source.js";
import { CREATED_POLICY, type Policy, createPolicy } from "../policy/policy.js";
import type { RegisteredTool } from "../registry/registered-tool.js";
import { SEARCH_OPTIONS, type ToolSearchOptions } from "../search/create-tool-search.js";
import { nameMetaTools } from "../toolset/create-toolset.js";
import type { ToolProvider } from "../registry/registry.js";
import { ActiveSet, SessionView } from "./session-view.js";
import type { SearchTool } from "./search-tool.js";

export interface ToolSessionOptions extends ToolSearchOptions {
  /** Tools that are always there, by names or by patterns with `*` as in a policy. Default: none. */
  readonly core?: readonly string[];
  /** How many tools one search brings at most. Default: 5. */
  readonly limit?: number;
  /** How many found tools there are at once, beside the core tools. Default: 20. */
  readonly maxActive?: number;
  /** What an earlier part of the conversation has found: its {@link ToolSession.found}. Default: nothing. */
  readonly found?: readonly string[];
  /** What it hides is neither found nor called. Default: everything is allowed. */
  readonly policy?: Policy;
  /** The prefix of the name `search_tools`. Default: none. */
  readonly prefix?: string;
  /** Receives problems that are not failures; default: `process.emitWarning` where it exists. */
  readonly onWarning?: (message: string) => void;
}

/**
 * The tools of one conversation: a few that are always there, a tool to search for others, and what it has found. The
 * adapters take it as their source; take its tools anew for each request to a model.
 */
export interface ToolSession extends ToolHolder {
  /**
   * What a model is to be shown now: `search_tools`, the core tools in the order of the source, the found ones in the order
   * in which they were found. Same state, same list: what comes is added at the end, so that a prompt's cache holds.
   */
  getTools(): Promise<readonly RegisteredTool[]>;
  /** The tools that can be found, as far as they are known now. */
  readonly tools: readonly RegisteredTool[];
  /** The search tool, to be called by the program itself as well. */
  readonly search: SearchTool;
  /** What was found and is active, by the names of the source: to be kept with a conversation that goes on elsewhere. */
  readonly found: readonly string[];
  /**
   * Calls a tool that is active now, by the name that models know. Never throws: any other name is `TOOL_NOT_FOUND`, or
   * `TOOL_UNAVAILABLE` if its server could not be listed.
   */
  call(name: string, input: unknown, options?: CallOptions): Promise<Result<unknown>>;
  /** Forgets what was found: a new conversation begins. */
  clear(): void;
  /**
   * Takes one more role, which can only forbid. What it forbids leaves.
   *
   * @throws McpCodegenError `CONFIG_INVALID` for a role that is not there.
   */
  narrow(role: string): void;
  /** The same conversation in another environment of the source. */
  for(environment: string): ToolSession;
  /** The error about a name that no known tool has, if a server that may have it could not be listed. */
  findListingError(name: string): Promise<ToolError | undefined>;
  /** Explains to a model why it cannot call a tool of this name. */
  explainUnknown(name: string): Promise<string>;
  /** How to work with the tools, and which categories of them there are: what `systemPrompt` says of a session. */
  introduce(environment?: string): Promise<string>;
}

/** The settings of a session, and what happens in it; common to all its environments. */
export interface SessionState {
  readonly core: readonly string[];
  readonly limit: number;
  readonly searchName: string;
  readonly searchOptions: ToolSearchOptions;
  /** Says each message once. */
  readonly warn: (message: string) => void;
  policy: Policy;
  active: ActiveSet;
  readonly maxActive: number;
  /** By environment. */
  readonly views: Map<string, ToolSession>;
}

/** Sessions without a policy have one and the same. */
const EVERYTHING = createPolicy({ writes: true });

/**
 * A session over the tools of a registry. Nothing is asked of a server before tools are needed. Sessions share nothing but
 * the index of their source's tools.
 *
 * @throws McpCodegenError `CONFIG_INVALID` for a number that is not a whole one from 1 on, a `limit` beyond `maxActive`, or a
 * `prefix` that providers would not take; `USAGE` for an unknown option.
 */
export function createToolSession(source: ToolProvider, options: ToolSessionOptions = {}): ToolSession {
  checkOptions("createToolSession", options, {
    ...SEARCH_OPTIONS,
    core: TEXTS,
    limit: "any",
    maxActive: "any",
    found: TEXTS,
    policy: CREATED_POLICY,
    prefix: TEXT,
    onWarning: FUNCTION,
  });
  const { core = [], found = [], policy = EVERYTHING, prefix = "", onWarning, embedder } = options;
  const maxActive = readCount("maxActive", options.maxActive ?? 20);
  const limit = readCount("limit", options.limit ?? Math.min(5, maxActive));
  if (limit > maxActive) {
    throw new McpCodegenError(
      "CONFIG_INVALID",
      `"limit" of the session is ${limit}, more than "maxActive" (${maxActive}).`,
      { hint: 'Raise "maxActive" or lower "limit".' },
    );
  }
  const active = new ActiveSet(maxActive);
  for (const name of found) active.add([name]);
  return new SessionView(source, {
    core,
    limit,
    maxActive,
    policy,
    warn: createWarner(onWarning),
    searchName: nameMetaTools(prefix).search,
    searchOptions: { ...(embedder && { embedder }) },
    active,
    views: new Map(),
  });
}

function readCount(name: string, value: number): number {
  if (Number.isInteger(value) && value > 0) return value;
  throw new McpCodegenError("CONFIG_INVALID", `"${name}" of the session is ${value}.`, {
    hint: "Use an integer of at least 1.",
  });
}

import type { JsonObject } from "../../core/json.js";
import type { ContentBlock, CallOptions, Result } from "../../core/call.js";
import type { Policy } from "../../core/policy.js";
import type { RegisteredTool } from "../../core/tool.js";
import type { ApprovalOptions, Approve } from "../registry/approval.js";
import type { Explanation, ToolView } from "../registry/registry.js";
import type { WantedTools } from "./find-tools.js";
import type { ToolSearchOptions } from "../search/create-tool-search.js";
import type { ToolAnnotations } from "../../core/snapshot.js";

interface ToolsetOptions extends ToolSearchOptions {
  /** The prefix of the names of the meta-tools: letters, digits, `_` and `-`. Default: none. */
  readonly prefix?: string | undefined;
  /** Receives each problem once that is not a failure. Default: `process.emitWarning`, if it exists. */
  readonly onWarning?: ((message: string) => void) | undefined;
}

/** Five meta-tools, however many tools there are. */
export interface MetaOptions extends ToolsetOptions, ApprovalOptions {
  readonly show?: "meta" | undefined;
  /** Says which tools may be found, described and called. Default: all tools are shown, and those that only read may be called. */
  readonly policy?: Policy | undefined;
  /**
   * Returns one sentence on how to allow writes for a server, for a model that calls a tool while writes are off; `hasNoHints` if the
   * tool does not say whether it writes. Default: a sentence about `writes` of the policy.
   */
  readonly writesHint?: ((server: string, hasNoHints: boolean) => string) | undefined;
  /** The maximum number of characters of a result; longer ones are split into pages. Default: 20,000. */
  readonly maxResult?: number | undefined;
}

/** A search tool, core tools, and those that a conversation has found: one session for each conversation. */
export interface FoundOptions extends ToolsetOptions {
  readonly show: "found";
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
}

/** One of the five tools that a model sees instead of all others. */
export interface MetaTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonObject;
  readonly annotations: ToolAnnotations;
}

/** The answer of a meta-tool, in the form of a `tools/call` result. */
export interface ToolAnswer {
  readonly isError: boolean;
  /** Absent if the answer is a text. */
  readonly structuredContent?: JsonObject;
  /** The answer as a text, which has the structured content as JSON, and images, audio and links of a result. */
  readonly content: readonly ContentBlock[];
}

/** Options of a call of a meta-tool. */
export interface ToolsetCallOptions extends Omit<CallOptions, "environment" | "client" | "onContent"> {
  /** Additional roles for this call. A role can only restrict. */
  readonly roles?: readonly string[] | undefined;
  /** Asked before calls that need approval. Default: that of the toolset; without one, no person is asked. */
  readonly approve?: Approve | undefined;
}

/** Tools that a model sees instead of all tools of a source. */
export interface Toolset extends ToolView {
  /** In the order in which they are listed. */
  readonly metaTools: readonly MetaTool[];
  /** Calls one of the meta-tools by its name, including the prefix. Never throws: a failure is an answer with `isError`. */
  answer(name: string, args: unknown, options?: ToolsetCallOptions): Promise<ToolAnswer>;
  for(environment: string): Toolset;
  /** Returns the same toolset under one more policy, or a role of its own: tools that it forbids are neither found nor called. */
  restrict(rule: Policy | string): Toolset;
  explain(name: string): Promise<Explanation>;
  /** Explains to a model how to use the tools, and lists the categories of all: the `systemPrompt` of a toolset. */
  introduce(environment?: string): Promise<string>;
}

/**
 * The tools of one conversation: a few core tools, a tool to search for others, and the tools it has found. Convert its tools again
 * for each request to a model.
 */
export interface ToolSession extends Toolset {
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
  /** The active tools that were found, by their names in the source. Store them to continue a conversation elsewhere. */
  readonly found: readonly string[];
  /** Answers as `search_tools` does, for a program that searches itself. */
  search(wanted: WantedTools): Promise<ToolAnswer>;
  /**
   * Calls an active tool by its name for models. Never throws: other names give `TOOL_NOT_FOUND`, or `TOOL_UNAVAILABLE` if the
   * tool's server could not be listed.
   */
  call(name: string, input: unknown, options?: CallOptions): Promise<Result<unknown>>;
  /** Removes the found tools, for a new conversation. */
  clear(): void;
  /** Returns the same conversation under one more policy, or a role of its own. */
  restrict(rule: Policy | string): ToolSession;
  /** Returns the same conversation in another environment of the source. */
  for(environment: string): ToolSession;
}

import type { JsonObject } from "../../core/json.js";
import type { ContentBlock, CallOptions } from "../../core/call.js";
import type { Policy } from "../../core/policy.js";
import type { RegisteredTool } from "../../core/tool.js";
import type { ToolView } from "../registry/registry.js";
import type { ToolSearchOptions } from "../search/create-tool-search.js";
import type { ToolAnnotations } from "../../core/snapshot.js";

export interface ToolsetOptions extends ToolSearchOptions {
  /**
   * Says which tools may be found, described and called. Default: `createPolicy()`, which shows all tools and allows calls of those
   * that only read.
   */
  readonly policy?: Policy | undefined;
  /** The prefix of the five names: letters, digits, `_` and `-`. Default: none. */
  readonly prefix?: string | undefined;
  /**
   * Returns one sentence on how to allow writes for a server, for a model that calls a tool while writes are off. Default: a
   * sentence about the option of `createPolicy`.
   */
  readonly writesHint?: ((server: string) => string) | undefined;
  /** The maximum number of characters of a result; longer ones are split into pages. Default: 20,000. */
  readonly maxResult?: number | undefined;
  /** As in {@link ToolsetCallOptions}, for calls without it, such as those of adapters. */
  readonly confirm?: Confirm | undefined;
  /**
   * Receives a warning once if the embedder fails and tools are found by words only. Default: `process.emitWarning`, if it
   * exists.
   */
  readonly onWarning?: ((message: string) => void) | undefined;
}

/** Asks a person whether to make a call. */
export type Confirm = (
  tool: RegisteredTool,
  args: JsonObject,
  /** The line of the script that makes the call. */
  where?: { readonly line: number },
) => Promise<boolean>;

/** One of the five tools that a model sees instead of all others. */
export interface MetaTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonObject;
  readonly annotations: ToolAnnotations;
}

/** The answer of a meta-tool, in the form of a `tools/call` result. */
export interface ToolsetAnswer {
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
  /** Asked before each valid call of a tool that may destroy data. Default: such calls are made without asking. */
  readonly confirm?: Confirm | undefined;
}

/** Five meta-tools for any number of tools. As a view, it has the five. */
export interface Toolset extends ToolView {
  /** In the order in which they are listed. */
  readonly metaTools: readonly MetaTool[];
  /** The last known tools of the source. */
  readonly tools?: readonly RegisteredTool[];
  /** Calls one of the five by its name, including the prefix. Never throws: a failure is an answer with `isError`. */
  answer(name: string, args: unknown, options?: ToolsetCallOptions): Promise<ToolsetAnswer>;
  /**
   * Adds a role, which can only restrict. Tools that it forbids can no longer be found or called.
   *
   * @throws McpCodegenError `CONFIG_INVALID` for an unknown role.
   */
  narrow(role: string): void;
  /** Returns the five as tools for adapters, which accept a toolset as a source of tools. */
  getTools(): Promise<readonly RegisteredTool[]>;
  /** Explains to a model that a name is not one of the five. */
  explainUnknown(name: string): Promise<string>;
  /** Explains to a model how to use the five, and lists the categories of tools: the `systemPrompt` of a toolset. */
  introduce(environment?: string): Promise<string>;
}

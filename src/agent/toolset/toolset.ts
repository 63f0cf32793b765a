import type { JsonObject } from "../../contract/json.js";
import type { CallOptions } from "../../runtime/call-options.js";
import type { ContentBlock } from "../../runtime/result.js";
import type { Policy } from "../policy/policy.js";
import type { RegisteredTool } from "../registry/registered-tool.js";
import type { ToolSearchOptions } from "../search/create-tool-search.js";
import type { ToolAnnotations } from "../../contract/snapshot.js";

export interface ToolsetOptions extends ToolSearchOptions {
  /** What may be found, described and called. Default: `createPolicy()`, which shows all tools and calls those that only read. */
  readonly policy?: Policy;
  /** The prefix of the five names: letters, digits, `_` and `-`. Default: none. */
  readonly prefix?: string;
  /**
   * What switches writes on for a server, as one sentence: told to a model that calls a tool while writes are off. Default:
   * the option of `createPolicy`.
   */
  readonly writesHint?: (server: string) => string;
  /** What servers are called for people, by name. */
  readonly titles?: { readonly [server: string]: string };
  /** As in {@link ToolsetCallOptions}, for calls that bring none of their own, such as those of adapters. */
  readonly confirm?: Confirm;
  /** Hears once of an embedder that fails, while words alone find tools; default: `process.emitWarning` where there is one. */
  readonly onWarning?: (message: string) => void;
}

/** Whether a person agrees to a call. */
export type Confirm = (tool: RegisteredTool, args: JsonObject) => Promise<boolean>;

/** One of the five tools that a model sees in place of all others. */
export interface MetaTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonObject;
  readonly annotations: ToolAnnotations;
}

/** What a meta-tool answers, in the form of a `tools/call` result. */
export interface ToolsetAnswer {
  readonly isError: boolean;
  /** Absent where the answer is a text. */
  readonly structuredContent?: JsonObject;
  /** The same as JSON in a text; images, audio and links of a result beside it. */
  readonly content: readonly ContentBlock[];
}

/** How a meta-tool is called. */
export interface ToolsetCallOptions extends Omit<CallOptions, "environment" | "client" | "onContent"> {
  /** Further roles for this call alone. A role can only forbid. */
  readonly roles?: readonly string[];
  /** Is asked before a tool that destroys is called, once its arguments fit. Absent: it is called without asking. */
  readonly confirm?: Confirm;
}

/** Five meta-tools over any number of tools. */
export interface Toolset {
  /** In the order in which they are listed. */
  readonly metaTools: readonly MetaTool[];
  /** The tools behind the five, as far as they are known now. */
  readonly tools?: readonly RegisteredTool[];
  /** The environment of the source. */
  readonly environment?: string;
  /** Calls one of the five by its name, prefix and all. Never throws: what goes wrong is an answer with `isError`. */
  answer(name: string, args: unknown, options?: ToolsetCallOptions): Promise<ToolsetAnswer>;
  /**
   * Takes one more role, which can only forbid. What it forbids is neither found nor called from now on.
   *
   * @throws McpCodegenError `CONFIG_INVALID` for a role that is not there.
   */
  narrow(role: string): void;
  /** The five as tools that adapters take: a toolset is a source of tools, as a registry is. */
  getTools(): Promise<readonly RegisteredTool[]>;
  /** Explains to a model why a name is not one of the five. */
  explainUnknown(name: string): Promise<string>;
  /** How to work with the five, and what there is to be found: what `systemPrompt` says of a toolset. */
  introduce(environment?: string): Promise<string>;
}

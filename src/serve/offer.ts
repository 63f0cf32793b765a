import type { ModelSchema } from "../contract/model-schema.js";
import type { Policy } from "../agent/policy/policy.js";
import type { ToolProvider } from "../agent/registry/registry.js";
import type { Toolset } from "../agent/toolset/toolset.js";
import { offerDirectly } from "./offer-directly.js";
import type { ToolAnnotations } from "../contract/snapshot.js";

/** How the tools of a registry are served. A toolset brings its own settings. */
export interface DirectOptions {
  /** What may be listed and called. Default: `createPolicy()`, which lists all tools and calls those that only read. */
  readonly policy?: Policy;
  /** Is put before the names of the tools. Default: nothing. */
  readonly prefix?: string;
  /** As in the options of `createToolset`. */
  readonly writesHint?: (server: string) => string;
}

/** What can be served: a toolset as its five tools, or a registry as the tools themselves. */
export type Servable = Toolset | DirectSource;

/** A registry, or anything that has tools as a registry has. */
export interface DirectSource extends Omit<ToolProvider, "for"> {
  /** Reports changes of the list. Call what it returns to end that. */
  onChange?(listener: () => void): () => void;
}

/** What clients see and call. */
export interface Offer {
  /** What is listed under these roles as well. */
  readonly list: (roles: readonly string[]) => Promise<readonly OfferedTool[]>;
  readonly answer: Toolset["answer"];
  readonly onChange?: (listener: () => void) => () => void;
}

/** A tool as `tools/list` has it. */
export interface OfferedTool {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly inputSchema: ModelSchema;
  readonly annotations: ToolAnnotations;
}

/**
 * What is offered of a toolset or a registry.
 *
 * @throws McpCodegenError `CONFIG_INVALID` for a prefix that providers would not take
 */
export function offerOf(source: Servable, options: DirectOptions): Offer {
  if (!isToolset(source)) return offerDirectly(source, options);
  const tools = source.metaTools.map(({ name, description, inputSchema, annotations }) => ({
    ...{ name, description, annotations },
    inputSchema: { ...inputSchema, type: "object" as const },
  }));
  return { list: () => Promise.resolve(tools), answer: (...given) => source.answer(...given) };
}

function isToolset(source: Servable): source is Toolset {
  return "metaTools" in source;
}

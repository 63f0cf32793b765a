import { bindTool } from "./bind-tool.js";
import { findSharedCaller } from "./client/find-shared-caller.js";
import type { ToolContent } from "./content.js";
import type { Schema } from "../validation/schema.js";
import type { Tool, ToolDefinition } from "./tool.js";

/** A tool that can be called as it is: calls share one connection per server, opened by the first. */
export function defineTool<I, O>(
  definition: ToolDefinition<I, O> & { readonly output: Schema<O> },
): Tool<I, O>;
export function defineTool<I>(
  definition: ToolDefinition<I, ToolContent> & { readonly output?: never },
): Tool<I, ToolContent>;
export function defineTool<I>(definition: ToolDefinition<I, unknown>): Tool<I, unknown> {
  return bindTool(definition, {}, (options) => findSharedCaller(definition.server, options));
}

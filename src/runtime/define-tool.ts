import type { Schema } from "../validation/schema.js";
import { mergeDefined } from "../contract/json.js";
import { findSharedCaller } from "./client/find-shared-caller.js";
import { type ToolContent, ToolCallError, type Result } from "./result.js";
import type { Tool, ToolDefinition } from "./tool.js";
import type { CallOptions } from "./call-options.js";
import type { Caller } from "./client/caller.js";
import { invoke } from "./invoke.js";
import { observeCall } from "./observe-call.js";

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

/** A tool's function over a way to find its connection. Options of a call win over those it is bound to. */
export function bindTool<I, O>(
  definition: ToolDefinition<I, O>,
  bound: CallOptions,
  findCaller: (options: CallOptions) => Caller,
): Tool<I, O> {
  const tool = toFunction(definition, (input: I, given: CallOptions) => {
    const options = mergeDefined(bound, given);
    return observeCall({ tool: definition, input, options }, (report) =>
      invoke(definition, input, options, { findCaller: () => findCaller(given), report, scope: bound }),
    );
  });
  const { environment } = bound;
  return environment === undefined ? tool : Object.assign(tool, { environment });
}

/** A function that throws what `safe` returns, with `safe` and the tool's definition on it. */
export function toFunction<D, I, O>(
  definition: D,
  safe: (input: I, options: CallOptions) => Promise<Result<O>>,
): ToolFunction<D, I, O> {
  const call = async (input: I, options: CallOptions = {}): Promise<O> => {
    const result = await safe(input, options);
    if (result.ok) return result.value;
    throw new ToolCallError(result.error);
  };
  // Never a key "name" or "length": they are read-only on functions.
  return Object.assign(call, {
    safe: (input: I, options: CallOptions = {}) => safe(input, options),
    definition,
  });
}

interface ToolFunction<D, I, O> {
  (input: I, options?: CallOptions): Promise<O>;
  safe(input: I, options?: CallOptions): Promise<Result<O>>;
  readonly definition: D;
}

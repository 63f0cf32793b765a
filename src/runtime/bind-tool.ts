import type { CallOptions } from "./call-options.js";
import type { Caller } from "./client/caller.js";
import { invoke } from "./invoke.js";
import { ToolCallError, type Result } from "./result.js";
import type { Tool, ToolDefinition } from "./tool.js";

/** A tool's function over a way to find its connection. Options of a call win over those it is bound to. */
export function bindTool<I, O>(
  definition: ToolDefinition<I, O>,
  bound: CallOptions,
  findCaller: (options: CallOptions) => Caller,
): Tool<I, O> {
  const safe = (input: I, options: CallOptions = {}): Promise<Result<O>> =>
    invoke(definition, input, { ...bound, ...options }, () => findCaller(options));
  const call = async (input: I, options?: CallOptions): Promise<O> => {
    const result = await safe(input, options);
    if (result.ok) return result.value;
    throw new ToolCallError(result.error);
  };
  // Never a key "name" or "length": they are read-only on functions.
  return Object.assign(call, { safe, definition });
}

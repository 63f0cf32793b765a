import type { CallOptions } from "./call-options.js";
import { ToolCallError, type Result } from "./result.js";

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

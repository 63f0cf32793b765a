import { mergeDefined } from "../contract/json.js";
import type { CallOptions } from "./call-options.js";
import type { Caller } from "./client/caller.js";
import { invoke } from "./invoke.js";
import { observeCall } from "./observe-call.js";
import { toFunction } from "./to-function.js";
import type { Tool, ToolDefinition } from "./tool.js";

/** A tool's function over a way to find its connection. Options of a call win over those it is bound to. */
export function bindTool<I, O>(
  definition: ToolDefinition<I, O>,
  bound: CallOptions,
  findCaller: (options: CallOptions) => Caller,
): Tool<I, O> {
  const tool = toFunction(definition, (input: I, given: CallOptions) => {
    const options = mergeDefined(bound, given);
    return observeCall({ tool: definition, input, options }, (report) =>
      invoke(definition, input, options, () => findCaller(given), report),
    );
  });
  const { environment } = bound;
  return environment === undefined ? tool : Object.assign(tool, { environment });
}

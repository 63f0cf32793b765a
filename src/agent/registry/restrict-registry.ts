import type { Result, CallOptions } from "../../core/call.js";
import type { RegisteredTool } from "../../core/tool.js";
import type { ServerState, ToolFilter, ToolProvider, ToolSource } from "./registry.js";
import { failTool, failUnknown } from "./tool-names.js";
import { openView } from "./tool-view.js";
import type { Policy } from "../../core/policy.js";
import { decide } from "../../core/decide.js";

/** The tools of a registry that a policy shows. A source for adapters, like a registry. */
export interface RestrictedRegistry extends ToolProvider {
  readonly tools: readonly RegisteredTool[];
  readonly servers: readonly ServerState[];
  for(environment: string): RestrictedRegistry;
  /** Calls a tool by its name. Never throws. */
  call(name: string, input: unknown, options?: CallOptions): Promise<Result<unknown>>;
}

/** Returns the tools that a policy shows. Calls of tools that it does not allow fail with `WRITES_DISABLED`. */
export function restrictTools(tools: readonly RegisteredTool[], policy: Policy): readonly RegisteredTool[] {
  return tools.flatMap((tool) => {
    const { isVisible, reasons } = decide(tool, policy);
    if (!isVisible) return [];
    const [reason] = reasons;
    if (reason === undefined) return [tool];
    return [{ ...tool, call: () => Promise.resolve(failTool(tool, reason.code, reason.message)) }];
  });
}

/** Restricts a registry, or another source, to the tools that a policy shows. Calls of hidden tools fail with `TOOL_NOT_ALLOWED`. */
export function restrictRegistry(source: ToolSource, policy: Policy): RestrictedRegistry {
  const registry = openView(source);
  const { environment, environments = [] } = registry;
  return {
    environment,
    environments,
    for: (other) => restrictRegistry(registry.for?.(other) ?? registry, policy),
    get tools() {
      return restrictTools(registry.tools ?? [], policy);
    },
    get servers() {
      return registry.servers ?? [];
    },
    getTools: async (filter?: ToolFilter) => restrictTools(await registry.getTools(filter), policy),
    async getTool(name: string) {
      const tool = await registry.getTool(name);
      return tool === undefined ? undefined : restrictTools([tool], policy)[0];
    },
    async call(name: string, input: unknown, options?: CallOptions) {
      // A program without types may pass any value.
      const tool = typeof (name as unknown) === "string" ? await registry.getTool(name) : undefined;
      if (tool === undefined)
        return failUnknown(name, restrictTools(registry.tools ?? [], policy), registry.servers);
      // The policy is applied to the same object that is called, since the name may soon belong to another tool.
      const [reason] = decide(tool, policy).reasons;
      return reason === undefined ? tool.call(input, options) : failTool(tool, reason.code, reason.message);
    },
  };
}

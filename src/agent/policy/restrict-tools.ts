import type { CallOptions } from "../../runtime/call-options.js";
import type { Result } from "../../runtime/result.js";
import type { RegisteredTool } from "../registry/registered-tool.js";
import type { ServerState, ToolFilter, ToolProvider } from "../registry/registry.js";
import { failTool, findListingError } from "../registry/tool-names.js";
import { decide } from "./decide.js";
import type { Policy } from "./policy.js";

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

/** Restricts a registry to the tools that a policy shows. Calls of hidden tools fail with `TOOL_NOT_ALLOWED`. */
export function restrictRegistry(registry: ToolProvider, policy: Policy): RestrictedRegistry {
  const { environment } = registry;
  return {
    environment,
    environments: registry.environments,
    for: (other) => restrictRegistry(registry.for(other), policy),
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
      const tool = await registry.getTool(name);
      // The policy is applied to the same object that is called, since the name may soon belong to another tool.
      if (tool === undefined) return failUnknown(name, registry);
      const [reason] = decide(tool, policy).reasons;
      return reason === undefined ? tool.call(input, options) : failTool(tool, reason.code, reason.message);
    },
  };
}

function failUnknown(name: string, { servers }: ToolProvider): Result<never> {
  const error = findListingError(name, servers);
  if (error !== undefined) return { ok: false, error };
  return failTool({ name }, "TOOL_NOT_FOUND", `There is no tool ${JSON.stringify(name)}.`);
}

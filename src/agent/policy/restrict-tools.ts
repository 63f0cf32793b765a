import type { CallOptions } from "../../runtime/call-options.js";
import type { Result, ToolErrorCode } from "../../runtime/result.js";
import type { RegisteredTool } from "../registry/registered-tool.js";
import type { Registry, ToolFilter, ToolProvider } from "../registry/registry.js";
import { findListingError, serverNameOf } from "../registry/tool-names.js";
import { decide } from "./decide.js";
import type { Policy } from "./policy.js";

/** A registry under a policy: what may be read and called of it. Adapters take it for one. */
export interface RestrictedRegistry extends ToolProvider, Pick<Registry, "call"> {
  readonly tools: readonly RegisteredTool[];
  readonly servers: Registry["servers"];
  for(environment: string): RestrictedRegistry;
}

/** The tools that a policy shows. Calls of those that it does not allow fail with `WRITES_DISABLED`. */
export function restrictTools(tools: readonly RegisteredTool[], policy: Policy): readonly RegisteredTool[] {
  return tools.flatMap((tool) => {
    const { isVisible, reasons } = decide(tool, policy);
    if (!isVisible) return [];
    const [reason] = reasons;
    if (reason === undefined) return [tool];
    return [{ ...tool, call: () => Promise.resolve(refuse(tool, reason)) }];
  });
}

/** A registry's tools under a policy. A call of a tool that it hides fails with `TOOL_NOT_ALLOWED`. */
export function restrictRegistry(registry: ToolProvider, policy: Policy): RestrictedRegistry {
  const { environment } = registry;
  return {
    ...(environment !== undefined && { environment }),
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
      // Whatever may come under the name meanwhile: only the tool that was judged is called.
      if (tool === undefined) return failUnknown(name, registry);
      const [reason] = decide(tool, policy).reasons;
      return reason === undefined ? tool.call(input, options) : refuse(tool, reason);
    },
  };
}

/** The result of calling a name that is not among the tools of a source, which has just been asked for it. */
function failUnknown(name: string, { servers }: Pick<ToolProvider, "servers">): Result<never> {
  const error = findListingError(name, servers);
  if (error !== undefined) return { ok: false, error };
  return refuse({ name }, { code: "TOOL_NOT_FOUND", message: `There is no tool ${JSON.stringify(name)}.` });
}

/** A call that is not made. */
export function refuse(
  tool: Pick<RegisteredTool, "name" | "server">,
  { code, message }: { readonly code: ToolErrorCode; readonly message: string },
): Result<never> {
  const server = serverNameOf(tool);
  return { ok: false, error: { code, message, retryable: false, tool: tool.name, server } };
}

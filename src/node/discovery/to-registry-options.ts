import type { RegistryOptions } from "../../agent/registry/registry.js";
import type { ServerDefinition } from "../../runtime/server-definition.js";
import type { AnyTool } from "../../runtime/tool.js";

/** What `createRegistry` takes of tools: those of servers by server, and the program's own. */
export function toRegistryOptions(
  tools: Iterable<AnyTool>,
): Required<Pick<RegistryOptions, "servers" | "static">> {
  const sources = new Map<string, { readonly server: ServerDefinition; readonly tools: AnyTool[] }>();
  const own: AnyTool[] = [];
  for (const tool of tools) {
    const { server } = tool.definition;
    if (server === undefined) {
      own.push(tool);
      continue;
    }
    const source = sources.get(server.name) ?? { server, tools: [] };
    sources.set(server.name, source);
    source.tools.push(tool);
  }
  // The form of a generated index: the server, and its tools under any other names.
  const servers = [...sources.values()].map((source) => ({
    ...Object.fromEntries(source.tools.map((tool) => [`tool ${tool.definition.name}`, tool])),
    server: source.server,
  }));
  return { servers, static: own };
}

import type { LoadedConfig } from "../config/load-config.js";
import type { AnyTool } from "../runtime/tool.js";

/**
 * The tools that the modules of `serve.tools` export. Importing a module runs it.
 *
 * @throws McpCodegenError for a module that cannot be imported: what is offered is what was meant.
 */
export async function findOwnTools(
  { config, dir }: LoadedConfig,
  onWarning: (message: string) => void,
): Promise<readonly AnyTool[]> {
  const patterns = config.serve?.tools;
  if (patterns === undefined) return [];
  const [{ discoverTools }, { explicitRoots, globTools }] = await Promise.all([
    import("../node/discovery/discover-tools.js"),
    import("../node/discovery/strategies.js"),
  ]);
  const tools = await discoverTools({
    ...{ roots: explicitRoots(dir), tools: globTools({ patterns }), strict: true, onWarning },
  });
  if (tools.length === 0) onWarning("serve.tools: no module that matches exports a tool.");
  return tools.filter(({ definition }) => definition.server === undefined);
}

import type { LoadedConfig } from "../../config/load-config.js";
import type { AnyTool } from "../../core/tool.js";

/**
 * Returns the tools that the modules of `serve.tools` export. Importing a module runs it.
 *
 * @throws McpCodegenError for a module that cannot be imported
 */
export async function findOwnTools(
  { config, dir }: LoadedConfig,
  onWarning: (message: string) => void,
): Promise<readonly AnyTool[]> {
  const patterns = config.serve?.tools;
  if (patterns === undefined) return [];
  const { discoverTools } = await import("../../agent/modules/discover-tools.js");
  const tools = await discoverTools({ roots: [dir], tools: { patterns }, strict: true, onWarning });
  if (tools.length === 0) onWarning("serve.tools: no module that matches exports a tool.");
  return tools.filter(({ definition }) => definition.server === undefined);
}

import { joinToolName } from "../core/tool-name.js";
import type { Config } from "../config/config.js";
import { getOwn } from "../core/json.js";
import type { Lockfile } from "../core/lockfile.js";
import { nameServer, nameTool } from "../emit/name-tools.js";

/**
 * Returns the names of locked tools in generated code by `server__tool`: `getPost`, and `blog.getPost` as code calls it. Two tools
 * may have the same.
 *
 * @throws McpCodegenError `CONFIG_INVALID` for a `rename` that cannot be an export
 */
export function listGeneratedNames(lock: Lockfile, config: Config): ReadonlyMap<string, readonly string[]> {
  const entries = Object.entries(lock.servers).flatMap(([server, { tools }]) => {
    const rules = getOwn(config.servers, server)?.tools ?? {};
    const { namespace } = nameServer(server);
    return Object.keys(tools).map((tool) => {
      const { wrapper } = nameTool(server, { name: tool, hasOutput: false }, rules);
      return [joinToolName(server, tool), [wrapper, `${namespace}.${wrapper}`]] as const;
    });
  });
  return new Map(entries);
}

import { joinToolName } from "../core/tool-name.js";
import type { Config } from "../config/config.js";
import { getOwn } from "../core/json.js";
import type { Lockfile } from "../core/lockfile.js";
import { nameServer, nameTools } from "../emit/name-tools.js";

/**
 * Returns the names of locked tools in generated code by `server__tool`: `getPost`, and `blog.getPost` as code calls it. Two tools
 * may have the same.
 *
 * @throws McpCodegenError `CONFIG_INVALID` for a `rename` that cannot be an export
 */
export function listGeneratedNames(lock: Lockfile, config: Config): ReadonlyMap<string, readonly string[]> {
  const entries = Object.entries(lock.servers).flatMap(([server, { tools }]) => {
    const rules = getOwn(config.servers, server)?.tools ?? {};
    const names = Object.keys(tools).map((name) => ({ name, hasOutput: false }));
    const { namespace } = nameServer(server);
    return nameTools(server, names, rules).map(({ tool, wrapper }) => {
      return [joinToolName(server, tool), [wrapper, `${namespace}.${wrapper}`]] as const;
    });
  });
  return new Map(entries);
}

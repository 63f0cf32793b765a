import { joinToolName } from "../core/tool-name.js";
import type { Config } from "../config/config.js";
import { getOwn } from "../core/json.js";
import type { Lockfile } from "../core/lockfile.js";
import { nameServer, nameTools } from "../emit/name-tools.js";

/** A locked tool, `server__tool`, and its names in generated code: `getPost`, and `blog.getPost` as code calls it. */
interface GeneratedName {
  readonly tool: string;
  readonly names: readonly [wrapper: string, withServer: string];
}

/**
 * Returns the names of locked tools in generated code, by server and tool as locked. Two tools may have the same.
 *
 * @throws McpCodegenError `CONFIG_INVALID` for a `rename` that cannot be an export
 */
export function listGeneratedNames(lock: Lockfile, config: Config): readonly GeneratedName[] {
  return Object.entries(lock.servers).flatMap(([server, { tools }]) => {
    const rules = getOwn(config.servers, server)?.tools ?? {};
    const names = Object.keys(tools).map((name) => ({ name, hasOutput: false }));
    return nameTools(server, names, rules).map(({ tool, wrapper }) => ({
      tool: joinToolName(server, tool),
      names: [wrapper, `${nameServer(server).namespace}.${wrapper}`] as const,
    }));
  });
}

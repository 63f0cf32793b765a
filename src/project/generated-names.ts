import type { CompleteConfig } from "../config/config.js";
import { getOwn } from "../contract/json.js";
import type { Lockfile } from "../contract/lockfile.js";
import { nameServer, nameTools } from "../emit/name-tools.js";
import { joinToolName } from "../agent/registry/tool-names.js";

/** A locked tool, and the names that generated code has for it. */
interface GeneratedName {
  /** `server__tool`. */
  readonly tool: string;
  /** `getPost`, and `blog.getPost` as code calls it. */
  readonly names: readonly [wrapper: string, withServer: string];
}

/**
 * The names of locked tools in generated code, by server and tool as locked. Two tools may have the same.
 *
 * @throws McpCodegenError `CONFIG_INVALID` for a `rename` that cannot be an export
 */
export function listGeneratedNames(lock: Lockfile, config: CompleteConfig): readonly GeneratedName[] {
  return Object.entries(lock.servers).flatMap(([server, { tools }]) => {
    const rules = getOwn(config.servers, server)?.tools ?? {};
    const names = Object.keys(tools).map((name) => ({ name, hasOutput: false }));
    return nameTools(server, names, rules).map(({ tool, wrapper }) => ({
      tool: joinToolName(server, tool),
      names: [wrapper, `${nameServer(server).namespace}.${wrapper}`] as const,
    }));
  });
}

import { join } from "node:path";
import { joinToolName } from "../core/tool-name.js";
import type { Config } from "../config/config.js";
import type { LoadedConfig } from "../config/load-config.js";
import { getOwn } from "../core/json.js";
import { LOCKFILE_NAME, LOCKFILE_VERSION, type Lockfile } from "../core/lockfile.js";
import { findLockfile, readLockfile } from "../files/lockfile-on-disk.js";

/**
 * Reads the lock of a project; an empty one for a configuration without servers and without a lock.
 *
 * @throws McpCodegenError `LOCK_NOT_FOUND`, and the errors of `parseLockfile`
 */
export async function readProjectLock({ config, dir }: LoadedConfig): Promise<Lockfile> {
  const path = join(dir, LOCKFILE_NAME);
  if (Object.keys(config.servers).length > 0) return readLockfile(path);
  return (await findLockfile(path)) ?? { lockfileVersion: LOCKFILE_VERSION, servers: {} };
}

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
export async function listGeneratedNames(lock: Lockfile, config: Config): Promise<readonly GeneratedName[]> {
  const { nameServer, nameTools } = await import("../emit/name-tools.js");
  return Object.entries(lock.servers).flatMap(([server, { tools }]) => {
    const rules = getOwn(config.servers, server)?.tools ?? {};
    const names = Object.keys(tools).map((name) => ({ name, hasOutput: false }));
    return nameTools(server, names, rules).map(({ tool, wrapper }) => ({
      tool: joinToolName(server, tool),
      names: [wrapper, `${nameServer(server).namespace}.${wrapper}`] as const,
    }));
  });
}

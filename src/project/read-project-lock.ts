import { join } from "node:path";
import type { LoadedConfig } from "../config/load-config.js";
import { LOCKFILE_NAME, LOCKFILE_VERSION, type Lockfile } from "../contract/lockfile.js";
import { findLockfile, readLockfile } from "../files/lockfile-on-disk.js";

/**
 * The lock of a project. A configuration without servers needs none: there is nothing to lock.
 *
 * @throws McpCodegenError `LOCK_NOT_FOUND`, and whatever is wrong with the file
 */
export async function readProjectLock({ config, dir }: LoadedConfig): Promise<Lockfile> {
  const path = join(dir, LOCKFILE_NAME);
  if (Object.keys(config.servers).length > 0) return readLockfile(path);
  return (await findLockfile(path)) ?? { lockfileVersion: LOCKFILE_VERSION, servers: {} };
}

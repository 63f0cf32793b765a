import { statSync } from "node:fs";
import { dirname, join } from "node:path";
import { findForeignOwner } from "../../files/owners.js";
import { makeFolder } from "../../files/write-atomic.js";
import { coreFolder } from "./find-core.js";

/**
 * Returns the folder in which PHP keeps compiled code, which halves the time of a run: in the user's cache, and writable by no
 * other user. Made if need be; undefined where there can be none.
 */
export function openCodeCache(env: NodeJS.ProcessEnv): string | undefined {
  const core = coreFolder(env);
  if (core === undefined) return undefined;
  const folder = join(dirname(core), "opcache");
  try {
    makeFolder(folder, 0o700);
    const isShared = (statSync(folder).mode & 0o022) !== 0 || findForeignOwner(folder) !== undefined;
    return isShared ? undefined : folder;
  } catch {
    return undefined;
  }
}

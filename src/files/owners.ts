import { existsSync, lstatSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { McpCodegenError } from "../core/errors.js";
import { upwards } from "./read-files.js";

/** The administrator could change the program as well. */
const ROOT = 0;

/**
 * Returns the ID of another user who owns a file, the target of a link, or the folder of the file, and so chooses what is
 * in it; undefined for files of this user and of root, and on a platform without such IDs.
 *
 * @param folder its owner is trusted too
 */
export function findForeignOwner(path: string, folder?: string): number | undefined {
  const uid = process.getuid?.();
  if (uid === undefined) return undefined;
  const trusted = [uid, ROOT, ...(folder === undefined ? [] : [ownerOfNearest(folder)])];
  const owners = [lstatSync(path).uid, statSync(path).uid, statSync(dirname(path)).uid];
  return owners.find((owner) => !trusted.includes(owner));
}

/** The folder need not exist. */
function ownerOfNearest(folder: string): number | undefined {
  const existing = [...upwards(folder)].find(existsSync);
  return existing === undefined ? undefined : statSync(existing).uid;
}

/** Throws `CONFIG_INVALID` for a file of another user that would be run. */
export function assertOwnCode(path: string, hint: string, folder?: string): void {
  const owner = findForeignOwner(path, folder);
  if (owner === undefined) return;
  const message = `"${path}" belongs to another user (ID ${owner}), so it is not run.`;
  throw new McpCodegenError("CONFIG_INVALID", message, { hint });
}

/** Returns a folder for a cache in the nearest `node_modules`; undefined without one, or if another user may write to it. */
export function findCacheFolder(dir: string, name: string): string | undefined {
  const modules = [...upwards(dir)].map((folder) => join(folder, "node_modules")).find(existsSync);
  if (modules === undefined || findForeignOwner(modules) !== undefined || isOpenToAll(modules))
    return undefined;
  return join(modules, ".cache", "mcp-codegen", name);
}

function isOpenToAll(folder: string): boolean {
  return process.platform !== "win32" && (statSync(folder).mode & 0o002) !== 0;
}

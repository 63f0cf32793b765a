import { realpath } from "node:fs/promises";
import { isAbsolute, relative, resolve, sep } from "node:path";

/** Returns where a path leads without links, relative to `dir`, posix; undefined if it leads out of the folder `root`. */
export async function findWithin(root: string, dir: string, path: string): Promise<string | undefined> {
  const [realRoot, realDir] = await Promise.all([realpath(root), realpath(dir)]);
  const named = resolve(realDir, path);
  const real = await realpath(named).catch(() => named);
  const way = relative(realRoot, real);
  const isOutside = way === ".." || way.startsWith(`..${sep}`) || isAbsolute(way);
  return isOutside ? undefined : relative(realDir, real).split(sep).join("/");
}

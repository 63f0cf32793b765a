import { readdir, realpath } from "node:fs/promises";
import { join, isAbsolute, relative, resolve, sep } from "node:path";

/** Folders of what others wrote or what was built. */
const FOREIGN = ["node_modules", ".git", "vendor", "dist", "build", "coverage", ".next"].map(
  (name) => `**/${name}/**`,
);

/** Returns the files in and below a folder that globs match: posix, relative to it, sorted. Follows no links. */
export async function findFiles(folder: string, globs: readonly string[]): Promise<readonly string[]> {
  const { glob } = await import("tinyglobby");
  const found = await glob([...globs], {
    cwd: folder,
    ignore: FOREIGN,
    dot: true,
    followSymbolicLinks: false,
    expandDirectories: false,
  });
  return found.sort();
}

/** Returns the paths of the files in and below a folder that end so, sorted; none for a missing folder. Does not follow links. */
export async function listFiles(folder: string, ending: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const sorted = [...entries].sort((a, b) => (a.name < b.name ? -1 : 1));
  const found = await Promise.all(
    sorted.map(async (entry) => {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) return entry.name === "node_modules" ? [] : listFiles(path, ending);
      return entry.isFile() && entry.name.endsWith(ending) && !entry.name.startsWith(".") ? [path] : [];
    }),
  );
  return found.flat();
}

/** Returns where a path leads without links, relative to `dir`, posix; undefined if it leads out of the folder `root`. */
export async function findWithin(root: string, dir: string, path: string): Promise<string | undefined> {
  const [realRoot, realDir] = await Promise.all([realpath(root), realpath(dir)]);
  const named = resolve(realDir, path);
  const real = await realpath(named).catch(() => named);
  const way = relative(realRoot, real);
  const isOutside = way === ".." || way.startsWith(`..${sep}`) || isAbsolute(way);
  return isOutside ? undefined : relative(realDir, real).split(sep).join("/");
}

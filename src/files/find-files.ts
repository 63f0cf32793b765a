import { type Dirent, readdirSync } from "node:fs";
import { readdir, realpath } from "node:fs/promises";
import { join, isAbsolute, relative, resolve, sep } from "node:path";

/** Folders of what others wrote or what was built. */
const FOREIGN: ReadonlySet<string> = new Set([
  ...["node_modules", ".git", "vendor", "dist", "build", "coverage", ".next"],
]);

/** Returns the files in and below a folder that globs match: posix, relative to it, sorted. Follows no links. */
export async function findFiles(folder: string, globs: readonly string[]): Promise<readonly string[]> {
  if (globs.length === 0) return [];
  const { glob } = await import("tinyglobby");
  const found = await glob([...globs], {
    cwd: folder,
    ignore: [...FOREIGN].map((name) => `**/${name}/**`),
    dot: true,
    followSymbolicLinks: false,
    expandDirectories: false,
  });
  return found.sort();
}

/**
 * As {@link findFiles}, for globs of `**\/`, `*` and `{a,b}` only. Loads no library: that takes longer than the search.
 */
export function findBySimpleGlobs(folder: string, globs: readonly string[]): readonly string[] {
  const wanted = new RegExp(`^(?:${globs.map(toPattern).join("|")})$`);
  const found: string[] = [];
  const open = [""];
  for (let below = open.pop(); below !== undefined; below = open.pop()) {
    for (const entry of readEntries(join(folder, below))) {
      const path = below + entry.name;
      if (entry.isDirectory() && !FOREIGN.has(entry.name)) open.push(`${path}/`);
      else if (entry.isFile() && wanted.test(path)) found.push(path);
    }
  }
  return found.sort();
}

function readEntries(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    // A folder that cannot be read is left out, as globs do.
    return [];
  }
}

const GLOB_PARTS: Readonly<Record<string, string>> = {
  ...{ "**/": "(?:.*/)?", "*": "[^/]*", "{": "(?:", "}": ")", ",": "|", ".": "\\." },
};

function toPattern(glob: string): string {
  return glob.replace(/\*\*\/|[*{},.]/g, (part) => GLOB_PARTS[part] ?? part);
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

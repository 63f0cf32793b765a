import { glob } from "tinyglobby";

/** Folders of what others wrote or what was built. */
const FOREIGN = ["node_modules", ".git", "vendor", "dist", "build", "coverage", ".next"].map(
  (name) => `**/${name}/**`,
);

/** Returns the files in and below a folder that globs match: posix, relative to it, sorted. Follows no links. */
export async function findFiles(folder: string, globs: readonly string[]): Promise<readonly string[]> {
  const found = await glob([...globs], {
    cwd: folder,
    ignore: FOREIGN,
    dot: true,
    followSymbolicLinks: false,
    expandDirectories: false,
  });
  return found.sort();
}

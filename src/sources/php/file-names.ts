import { realpath } from "node:fs/promises";
import { dirname, join, relative, resolve, sep } from "node:path";

/** Returns whether a file is one of these roots or below one of them. */
export function coveredBy(roots: readonly string[]): (file: string) => boolean {
  return (file) => roots.some((root) => root === "" || file === root || file.startsWith(`${root}/`));
}

/**
 * Returns whether a file belongs to a plugin. Must-use plugins share a folder: a file below it may belong to
 * any of them, but the main file of another plugin does not.
 */
export function filesOfPlugin(plugin: string, plugins: ReadonlySet<string>): (file: string) => boolean {
  const isBeside = coveredBy([dirname(plugin) === "." ? "" : dirname(plugin)]);
  return (file) => file === plugin || (isBeside(file) && !plugins.has(file));
}

/**
 * Returns a function that names a file relative to the configuration. PHP reports real paths; the names
 * follow the user's symbolic links.
 */
export async function findNames(dir: string, paths: readonly string[]): Promise<(file: string) => string> {
  const places = [...paths.map((path) => resolve(dir, path)), dir];
  const real = await Promise.all(places.map(async (place) => [place, await realpath(place)] as const));
  return (file) => {
    const found = real.find(([, target]) => file === target || file.startsWith(target + sep));
    return posix(relative(dir, found === undefined ? file : join(found[0], relative(found[1], file))));
  };
}

export function posix(path: string): string {
  return path.split(sep).join("/");
}

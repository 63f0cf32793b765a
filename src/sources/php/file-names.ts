import { realpath } from "node:fs/promises";
import { dirname, join, relative, resolve, sep } from "node:path";

/** Whether a file is one of these, or below one of these folders. */
export function coveredBy(roots: readonly string[]): (file: string) => boolean {
  return (file) => roots.some((root) => root === "" || file === root || file.startsWith(`${root}/`));
}

/** Must-use plugins share a folder: what is below it may be of any, and the main files of the others are not. */
export function filesOfPlugin(plugin: string, plugins: ReadonlySet<string>): (file: string) => boolean {
  const isBeside = coveredBy([dirname(plugin) === "." ? "" : dirname(plugin)]);
  return (file) => file === plugin || (isBeside(file) && !plugins.has(file));
}

/** Returns the function that names a file relative to the configuration. PHP reports real paths; the names follow the user's links. */
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

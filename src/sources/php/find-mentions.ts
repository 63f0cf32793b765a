import { readdir, readFile, stat, realpath } from "node:fs/promises";
import { join, dirname, relative, resolve, sep } from "node:path";
import { byCodeUnit } from "../../contract/json.js";

/** No code below these folders registers abilities of a plugin. */
export const SKIPPED: ReadonlySet<string> = new Set(["node_modules", "tests", "languages"]);
const MOST_FILES = 20_000;
/** Names of WordPress blocks start with this namespace too. */
const CORE = "core/";

/**
 * Returns the abilities whose name or namespace starts a string literal in a PHP file below the roots: these
 * files may register them. Reads nothing without abilities.
 */
export async function findMentions(
  roots: readonly string[],
  abilities: readonly string[],
): Promise<ReadonlySet<string>> {
  const missing = new Set(abilities);
  const found = new Set<string>();
  if (missing.size === 0) return found;
  for await (const { text } of readPhpFiles(roots, SKIPPED)) {
    for (const ability of missing) {
      if (!isMentioned(text, ability)) continue;
      missing.delete(ability);
      found.add(ability);
    }
    if (missing.size === 0) break;
  }
  return found;
}

/** Reads the PHP files below the roots, at most 20,000, without hidden folders and those with the skipped names. */
export async function* readPhpFiles(
  roots: readonly string[],
  skipped: ReadonlySet<string>,
): AsyncGenerator<{ readonly file: string; readonly text: string }> {
  const open = [...roots].reverse();
  let files = 0;
  for (let path = open.pop(); path !== undefined && files < MOST_FILES; path = open.pop()) {
    const isFolder = await stat(path).then(
      (entry) => entry.isDirectory(),
      () => false,
    );
    if (isFolder) {
      const names = await readdir(path).catch(() => []);
      const kept = names.filter((name) => !name.startsWith(".") && !skipped.has(name));
      open.push(
        ...kept
          .sort(byCodeUnit)
          .reverse()
          .map((name) => join(path, name)),
      );
    } else if (path.endsWith(".php")) {
      files += 1;
      yield { file: path, text: await readFile(path, "utf8").catch(() => "") };
    }
  }
}

function isMentioned(text: string, ability: string): boolean {
  const namespace = ability.slice(0, ability.indexOf("/") + 1);
  const beginning = namespace === CORE || namespace === "" ? ability : namespace;
  return text.includes(`'${beginning}`) || text.includes(`"${beginning}`);
}

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

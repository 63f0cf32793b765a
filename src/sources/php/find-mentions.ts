import { readdir, readFile, stat, realpath } from "node:fs/promises";
import { join, dirname, relative, resolve, sep } from "node:path";

/** No code below these folders registers abilities of a plugin. */
const SKIPPED = new Set(["node_modules", "tests", "languages"]);
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
  const seen = { files: 0 };
  const visit = async (path: string, isFolder: boolean): Promise<void> => {
    if (missing.size === 0 || seen.files >= MOST_FILES) return;
    if (isFolder) {
      for (const entry of await readdir(path, { withFileTypes: true }).catch(() => [])) {
        if (entry.name.startsWith(".") || SKIPPED.has(entry.name)) continue;
        await visit(join(path, entry.name), entry.isDirectory());
      }
    } else if (path.endsWith(".php")) {
      seen.files += 1;
      const text = await readFile(path, "utf8").catch(() => "");
      for (const ability of missing) {
        if (!isMentioned(text, ability)) continue;
        missing.delete(ability);
        found.add(ability);
      }
    }
  };
  for (const root of roots) {
    await visit(
      root,
      await stat(root).then(
        (entry) => entry.isDirectory(),
        () => false,
      ),
    );
  }
  return found;
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

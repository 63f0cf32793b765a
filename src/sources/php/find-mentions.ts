import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";

/** Nothing below these registers abilities of a plugin. */
const SKIPPED = new Set(["node_modules", "tests", "languages"]);
const MOST_FILES = 20_000;
/** Blocks of WordPress have names in this namespace too. */
const CORE = "core/";

/**
 * Returns those of the abilities whose name, or the namespace of it, begins a literal in a PHP file below the roots: they may
 * come from there. Reads nothing when no ability is asked for.
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

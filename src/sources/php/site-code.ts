import { existsSync } from "node:fs";
import { readFile, realpath } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { findOwn, objectOrEmpty, tryParseJson } from "../../core/json.js";
import { upwards } from "../../files/read-files.js";
import { type MainFile, readHead } from "./plugin-files.js";

/**
 * Returns the folder of the active theme, and that of its parent if it is beside it. By default it is the theme that a path is
 * in: the nearest folder with the header of a theme in its `style.css`.
 */
export async function findThemes(
  dir: string,
  theme: string | undefined,
  paths: readonly string[],
): Promise<readonly string[]> {
  const folder = theme === undefined ? await findThemeAround(dir, paths) : resolve(dir, theme);
  if (folder === undefined) return [];
  const parent = /^[ \t/*#@]*Template:[ \t]*([\w-]+)/im.exec(await readHead(join(folder, "style.css")))?.[1];
  const beside = parent === undefined ? folder : join(dirname(folder), parent);
  return beside !== folder && existsSync(beside) ? [folder, beside] : [folder];
}

async function findThemeAround(dir: string, paths: readonly string[]): Promise<string | undefined> {
  for (const path of paths)
    for (const folder of upwards(resolve(dir, path))) {
      if (/^[ \t/*#@]*Theme Name:/im.test(await readHead(join(folder, "style.css")))) return folder;
      if (folder === dir) break;
    }
  return undefined;
}

/** The autoloader of Composer, where the folder has the plugins of a whole site: its `wp-config.php` loads it there. */
export async function findAutoloader(dir: string): Promise<readonly string[]> {
  const composer = tryParseJson(await readFile(join(dir, "composer.json"), "utf8").catch(() => ""));
  const extra = objectOrEmpty(findOwn(composer, "extra"));
  const file = join(dir, "vendor/autoload.php");
  const isSite = ["wordpress-install-dir", "installer-paths"].some((key) => Object.hasOwn(extra, key));
  return isSite && existsSync(file) ? [file] : [];
}

/** Returns the MCP adapter in the folder of plugins, unless it is read itself: it then says which abilities a server lists. */
export async function findAdapter(plugins: readonly MainFile[]): Promise<readonly string[]> {
  const names = new Set<string>();
  for (const { file, isMustUse } of plugins) {
    const above = isMustUse ? join(dirname(file), "../plugins") : dirname(dirname(file));
    const adapter = join(above, "mcp-adapter/mcp-adapter.php");
    if (plugins.some((plugin) => plugin.file === adapter)) return [];
    if (existsSync(adapter)) names.add(await realpath(adapter));
  }
  return [...names].slice(0, 1);
}

import { existsSync } from "node:fs";
import { readFile, realpath } from "node:fs/promises";
import { dirname, join, relative, resolve, sep } from "node:path";
import type { PhpConfig } from "../../config/config.js";
import { McpCodegenError } from "../../core/errors.js";
import { findOwn, type JsonObject, objectOrEmpty, tryParseJson } from "../../core/json.js";
import { upwards } from "../../files/read-files.js";
import type { FailedWordPress } from "./explain-failure.js";
import { CORE_VARIABLES, findCore } from "./find-core.js";
import type { NameOf, ReadPhpOptions } from "./php-answer.js";
import { findPluginFiles, isTheme, type MainFile, nameRealFiles, posix, readHead } from "./plugin-files.js";

/** A site without a database: the core, and the code that is loaded into it. */
export interface CoreSite extends FailedWordPress {
  /** The folder of the core. */
  readonly core: string;
  readonly plugins: readonly MainFile[];
  /** See `findRoots`. */
  readonly roots: readonly string[];
  /** The main files of plugins that are loaded too, and not read. */
  readonly beside: readonly string[];
  /** PHP files to load before the plugins. */
  readonly before: readonly string[];
  /** The folder of the active theme, and that of its parent; empty for the default theme. */
  readonly themes: readonly string[];
  readonly options: JsonObject;
  readonly constants: JsonObject;
  /** Names the user and the cache. */
  readonly env: NodeJS.ProcessEnv;
  readonly nameOf: NameOf;
  readonly signal: AbortSignal | undefined;
}

/** The folder of a core whose PHP registers abilities. */
export const OF_CORE = "wp-includes/";

/** Finds the core, and the code that is loaded into it. */
export async function findCoreSite(
  server: string,
  { paths = [], core: folder, bootstrap, theme, options = {}, constants = {} }: PhpConfig,
  { dir, lookup, signal }: ReadPhpOptions,
): Promise<CoreSite> {
  const where = `servers.${server}.php`;
  for (const [key, path] of [
    ["bootstrap", bootstrap],
    ["theme", theme],
  ] as const)
    if (path !== undefined && !existsSync(resolve(dir, path)))
      throw new McpCodegenError("CONFIG_INVALID", `${where}.${key}: ${JSON.stringify(path)} does not exist.`);
  const { files, roots } = await findPluginFiles(dir, paths, where);
  const themes = await findThemes(dir, theme, paths);
  // A theme loads its files itself.
  const plugins = files.filter(({ file }) => !themes.some((root) => file.startsWith(`${root}${sep}`)));
  const env = Object.fromEntries(CORE_VARIABLES.map((name) => [name, lookup(name)]));
  const core = await findCore({ server, core: folder, paths, dir, env });
  const nameReal = await nameRealFiles(dir, roots);
  // The core may be anywhere.
  const inCore = join(core.folder, OF_CORE);
  const nameOf: NameOf = (file) =>
    file.startsWith(inCore) ? posix(relative(core.folder, file)) : nameReal(file);
  return {
    kind: "core",
    label: `The PHP of ${JSON.stringify(server)}`,
    core: core.folder,
    plugins,
    roots,
    beside: await findAdapter(plugins),
    before: [...(await findAutoloader(dir)), ...(bootstrap === undefined ? [] : [resolve(dir, bootstrap)])],
    themes,
    options,
    constants,
    env,
    nameOf,
    signal,
  };
}

/**
 * Returns the folder of the active theme, and that of its parent if it is beside it. By default it is the theme that a path is
 * in: the nearest folder with the header of a theme in its `style.css`.
 */
async function findThemes(
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
      if (await isTheme(folder)) return folder;
      if (folder === dir) break;
    }
  return undefined;
}

/** The autoloader of Composer, where the folder has the plugins of a whole site: its `wp-config.php` loads it there. */
async function findAutoloader(dir: string): Promise<readonly string[]> {
  const composer = tryParseJson(await readFile(join(dir, "composer.json"), "utf8").catch(() => ""));
  const extra = objectOrEmpty(findOwn(composer, "extra"));
  const file = join(dir, "vendor/autoload.php");
  const isSite = ["wordpress-install-dir", "installer-paths"].some((key) => Object.hasOwn(extra, key));
  return isSite && existsSync(file) ? [file] : [];
}

/** Returns the MCP adapter in the folder of plugins, unless it is read itself: it then says which abilities a server lists. */
async function findAdapter(plugins: readonly MainFile[]): Promise<readonly string[]> {
  const names = new Set<string>();
  for (const { file, isMustUse } of plugins) {
    const above = isMustUse ? join(dirname(file), "../plugins") : dirname(dirname(file));
    const adapter = join(above, "mcp-adapter/mcp-adapter.php");
    if (plugins.some((plugin) => plugin.file === adapter)) return [];
    if (existsSync(adapter)) names.add(await realpath(adapter));
  }
  return [...names].slice(0, 1);
}

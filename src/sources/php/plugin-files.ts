import { existsSync } from "node:fs";
import { readdir, readFile, realpath, stat } from "node:fs/promises";
import { basename, dirname, join, posix as posixPath, relative, resolve, sep } from "node:path";
import { McpCodegenError } from "../../core/errors.js";
import { byCodeUnit } from "../../core/json.js";
import { isFileAt, upwards } from "../../files/read-files.js";
import type { NameOf, PhpPlace } from "./php-answer.js";

/** The main file of a plugin. */
export interface MainFile {
  /** An absolute path. */
  readonly file: string;
  /** The name that PHP reports, as in an answer. */
  readonly name: string;
  /** Whether WordPress loads it without a header: it is a must-use plugin. */
  readonly isMustUse: boolean;
}

/** The plugins at the paths of a configuration. */
interface PluginFiles {
  readonly files: readonly MainFile[];
  /** See `findRoots`. */
  readonly roots: readonly string[];
}

/**
 * Returns the files that WordPress loads for these paths: a PHP file itself; for the folder of a plugin, the
 * file with the `Plugin Name:` header; for a folder of must-use plugins, its PHP files; for a folder of
 * plugins, all of them.
 *
 * @param dir the folder that the paths are relative to
 * @throws McpCodegenError `CONFIG_INVALID` for a path that does not exist or has no plugin
 */
export async function findPluginFiles(
  dir: string,
  paths: readonly string[],
  where: string,
): Promise<PluginFiles> {
  const mains = new Map<string, boolean>();
  for (const path of paths) {
    const files = await filesOf(resolve(dir, path));
    if (files === undefined || files.length === 0) {
      const what = files === undefined ? "does not exist" : "has no plugin";
      throw new McpCodegenError("CONFIG_INVALID", `${where}.paths: ${JSON.stringify(path)} ${what}.`, {
        hint: "Name a plugin's folder or main file, or a folder of plugins or must-use plugins.",
      });
    }
    for (const [file, isMustUse] of files) mains.set(file, isMustUse);
  }
  const roots = await rootsOf(dir, paths, [...mains.keys()]);
  const nameOf = await nameRealFiles(dir, roots);
  const files = await Promise.all(
    [...mains].map(async ([file, isMustUse]) => ({ file, name: nameOf(await realpath(file)), isMustUse })),
  );
  return { files, roots };
}

/** Returns the main files at a path, and whether each is a must-use plugin; undefined for a path that does not exist. */
async function filesOf(path: string): Promise<readonly (readonly [string, boolean])[] | undefined> {
  if (!existsSync(path)) return undefined;
  if (isFileAt(path)) return [[path, !HEADER.test(await readHead(path))]];
  const { php, plugins } = await readFolder(path);
  // A folder of plugins may also have plugins of one file.
  const holdsPlugins = basename(path) === "plugins";
  if (plugins.length > 0 && !holdsPlugins && basename(path) !== "mu-plugins")
    return plugins.map((file) => [file, false]);
  if (php.length > 0 && !holdsPlugins) return php.map((file) => [file, true]);
  const names = (await readdir(path)).filter((name) => !name.startsWith(".")).sort(byCodeUnit);
  const inside = await Promise.all(names.map((name) => readFolder(join(path, name))));
  const all = [...(holdsPlugins ? plugins : []), ...inside.flatMap((folder) => folder.plugins)];
  return all.map((file) => [file, false]);
}

/**
 * Returns the names of the files and folders whose code is that of these paths: with the paths, the main files at them, and the
 * folders of their plugins or themes.
 */
export async function findRoots(dir: string, paths: readonly string[]): Promise<readonly string[]> {
  const files = await Promise.all(paths.map((path) => filesOf(resolve(dir, path))));
  return rootsOf(
    dir,
    paths,
    files.flatMap((each = []) => each.map(([file]) => file)),
  );
}

async function rootsOf(
  dir: string,
  paths: readonly string[],
  files: readonly string[],
): Promise<readonly string[]> {
  const areOwn = await Promise.all(files.map(hasOwnFolder));
  const folders = files.filter((_, at) => areOwn[at]).map((file) => dirname(file));
  return [...new Set([...paths, ...files, ...folders].map((path) => nameOfPath(dir, path)))];
}

/** Whether the folder of a main file belongs to one plugin or theme. */
async function hasOwnFolder(file: string): Promise<boolean> {
  const folder = dirname(file);
  if (basename(file) === "functions.php" && (await isTheme(folder))) return true;
  const { plugins } = await readFolder(folder);
  return plugins.length === 1 && plugins[0] === file && !/^(?:mu-)?plugins$/.test(basename(folder));
}

export async function isTheme(folder: string): Promise<boolean> {
  return /^[ \t/*#@]*Theme Name:/im.test(await readHead(join(folder, "style.css")));
}

interface PhpFolder {
  readonly php: readonly string[];
  /** The files with the header of a plugin. */
  readonly plugins: readonly string[];
}

/** Returns the PHP files that are directly in a folder; none for another path. */
async function readFolder(folder: string): Promise<PhpFolder> {
  const names = await readdir(folder).catch(() => []);
  // Folders of WordPress have an empty index.php.
  const php = names
    .filter((name) => name.endsWith(".php") && name !== "index.php")
    .sort(byCodeUnit)
    .map((name) => join(folder, name));
  const heads = await Promise.all(php.map(readHead));
  return { php, plugins: php.filter((_, index) => HEADER.test(heads[index] ?? "")) };
}

/** These folders have no code of the project. */
const NOT_OF_PROJECT = new Set([
  "node_modules",
  "vendor",
  "wp-admin",
  "wp-includes",
  "uploads",
  "languages",
  "tests",
]);
/** A WordPress with many plugins has about 10,000 files. A folder with more is not one project. */
const MOST_FILES = 20_000;
export const REGISTERS = /\bwp_register_ability\s*\(/;
const HEADER = /^(?:[ \t]*<\?php)?[ \t/*#@]*Plugin Name:/im;

/**
 * Returns the plugins below a folder that register abilities, as posix paths for `php.paths`, relative to the
 * folder. Searches the PHP files for the call. A file in a folder of must-use plugins gives that folder,
 * another file the folder of its plugin, or else the file itself, unless another file loads it.
 */
export async function findAbilityPlugins(dir: string): Promise<readonly string[]> {
  const plugins = new Set<string>();
  for await (const { file, text } of readPhpFiles([dir], NOT_OF_PROJECT))
    if (REGISTERS.test(text)) plugins.add(await pluginOf(dir, file));
  const all = [...plugins].sort(byCodeUnit);
  // A plugin inside another is loaded by it.
  const paths = all.filter((path) => !all.some((other) => other !== path && isInside(path, other)));
  const loaded = await findLoadedFiles(dir, paths);
  return paths.filter((path) => !loaded.has(path));
}

/** Returns the PHP files among the paths that another file names, such as `__DIR__ . '/inc/abilities.php'`. */
async function findLoadedFiles(dir: string, paths: readonly string[]): Promise<ReadonlySet<string>> {
  const loaded = new Set<string>();
  const files = paths.filter((path) => path.endsWith(".php"));
  if (files.length === 0) return loaded;
  for await (const { file, text } of readPhpFiles([dir], NOT_OF_PROJECT))
    for (const path of files) {
      const way = posix(relative(dirname(file), join(dir, path))).replace(/^(?:\.\.\/)+/, "");
      const isNamed = text.includes(`/${way}'`) || text.includes(`/${way}"`);
      if (isNamed && file !== join(dir, path)) loaded.add(path);
    }
  return loaded;
}

async function pluginOf(dir: string, file: string): Promise<string> {
  const path = posix(relative(dir, file));
  const inSite = /^(?:.*?\/)??(?:mu-plugins|plugins\/[^/]+)(?=\/)/.exec(path);
  if (inSite !== null) return inSite[0];
  for (const folder of upwards(dirname(file))) {
    if ((await readFolder(folder)).plugins.length > 0) return posix(relative(dir, folder)) || ".";
    if (folder === dir) break;
  }
  return path;
}

/** Returns the part of a file that WordPress reads for a header; "" for a file that cannot be read. */
export async function readHead(file: string): Promise<string> {
  return (await readFile(file, "utf8").catch(() => "")).slice(0, 8_192);
}

function isInside(path: string, folder: string): boolean {
  return folder === "." || !posixPath.relative(folder, path).startsWith("..");
}

/** No code below these folders registers abilities of a plugin. */
const SKIPPED: ReadonlySet<string> = new Set(["node_modules", "tests", "languages"]);
/** The same, and those of other projects, which Composer installs. */
export const DEPENDENCIES: ReadonlySet<string> = new Set([
  ...SKIPPED,
  "vendor",
  "vendor-prefixed",
  "vendor_prefixed",
]);
/** Names of WordPress blocks start with this namespace too. */
const CORE = "core/";

/**
 * Returns where a string literal in a PHP file below the roots first starts with the name or namespace of an ability: that file may
 * register it. Reads nothing without abilities.
 *
 * @param find returns the offset of the name of an ability in a text, or -1
 */
export async function findMentionedAbilities(
  dir: string,
  roots: readonly string[],
  abilities: readonly string[],
  find: (text: string, ability: string) => number = findMention,
): Promise<ReadonlyMap<string, PhpPlace>> {
  const places = new Map<string, PhpPlace>();
  if (abilities.length === 0) return places;
  const folders = roots.map((root) => resolve(dir, root));
  for await (const { file, text } of readPhpFiles(folders, SKIPPED)) {
    for (const ability of abilities) {
      const at = places.has(ability) ? -1 : find(text, ability);
      if (at < 0) continue;
      places.set(ability, { file: nameOfPath(dir, file), line: text.slice(0, at).split("\n").length });
    }
    if (places.size === abilities.length) break;
  }
  return places;
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

function findMention(text: string, ability: string): number {
  const namespace = ability.slice(0, ability.indexOf("/") + 1);
  return findQuoted(text, namespace === CORE || namespace === "" ? ability : namespace, true);
}

/** Returns where PHP code first has a text as a string literal, or with `isStart` as the start of one; -1 if it does not. */
export function findQuoted(text: string, literal: string, isStart = false): number {
  const offsets = ["'", '"'].map((quote) => text.indexOf(`${quote}${literal}${isStart ? "" : quote}`));
  const [first = -1] = offsets.filter((at) => at >= 0).sort((a, b) => a - b);
  return first;
}

/** Returns whether a file is one of these roots or below one of them. */
export function coveredBy(roots: readonly string[]): (file: string) => boolean {
  return (file) => roots.some((root) => root === "" || file === root || file.startsWith(`${root}/`));
}

/**
 * Returns whether a file belongs to a plugin. Must-use plugins share a folder: a file below it may belong to
 * any of them, but the main file of another plugin does not.
 */
export function filesOfPlugin(plugin: MainFile, plugins: readonly MainFile[]): (file: string) => boolean {
  const isBeside = coveredBy([folderOf(plugin)]);
  return (file) => file === plugin.name || (isBeside(file) && !plugins.some(({ name }) => name === file));
}

/** Returns the plugin of a file: the nearest one around it. Must-use plugins share a folder, so only a main file is certain. */
export function findPlugin(file: string, plugins: readonly MainFile[]): MainFile | undefined {
  const around = plugins.filter((plugin) => filesOfPlugin(plugin, plugins)(file));
  const deepest = Math.max(...around.map((plugin) => folderOf(plugin).length));
  const nearest = around.filter((plugin) => folderOf(plugin).length === deepest);
  return nearest.length === 1 ? nearest[0] : undefined;
}

function folderOf({ name }: MainFile): string {
  return dirname(name) === "." ? "" : dirname(name);
}

/** Names a file in the folder of a plugin. */
export function nameBeside({ file, name }: MainFile, path: string): string {
  return posix(join(dirname(name), relative(dirname(file), path)));
}

/**
 * Returns a function that names a file relative to the configuration. PHP reports real paths; the names
 * follow the symbolic links of the roots.
 */
export async function nameRealFiles(dir: string, roots: readonly string[]): Promise<NameOf> {
  const places = [...roots.map((root) => resolve(dir, root)), dir];
  const real = await Promise.all(places.map(async (place) => [place, await realpath(place)] as const));
  return (file) => {
    if (file === "") return "";
    const entry = real.find(([, target]) => file === target || file.startsWith(target + sep));
    return posix(relative(dir, entry === undefined ? file : join(entry[0], relative(entry[1], file))));
  };
}

/** Names a path of the configuration. */
export function nameOfPath(dir: string, path: string): string {
  return posix(relative(dir, resolve(dir, path)));
}

export function posix(path: string): string {
  return path.split(sep).join("/");
}

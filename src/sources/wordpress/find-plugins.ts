import { open, readdir } from "node:fs/promises";
import { join, posix, relative, sep } from "node:path";
import { byCodeUnit } from "../../contract/json.js";

/** These folders have no code of the project. */
const SKIPPED = new Set([
  "node_modules",
  "vendor",
  "wp-admin",
  "wp-includes",
  "uploads",
  "languages",
  "tests",
]);
const DEEPEST = 8;
/** A WordPress with many plugins has about 10,000 files. A folder with more is not one project. */
const MOST_FILES = 20_000;
/** Only this much of a file is searched. Files with registrations are shorter. */
const LONGEST = 1_000_000;
const AT_ONCE = 32;

const REGISTERS = /\bwp_register_ability\s*\(/;
const HEADER = /^(?:[ \t]*<\?php)?[ \t/*#@]*Plugin Name:/im;

/**
 * Returns the plugins below a folder that register abilities, as posix paths for `php.paths`, relative to the
 * folder. Searches the PHP files for the call. A file in a folder of must-use plugins gives that folder,
 * another file the folder of its plugin, or else the file itself.
 */
export async function findAbilityPlugins(dir: string): Promise<readonly string[]> {
  const files: string[] = [];
  await walk(dir, 0, files);
  const plugins = new Set<string>();
  for (let at = 0; at < files.length; at += AT_ONCE) {
    const found = await Promise.all(files.slice(at, at + AT_ONCE).map((file) => pluginOf(dir, file)));
    for (const plugin of found) if (plugin !== undefined) plugins.add(plugin);
  }
  const all = [...plugins].sort(byCodeUnit);
  // A plugin inside another is loaded by it.
  return all.filter((path) => !all.some((other) => other !== path && isInside(path, other)));
}

async function walk(folder: string, depth: number, files: string[]): Promise<void> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  for (const entry of entries.sort((a, b) => byCodeUnit(a.name, b.name))) {
    if (files.length >= MOST_FILES || entry.name.startsWith(".")) continue;
    const path = join(folder, entry.name);
    if (entry.isFile() && entry.name.endsWith(".php")) files.push(path);
    else if (entry.isDirectory() && depth < DEEPEST && !SKIPPED.has(entry.name)) {
      await walk(path, depth + 1, files);
    }
  }
}

async function pluginOf(dir: string, file: string): Promise<string | undefined> {
  if (!REGISTERS.test(await readText(file))) return undefined;
  const path = relative(dir, file).split(sep).join("/");
  const folders = path.split("/").slice(0, -1);
  const inMustUse = folders.indexOf("mu-plugins");
  if (inMustUse !== -1) return folders.slice(0, inMustUse + 1).join("/");
  const inPlugins = folders.indexOf("plugins");
  if (inPlugins !== -1 && folders.length > inPlugins + 1) return folders.slice(0, inPlugins + 2).join("/");
  for (let depth = folders.length; depth >= 0; depth -= 1) {
    const folder = folders.slice(0, depth);
    if (await hasHeader(join(dir, ...folder))) return depth === 0 ? "." : folder.join("/");
  }
  return path;
}

/** Whether a PHP file directly in a folder has a plugin header. */
async function hasHeader(folder: string): Promise<boolean> {
  const names = await readdir(folder).catch(() => []);
  const php = names.filter((name) => name.endsWith(".php")).slice(0, 50);
  const texts = await Promise.all(php.map((name) => readText(join(folder, name), 8_192)));
  return texts.some((text) => HEADER.test(text));
}

/** Returns the start of a file; "" for a file that cannot be read. */
async function readText(file: string, length: number = LONGEST): Promise<string> {
  const handle = await open(file).catch(() => undefined);
  if (handle === undefined) return "";
  try {
    const { size } = await handle.stat();
    const { buffer, bytesRead } = await handle.read({ buffer: new Uint8Array(Math.min(size, length)) });
    return new TextDecoder().decode(buffer.subarray(0, bytesRead));
  } catch {
    return "";
  } finally {
    await handle.close();
  }
}

function isInside(path: string, folder: string): boolean {
  return folder === "." || !posix.relative(folder, path).startsWith("..");
}

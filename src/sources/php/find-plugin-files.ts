import { open, readdir, stat } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { McpCodegenError } from "../../contract/errors.js";
import { byCodeUnit } from "../../contract/json.js";

/** The files that PHP loads, in this order, as absolute paths. */
export interface PluginFiles {
  /** Composer's autoloaders, if any. */
  readonly autoloaders: readonly string[];
  readonly files: readonly string[];
  /** The folders and files of the configured paths. */
  readonly roots: readonly string[];
  /** The folders that contain all these files. */
  readonly folders: readonly string[];
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
  const found: PluginFiles[] = [];
  for (const path of paths) {
    const absolute = resolve(dir, path);
    const files = await filesOf(absolute);
    if (files === undefined || files.length === 0) {
      const what = files === undefined ? "does not exist" : "has no plugin";
      throw new McpCodegenError("CONFIG_INVALID", `${where}.paths: ${JSON.stringify(path)} ${what}.`, {
        hint: "Name a plugin's folder or main file, or a folder of must-use plugins.",
      });
    }
    const folder = (await kindOf(absolute)) === "file" ? dirname(absolute) : absolute;
    found.push({
      files,
      roots: [absolute],
      folders: [folder],
      autoloaders: await existing(join(absolute, "vendor/autoload.php")),
    });
  }
  return {
    files: unique(found.flatMap(({ files }) => files)),
    roots: unique(found.flatMap(({ roots }) => roots)),
    folders: unique([dir, ...found.flatMap(({ folders }) => folders)]),
    // The autoloader of the project comes first: those of plugins are for the plugins.
    autoloaders: unique([
      ...(await existing(join(dir, "vendor/autoload.php"))),
      ...found.flatMap(({ autoloaders }) => autoloaders),
    ]),
  };
}

async function filesOf(path: string): Promise<readonly string[] | undefined> {
  const kind = await kindOf(path);
  if (kind === undefined) return undefined;
  if (kind === "file") return [path];
  const entries = (await readdir(path, { withFileTypes: true })).sort((a, b) => byCodeUnit(a.name, b.name));
  const php = entries.filter(({ name }) => name.endsWith(".php")).map(({ name }) => join(path, name));
  // Folders of WordPress have an empty index.php.
  const own = php.filter((file) => basename(file) !== "index.php");
  const main = await plugins(own);
  if (main.length > 0 && basename(path) !== "mu-plugins") return main;
  if (own.length > 0) return own;
  const folders = entries.filter((entry) => !entry.isFile() && !entry.name.startsWith("."));
  const inside = await Promise.all(
    folders.map(async ({ name }) => {
      const folder = join(path, name);
      const files = (await kindOf(folder)) === "folder" ? await readdir(folder) : [];
      return plugins(files.filter((file) => file.endsWith(".php")).map((file) => join(folder, file)));
    }),
  );
  return inside.flat();
}

/** Returns the files with a plugin header. */
async function plugins(files: readonly string[]): Promise<readonly string[]> {
  const sorted = [...files].sort(byCodeUnit);
  const headers = await Promise.all(sorted.map(readHead));
  return sorted.filter((_, index) => /^(?:[ \t]*<\?php)?[ \t/*#@]*Plugin Name:/im.test(headers[index] ?? ""));
}

/** Returns the part of a file that WordPress reads for a header. */
async function readHead(file: string): Promise<string> {
  const handle = await open(file);
  try {
    const { buffer, bytesRead } = await handle.read({ buffer: new Uint8Array(8_192) });
    return new TextDecoder().decode(buffer.subarray(0, bytesRead));
  } finally {
    await handle.close();
  }
}

async function existing(file: string): Promise<readonly string[]> {
  return (await kindOf(file)) === "file" ? [file] : [];
}

async function kindOf(path: string): Promise<"file" | "folder" | undefined> {
  try {
    return (await stat(path)).isDirectory() ? "folder" : "file";
  } catch {
    return undefined;
  }
}

function unique(values: readonly string[]): readonly string[] {
  return [...new Set(values)];
}

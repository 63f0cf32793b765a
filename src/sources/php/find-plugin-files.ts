import { open, readdir, stat } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { McpCodegenError } from "../../contract/errors.js";
import { byCodeUnit } from "../../contract/json.js";

/** What PHP loads, in this order; absolute paths. */
export interface PluginFiles {
  /** Composer's autoloaders, where there are any. */
  readonly autoloaders: readonly string[];
  readonly files: readonly string[];
  /** What the paths lead to: folders and files. */
  readonly roots: readonly string[];
  /** The folders in which all of that is. */
  readonly folders: readonly string[];
}

/**
 * The files that WordPress would load for these paths: a PHP file itself; of a plugin's folder the file with the
 * `Plugin Name:` header; of a folder of must-use plugins every PHP file at its top; of a folder of plugins each of them.
 *
 * @param dir the folder that the paths are relative to
 * @throws McpCodegenError `CONFIG_INVALID` for a path that is not there or holds no plugin
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
      const what = files === undefined ? "is not there" : "holds no plugin";
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
    // The project's own comes first: what a plugin brings is for that plugin.
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
  // Folders of WordPress have an index.php that says nothing.
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

/** Those of the files that have a plugin's header. */
async function plugins(files: readonly string[]): Promise<readonly string[]> {
  const sorted = [...files].sort(byCodeUnit);
  const headers = await Promise.all(sorted.map(readHead));
  return sorted.filter((_, index) => /^(?:[ \t]*<\?php)?[ \t/*#@]*Plugin Name:/im.test(headers[index] ?? ""));
}

/** As much of a file as WordPress looks at for a header. */
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

import { readdir } from "node:fs/promises";
import { join, relative, resolve, sep } from "node:path";
import { byCodeUnit } from "../contract/json.js";
import { findBounded } from "../files/read-bounded.js";
import { parseCassetteFile, type CassetteFile } from "./cassette-file.js";

/** A file of a cassette that was found on disk. */
export interface FoundCassetteFile extends CassetteFile {
  /** Posix, relative to `dir`. */
  readonly path: string;
  readonly text: string;
}

/**
 * Reads every cassette in and below folders, sorted by path. A folder that does not exist holds none.
 *
 * @param dir the folder that others, and the paths of files, are relative to
 * @throws McpCodegenError `CASSETTE_INVALID`, `CASSETTE_NEWER` and `FILE_FAILED`
 */
export async function readCassettes(
  dir: string,
  folders: readonly string[],
): Promise<readonly FoundCassetteFile[]> {
  const paths = new Set((await Promise.all(folders.map((folder) => findFiles(resolve(dir, folder))))).flat());
  const files: FoundCassetteFile[] = [];
  for (const file of [...paths].sort(byCodeUnit)) {
    const text = (await findBounded(file))?.toString("utf8");
    if (text === undefined) continue;
    const path = relative(dir, file).split(sep).join("/");
    files.push({ ...parseCassetteFile(text, path), path, text });
  }
  return files;
}

async function findFiles(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  return entries
    .filter((entry) => entry.isFile() && entry.name.endsWith(".json") && !entry.name.startsWith("."))
    .map((entry) => join(entry.parentPath, entry.name));
}

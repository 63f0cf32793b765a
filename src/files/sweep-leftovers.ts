import { readdir, realpath } from "node:fs/promises";
import { dirname, join } from "node:path";
import { removeAbandoned } from "./write-atomic.js";

/**
 * Removes temporary files of killed runs beside these files, in the output folder, and in its servers' folders. Files
 * of running processes stay. Never fails.
 */
export async function sweepLeftovers(files: readonly string[], output: string | undefined): Promise<void> {
  // A file behind a link is written at the target of the link.
  const targets = await Promise.all(files.map((file) => realpath(file).catch(() => file)));
  const generated = output === undefined ? [] : [output, ...(await foldersIn(output))];
  const folders = new Set([
    ...files.map((file) => dirname(file)),
    ...targets.map((target) => dirname(target)),
    ...generated,
  ]);
  await Promise.all([...folders].map((folder) => removeAbandoned(folder)));
}

/** As deep as generated files: `<server>/<file>.ts`. Does not follow links. */
async function foldersIn(dir: string): Promise<readonly string[]> {
  const entries = await readdir(dir, { withFileTypes: true }).catch(() => []);
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => join(dir, name));
}

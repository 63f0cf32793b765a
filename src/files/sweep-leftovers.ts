import { readdir, realpath } from "node:fs/promises";
import { dirname, join } from "node:path";
import { removeAbandoned } from "./write-atomic.js";

/**
 * Removes the temporary files that killed runs left beside these files, in the output folder, if there is one, and in
 * the folders of its servers. Files of runs in progress stay. Never fails.
 */
export async function sweepLeftovers(files: readonly string[], output: string | undefined): Promise<void> {
  // A linked file is written where the link leads.
  const targets = await Promise.all(files.map((file) => realpath(file).catch(() => file)));
  const generated = output === undefined ? [] : [output, ...(await foldersIn(output))];
  const folders = new Set([
    ...files.map((file) => dirname(file)),
    ...targets.map((target) => dirname(target)),
    ...generated,
  ]);
  await Promise.all([...folders].map((folder) => removeAbandoned(folder)));
}

/** As deep as we write: `<server>/<file>.ts`. Links are not followed. */
async function foldersIn(dir: string): Promise<readonly string[]> {
  const entries = await readdir(dir, { withFileTypes: true }).catch(() => []);
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => join(dir, name));
}

import { readdir, realpath } from "node:fs/promises";
import { dirname, join } from "node:path";
import { removeAbandoned } from "./write-atomic.js";

/**
 * Removes the temporary files that killed runs left beside these files, in the output folder and in the folders of its
 * servers. Files of runs in progress stay. Never fails.
 */
export async function sweepLeftovers(files: readonly string[], output: string): Promise<void> {
  // A linked file is written where the link leads.
  const targets = await Promise.all(files.map((file) => realpath(file).catch(() => file)));
  const entries = await readdir(output, { withFileTypes: true }).catch(() => []);
  // As deep as we write: `<server>/<file>.ts`. Links are not followed.
  const below = entries.filter((entry) => entry.isDirectory()).map(({ name }) => join(output, name));
  const folders = new Set([
    ...files.map((file) => dirname(file)),
    ...targets.map((target) => dirname(target)),
    output,
  ]);
  await Promise.all([...folders, ...below].map((folder) => removeAbandoned(folder)));
}

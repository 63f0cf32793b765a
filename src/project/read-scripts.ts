/** Saved scripts: the files that `scripts` of the configuration names, checked like a script before it runs. */
import { join } from "node:path";
import type { LoadedConfig } from "../config/load-config.js";
import type { Finding } from "../core/finding.js";
import { NOT_VERIFIED } from "../core/findings.js";
import { findFiles, findFileText } from "../files/read-files.js";

export interface SavedScript {
  /** Posix, relative to the configuration. */
  readonly path: string;
  readonly text: string;
}

/** Reads the scripts of a project. A glob that matches nothing is probably misspelt. */
export async function readScripts({ config: { scripts: globs = [] }, dir }: LoadedConfig): Promise<{
  readonly scripts: readonly SavedScript[];
  readonly unmatched: readonly Finding[];
}> {
  const lists = await Promise.all(globs.map((glob) => findFiles(dir, [glob])));
  const paths = [...new Set(lists.flat())].sort();
  const read = async (path: string): Promise<SavedScript> => ({
    path,
    text: (await findFileText(join(dir, path))) ?? "",
  });
  const unmatched = globs.filter((_, at) => lists[at]?.length === 0);
  return {
    scripts: await Promise.all(paths.map(read)),
    unmatched: unmatched.map((glob) => ({
      rule: NOT_VERIFIED,
      server: "scripts",
      message: `No file matches ${JSON.stringify(glob)}.`,
      hint: 'Correct "scripts" in the configuration, or remove it.',
    })),
  };
}

import { relative, resolve, sep } from "node:path";
import { readCassetteFile, type CassetteFile, type CassetteProblem } from "../cassette/cassette-file.js";
import type { LoadedConfig } from "../config/load-config.js";
import { readBounded } from "../files/read-bounded.js";

/** A file of a cassette as it is on the disk. */
export interface CassetteOnDisk {
  /** Posix, relative to the configuration. */
  readonly path: string;
  readonly text: string;
  readonly read: { readonly file: CassetteFile } | { readonly problem: CassetteProblem };
}

/** Reads cassettes. Yields nothing for JSON files that are not cassettes: other tools may have files in the same folder. */
export async function* readCassettes(
  { dir }: Pick<LoadedConfig, "dir">,
  files: readonly string[],
): AsyncGenerator<CassetteOnDisk> {
  for (const file of files) {
    const text = (await readBounded(resolve(dir, file))).toString("utf8");
    if (!text.includes('"cassetteVersion"')) continue;
    yield { path: relative(dir, file).split(sep).join("/"), text, read: readCassetteFile(text) };
  }
}

import { join } from "node:path";
import type { LoadedConfig } from "../config/load-config.js";
import { findFiles } from "../files/find-files.js";
import { findBounded } from "../files/read-bounded.js";
import { AGENT_FILES } from "../mentions/agent-files.js";
import { runGit } from "../sources/git/run-git.js";

/** A file that agents read. */
export interface AgentFile {
  /** Posix, relative to the configuration. */
  readonly path: string;
  readonly text: string;
}

/** Larger files are not instructions. */
const LARGEST_FILE = 5 * 1024 * 1024;

/** Returns the files that `references` names, or those that agents read by default, without those that git ignores. */
export async function readAgentFiles({ config, dir }: LoadedConfig): Promise<readonly AgentFile[]> {
  const globs = config.references ?? AGENT_FILES.map(([glob]) => glob);
  if (globs.length === 0) return [];
  const paths = await findFiles(dir, globs);
  if (paths.length === 0) return [];
  const ignored = await runGit(dir, [
    ...["ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--"],
    ...paths,
  ]).catch(() => undefined);
  const others = new Set(ignored?.ok === true ? ignored.text.split("\0") : []);
  const files = await Promise.all(
    paths
      .filter((path) => !others.has(path))
      .map(async (path) => {
        const bytes = await findBounded(join(dir, path)).catch(() => undefined);
        return bytes === undefined || bytes.length > LARGEST_FILE
          ? []
          : [{ path, text: bytes.toString("utf8") }];
      }),
  );
  return files.flat();
}

import { mkdtemp, rm, realpath } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { PluginFiles } from "./plugin-files.js";
import { type Alternative, findAlternatives } from "./find-alternatives.js";
import {
  NOTHING_MISSING,
  readHarnessAnswer,
  type HarnessAnswer,
  type Missing,
  type RunAbility,
  type UndefinedUse,
} from "./harness-answer.js";
import {
  runOnce,
  runUntilComplete,
  type PluginFailure,
  type PluginJob,
  type RunPluginsOptions,
} from "./run-job.js";

/** The answer of the last run, and the names that were made up for it. */
export interface PluginRun {
  readonly answer: HarnessAnswer;
  readonly missing: Missing;
  /** The undefined names of all runs: a name that was made up for a run is defined in it. */
  readonly uses: readonly UndefinedUse[];
  readonly runs: number;
  /** Plugins that failed while others did not. They may register abilities that were not found. */
  readonly failures: readonly PluginFailure[];
  /** Answers with other made-up values; empty when nothing depends on them. */
  readonly alternatives: readonly Alternative[];
  /** Runs once more and returns the abilities, the named ones with their places. */
  readonly trace: (names: readonly string[]) => Promise<readonly RunAbility[]>;
}

/**
 * Loads plugins in our stub of WordPress and lets them register their abilities. Undefined names are made up
 * and the run is repeated until none is left. A plugin that ends the process is omitted, and the others run
 * without it. Returns undefined when PHP is not installed.
 *
 * @throws McpCodegenError `PHP_FAILED` with the file and line, when the only plugin fails or ends the
 *   process, or code outside of plugins does
 */
export async function runPlugins(
  { files, autoloaders, folders }: PluginFiles,
  options: RunPluginsOptions,
): Promise<PluginRun | undefined> {
  return inFolder(async (dir) => {
    const boot = options.bootstrap === undefined ? [] : [options.bootstrap];
    const failures: PluginFailure[] = [];
    const isAlone = files.length === 1;
    let plugins = files;
    let missing = NOTHING_MISSING;
    const uses: UndefinedUse[] = [];
    for (let runs = 1; ;) {
      const job = {
        files: [...boot, ...autoloaders, ...plugins],
        plugins,
        folders,
        stubs: options.stubs,
        dir,
      };
      const found = await runUntilComplete(job, missing, options);
      if (found === undefined) return undefined;
      runs += found.runs - 1;
      missing = found.missing;
      uses.push(...found.uses);
      const failed = found.errors.filter(({ plugin }) => plugins.includes(plugin));
      const [own] = found.errors.filter((error) => !failed.includes(error));
      if (own !== undefined) throw own.error;
      if (isAlone && failed[0] !== undefined) throw failed[0].error;
      failures.push(...failed);
      if (found.answer !== undefined) {
        const { answer } = found;
        const alternatives = await findAlternatives(job, { answer, missing }, options);
        const trace = async (names: readonly string[]): Promise<readonly RunAbility[]> =>
          inFolder((folder) => runTraced({ ...job, dir: folder }, missing, names, options));
        return { answer, missing, uses: uniqueUses(uses), runs, failures, alternatives, trace };
      }
      plugins = plugins.filter((file) => !failed.some(({ plugin }) => plugin === file));
      if (plugins.length === 0 && failures[0] !== undefined) throw failures[0].error;
      runs += 1;
    }
  });
}

async function runTraced(
  job: PluginJob,
  missing: Missing,
  traced: readonly string[],
  options: RunPluginsOptions,
): Promise<readonly RunAbility[]> {
  const end = await runOnce(job, missing, options, { traced });
  const answer = end?.kind === "answered" ? readHarnessAnswer(end.answer) : undefined;
  return answer?.abilities ?? [];
}

async function inFolder<T>(work: (dir: string) => Promise<T>): Promise<T> {
  const dir = await realpath(await mkdtemp(join(tmpdir(), "mcp-codegen-php-")));
  try {
    return await work(dir);
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

/** Returns one use for each name and place. An error that is caught once is caught each time. */
function uniqueUses(uses: readonly UndefinedUse[]): readonly UndefinedUse[] {
  const unique = new Map<string, UndefinedUse>();
  for (const use of uses) {
    const key = [use.kind, use.name.toLowerCase(), use.file, use.line].join(" ");
    if (use.isCaught || !unique.has(key)) unique.set(key, use);
  }
  return [...unique.values()];
}

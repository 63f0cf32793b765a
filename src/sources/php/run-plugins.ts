import { mkdtemp, rm, writeFile, realpath } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { McpCodegenError } from "../../contract/errors.js";
import type { JsonValue } from "../../contract/json.js";
import type { PluginFiles } from "./find-plugin-files.js";
import {
  countMissing,
  mergeMissing,
  NOTHING_MISSING,
  readAnswer,
  readTrail,
  type HarnessAnswer,
  type Missing,
  type RunError,
} from "./harness-answer.js";
import { DISABLED_FUNCTIONS, type PhpEnd, type RunPhp } from "./php-process.js";

export interface RunPluginsOptions {
  readonly run: RunPhp;
  /** PHP files to load before the plugins. */
  readonly bootstrap?: string;
  /** What functions and constants of others are, by name. */
  readonly stubs?: { readonly [name: string]: JsonValue };
  /** How a file is called in messages. */
  readonly nameOf: (file: string) => string;
  readonly signal?: AbortSignal;
}

/** The last run's answer, and everything that was made up for it. */
export interface PluginRun {
  readonly answer: HarnessAnswer;
  readonly missing: Missing;
  readonly runs: number;
}

/** Each run finds at least one more thing that is missing; a plugin that lacks more than this needs a bootstrap. */
const MOST_RUNS = 30;

/**
 * Loads plugins in our stub of WordPress and lets them register their abilities. What they lack is made up and the run
 * repeated, until nothing more is missing. Undefined where there is no PHP.
 *
 * @throws McpCodegenError `PHP_FAILED`, with the file and line, when the plugins' code fails or ends the process
 */
export async function runPlugins(
  { files, autoloaders, folders }: PluginFiles,
  options: RunPluginsOptions,
): Promise<PluginRun | undefined> {
  const dir = await realpath(await mkdtemp(join(tmpdir(), "mcp-codegen-php-")));
  try {
    const boot = options.bootstrap === undefined ? [] : [options.bootstrap];
    const job = { files: [...boot, ...autoloaders, ...files], folders, stubs: options.stubs, dir };
    let missing = NOTHING_MISSING;
    for (let runs = 1; runs <= MOST_RUNS; runs += 1) {
      const end = await runOnce(job, missing, options);
      if (end === undefined) return undefined;
      const answer = answerOf(end, options);
      const more = mergeMissing(missing, answer.missing);
      if (countMissing(more) === countMissing(missing)) {
        const [error] = answer.errors;
        if (error !== undefined) throw failed(error, options);
        return { answer, missing, runs };
      }
      missing = more;
    }
    throw new McpCodegenError("PHP_FAILED", `After ${MOST_RUNS} runs, the plugins still lack something.`, {
      hint: "Load what they need with the php.bootstrap of this server.",
    });
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

interface Job {
  readonly files: readonly string[];
  readonly folders: readonly string[];
  readonly stubs: { readonly [name: string]: JsonValue } | undefined;
  readonly dir: string;
}

async function runOnce(
  { files, folders, stubs, dir }: Job,
  missing: Missing,
  { run, signal }: RunPluginsOptions,
): Promise<PhpEnd | undefined> {
  const [job, out] = [join(dir, "job.json"), join(dir, "answer.json")];
  await rm(out, { force: true });
  await writeFile(job, JSON.stringify({ files, stubs, missing, out, disabled: DISABLED_FUNCTIONS }));
  const harness = fileURLToPath(new URL("./stub/harness.php", import.meta.url));
  const seen = [dir, dirname(harness), ...folders];
  return run({ harness, job, out, dir, folders: seen, ...(signal && { signal }) });
}

function answerOf(end: PhpEnd, options: RunPluginsOptions): HarnessAnswer {
  const answer = end.kind === "answered" ? readAnswer(end.answer) : undefined;
  if (answer !== undefined) return answer;
  const trail = end.kind === "died" ? readTrail(end.trail) : undefined;
  const how = end.kind === "died" ? end.how : "It gave an answer that is no JSON.";
  const at = trail === undefined || trail.file === "" ? "" : ` ${placeOf(trail, options)},`;
  const doing = trail === undefined ? "" : ` ${trail.during}`;
  throw new McpCodegenError("PHP_FAILED", `PHP failed${at}${doing}: ${how}`, { hint: HINTS.fatal });
}

function failed(error: RunError, options: RunPluginsOptions): McpCodegenError {
  const what = error.kind === "exit" ? "the plugin ends the process (exit or die)" : error.message;
  return new McpCodegenError("PHP_FAILED", `${placeOf(error, options)}, ${error.during}: ${what}.`, {
    hint: HINTS[error.kind],
  });
}

const HINTS = {
  parse: "Mend the file.",
  thrown:
    "If it needs another plugin or a setting, load it with the php.bootstrap of this server, or give values with php.stubs.",
  fatal: "If it needs another plugin or a setting, load it with the php.bootstrap of this server.",
  exit: "What it looks for before it ends can be defined by the php.bootstrap of this server.",
} as const satisfies Record<RunError["kind"], string>;

function placeOf(
  { file, line }: { readonly file: string; readonly line: number },
  { nameOf }: RunPluginsOptions,
): string {
  return line > 0 ? `${JSON.stringify(nameOf(file))}, line ${line}` : JSON.stringify(nameOf(file));
}

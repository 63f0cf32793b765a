import { rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { McpCodegenError } from "../../core/errors.js";
import type { JsonObject, JsonValue } from "../../core/json.js";
import {
  countMissing,
  mergeMissing,
  readHarnessAnswer,
  readTrail,
  type HarnessAnswer,
  type Missing,
  type PhpPlace,
  type RunError,
  type UndefinedUse,
} from "./harness-answer.js";
import { DISABLED_FUNCTIONS, phpFile, type PhpEnd, type RunPhp } from "./php-process.js";

export interface RunPluginsOptions {
  readonly run: RunPhp;
  /** PHP files to load before the plugins. */
  readonly bootstrap?: string | undefined;
  /** The values of undefined functions and constants, by name. */
  readonly stubs?: { readonly [name: string]: JsonValue } | undefined;
  /** Names a file in messages. */
  readonly nameOf: (file: string) => string;
  readonly signal?: AbortSignal | undefined;
}

export interface PluginFailure {
  /** Its main file. */
  readonly plugin: string;
  readonly error: McpCodegenError;
}

/** The plugins of one run. */
export interface PluginJob {
  readonly files: readonly string[];
  readonly plugins: readonly string[];
  readonly folders: readonly string[];
  readonly stubs: { readonly [name: string]: JsonValue } | undefined;
  readonly dir: string;
}

/** The options of one run. */
export interface RunVariant {
  /** Check after each condition whether a made-up value decided it. */
  readonly watches?: boolean;
  /** Invert the conditions that made-up values decide. */
  readonly inverted?: boolean;
  /** Let the database return rows. */
  readonly rows?: boolean;
  /** Abilities to trace. */
  readonly traced?: readonly string[];
  /** Return the values of all conditions. */
  readonly observed?: boolean;
  /** Answers of the site to replace, and the usual values of the conditions. */
  readonly replaced?: readonly string[];
  readonly conditions?: JsonObject;
}

/** The result of repeated runs. */
export interface CompletedRun {
  /** Absent when the process ended early. */
  readonly answer?: HarnessAnswer | undefined;
  readonly missing: Missing;
  readonly uses: readonly UndefinedUse[];
  readonly runs: number;
  readonly errors: readonly PluginFailure[];
}

/** Each run finds at least one more undefined name. A plugin that needs more runs needs a bootstrap. */
const MOST_RUNS = 30;

/** Repeats the run until no more names are undefined. */
export async function runUntilComplete(
  job: PluginJob,
  known: Missing,
  options: RunPluginsOptions,
  variant: RunVariant = {},
  mostRuns: number = MOST_RUNS,
): Promise<CompletedRun | undefined> {
  let missing = known;
  const uses: UndefinedUse[] = [];
  for (let runs = 1; runs <= mostRuns; runs += 1) {
    const end = await runOnce(job, missing, options, variant);
    if (end === undefined) return undefined;
    const answer = end.kind === "answered" ? readHarnessAnswer(end.answer) : undefined;
    if (answer === undefined) return { missing, uses, runs, errors: [describeDeath(end, options)] };
    uses.push(...answer.uses);
    const more = mergeMissing(missing, answer.missing);
    if (countMissing(more) === countMissing(missing)) {
      const errors = answer.errors.map((error) => ({ plugin: error.plugin, error: failed(error, options) }));
      return { answer: answer.isCutOff ? undefined : answer, missing, uses, runs, errors };
    }
    missing = more;
  }
  throw new McpCodegenError("PHP_FAILED", `After ${mostRuns} runs, the plugins still use undefined names.`, {
    hint: "Define them in the php.bootstrap of this server.",
  });
}

export async function runOnce(
  { files, plugins, folders, stubs, dir }: PluginJob,
  missing: Missing,
  { run, signal }: RunPluginsOptions,
  variant: RunVariant,
): Promise<PhpEnd | undefined> {
  const [job, out] = [join(dir, "job.json"), join(dir, "answer.json")];
  await rm(out, { force: true });
  await writeFile(
    job,
    JSON.stringify({ files, plugins, stubs, missing, out, disabled: DISABLED_FUNCTIONS, ...variant }),
  );
  const harness = fileURLToPath(phpFile("stub/harness.php"));
  const seen = [dir, dirname(harness), ...folders];
  return run({ harness, job, out, dir, folders: seen, signal });
}

function describeDeath(end: PhpEnd, options: RunPluginsOptions): PluginFailure {
  const trail = end.kind === "died" ? readTrail(end.trail) : undefined;
  const how = end.kind === "died" ? end.how : "It returned an answer that is not JSON.";
  const at = trail === undefined || trail.file === "" ? "" : ` ${placeOf(trail, options)},`;
  const doing = trail === undefined ? "" : ` ${trail.during}`;
  return {
    plugin: trail?.plugin ?? "",
    error: new McpCodegenError("PHP_FAILED", `PHP failed${at}${doing}: ${how}`, { hint: HINTS.fatal }),
  };
}

function failed(error: RunError, options: RunPluginsOptions): McpCodegenError {
  const what = error.kind === "exit" ? "the plugin ends the process (exit or die)" : error.message;
  const isComposerMissing = /Failed opening required '[^']*[/\\]vendor[\w-]*[/\\]/.test(error.message);
  return new McpCodegenError("PHP_FAILED", `${placeOf(error, options)}, ${error.during}: ${what}.`, {
    hint: isComposerMissing ? 'Run "composer install".' : HINTS[error.kind],
  });
}

const HINTS = {
  parse: "Fix the file.",
  thrown:
    "If it needs another plugin or a setting, load it with the php.bootstrap of this server, or set values in php.stubs.",
  fatal: "If it needs another plugin or a setting, load it with the php.bootstrap of this server.",
  exit: "Define what it checks before it exits in the php.bootstrap of this server.",
} as const satisfies Record<RunError["kind"], string>;

function placeOf({ file, line }: PhpPlace, { nameOf }: RunPluginsOptions): string {
  return line > 0 ? `${JSON.stringify(nameOf(file))}, line ${line}` : JSON.stringify(nameOf(file));
}

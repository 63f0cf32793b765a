import { mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { McpCodegenError } from "../../core/errors.js";
import type { JsonObject, JsonValue } from "../../core/json.js";
import {
  countMissing,
  describePlace,
  type HarnessAnswer,
  mergeMissing,
  type Missing,
  NOTHING_MISSING,
  readHarnessAnswer,
  readTrail,
  type RunAbility,
  type RunError,
  type UndefinedUse,
} from "./harness-answer.js";
import { findFileText } from "../../files/read-files.js";
import { fileFailed } from "../../files/write-atomic.js";
import { DISABLED_FUNCTIONS, phpFile, type RunPhp } from "./php-process.js";
import type { PluginFiles } from "./plugin-files.js";

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
  return end?.answer?.abilities ?? [];
}

async function inFolder<T>(work: (dir: string) => Promise<T>): Promise<T> {
  const shared = tmpdir();
  const dir = await mkdtemp(join(shared, "mcp-codegen-php-"))
    .then((path) => realpath(path))
    .catch((cause: unknown) => {
      throw fileFailed(`In the temporary folder "${shared}", none can be created`, cause);
    });
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

/**
 * The abilities when conditions on made-up values are inverted, when the database returns rows, or when the site
 * answers otherwise.
 */
export interface Alternative {
  readonly variant: "inverted" | "rows" | "site";
  /** The replaced answers of the site. */
  readonly replaced?: readonly string[] | undefined;
  /** JSON definitions by name; undefined when the plugins fail this way. */
  readonly abilities: ReadonlyMap<string, string> | undefined;
  readonly decisions: HarnessAnswer["decisions"];
}

interface Base {
  readonly answer: HarnessAnswer;
  readonly missing: Missing;
}

async function findAlternatives(
  job: PluginJob,
  base: Base,
  options: RunPluginsOptions,
): Promise<readonly Alternative[]> {
  return [...(await varyValues(job, base, options)), ...(await replaceAnswers(job, base, options))];
}

async function varyValues(
  job: PluginJob,
  { answer, missing }: Base,
  options: RunPluginsOptions,
): Promise<readonly Alternative[]> {
  if (!answer.usesMadeUp) return [];
  const variants: readonly RunVariant[] = [
    { watches: true, inverted: true },
    ...(answer.usesDatabase ? [{ rows: true }] : []),
  ];
  const alternatives: Alternative[] = [];
  for (const variant of variants) {
    const found = await runUntilComplete(job, missing, options, variant).catch(ignorePhpFailure);
    alternatives.push({
      variant: variant.rows === true ? "rows" : "inverted",
      abilities:
        found?.answer === undefined
          ? undefined
          : new Map(found.answer.abilities.map(({ name, json }) => [name, json])),
      decisions: found?.answer?.decisions ?? [],
    });
  }
  return alternatives;
}

/** The number of groups of answers that are replaced together. Each group has one answer if there are not more. */
const MOST_GROUPS = 8;

/** Each run of replaced answers may find more undefined names, since other code runs. */
const MOST_RUNS_OF_GROUP = 4;

/**
 * Runs again with the opposite of what the stub answered about the site: each answer alone, in at most
 * {@link MOST_GROUPS} groups, and all together. Plugins that ask nothing are not run again.
 */
async function replaceAnswers(
  job: PluginJob,
  base: Base,
  options: RunPluginsOptions,
): Promise<readonly Alternative[]> {
  if (base.answer.asked.length === 0 && !base.answer.hasChecks) return [];
  const observed = await runUntilComplete(job, base.missing, options, { watches: true, observed: true });
  const { asked = [], conditions = {} } = observed?.answer ?? {};
  const groups = Array.from({ length: Math.min(asked.length, MOST_GROUPS) }, (_, at) =>
    asked.filter((__, index) => index % MOST_GROUPS === at),
  );
  const alternatives: Alternative[] = [];
  for (const replaced of groups.length > 1 ? [...groups, asked] : groups) {
    const variant = { watches: true, replaced, conditions };
    const found = await runUntilComplete(job, base.missing, options, variant, MOST_RUNS_OF_GROUP).catch(
      ignorePhpFailure,
    );
    // A plugin that ends the process for another site would end it there too.
    if (found?.answer !== undefined)
      alternatives.push(compareSites(base.answer, { ...found, answer: found.answer }, replaced));
  }
  return alternatives;
}

/** Keeps the abilities of a plugin that fails because of a replaced value and not because of a condition. */
function compareSites(
  { abilities }: HarnessAnswer,
  { answer, errors }: CompletedRun & { readonly answer: HarnessAnswer },
  replaced: readonly string[],
): Alternative {
  const failed = new Set(answer.decisions.length === 0 ? errors.map(({ plugin }) => plugin) : []);
  const kept = abilities.filter(({ plugin }) => failed.has(plugin) || failed.has(""));
  return {
    variant: "site",
    replaced,
    abilities: new Map([...answer.abilities, ...kept].map(({ name, json }) => [name, json])),
    decisions: answer.decisions,
  };
}

function ignorePhpFailure(error: unknown): undefined {
  if (error instanceof McpCodegenError && error.code === "PHP_FAILED") return undefined;
  throw error;
}

interface RunPluginsOptions {
  readonly run: RunPhp;
  /** PHP files to load before the plugins. */
  readonly bootstrap?: string | undefined;
  /** The values of undefined functions and constants, by name. */
  readonly stubs?: { readonly [name: string]: JsonValue } | undefined;
  /** Names a file in messages. */
  readonly nameOf: (file: string) => string;
  readonly signal?: AbortSignal | undefined;
}

interface PluginFailure {
  /** Its main file. */
  readonly plugin: string;
  readonly error: McpCodegenError;
}

interface PluginJob {
  readonly files: readonly string[];
  readonly plugins: readonly string[];
  readonly folders: readonly string[];
  readonly stubs: { readonly [name: string]: JsonValue } | undefined;
  readonly dir: string;
}

interface RunVariant {
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

interface CompletedRun {
  /** Absent when the process ended early. */
  readonly answer?: HarnessAnswer | undefined;
  readonly missing: Missing;
  readonly uses: readonly UndefinedUse[];
  readonly runs: number;
  readonly errors: readonly PluginFailure[];
}

/** The answer of a run, or how it ended without one, with its last step if that is known. */
interface RunEnd {
  readonly answer?: HarnessAnswer | undefined;
  readonly how: string;
  readonly trail?: ReturnType<typeof readTrail>;
}

/** Each run finds at least one more undefined name. A plugin that needs more runs needs a bootstrap. */
const MOST_RUNS = 30;

async function runUntilComplete(
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
    const { answer } = end;
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

async function runOnce(
  { files, plugins, folders, stubs, dir }: PluginJob,
  missing: Missing,
  { run, signal }: RunPluginsOptions,
  variant: RunVariant,
): Promise<RunEnd | undefined> {
  const [job, out] = [join(dir, "job.json"), join(dir, "answer.json")];
  await rm(out, { force: true });
  await writeFile(
    job,
    JSON.stringify({ files, plugins, stubs, missing, out, disabled: DISABLED_FUNCTIONS, ...variant }),
  );
  const harness = fileURLToPath(phpFile("stub/harness.php"));
  const seen = [dir, dirname(harness), ...folders];
  const how = await run({ harness, job, out, dir, folders: seen, signal });
  if (how === undefined) return undefined;
  const text = await findFileText(out);
  if (text === undefined) return { how, trail: readTrail(await findFileText(`${out}.trail`)) };
  return { answer: readHarnessAnswer(text), how: "It returned an answer that is not JSON." };
}

function describeDeath({ how, trail }: RunEnd, options: RunPluginsOptions): PluginFailure {
  const at = trail === undefined || trail.file === "" ? "" : ` ${describePlace(trail, options.nameOf)},`;
  const doing = trail === undefined ? "" : ` ${trail.during}`;
  return {
    plugin: trail?.plugin ?? "",
    error: new McpCodegenError("PHP_FAILED", `PHP failed${at}${doing}: ${how}`, { hint: HINTS.fatal }),
  };
}

function failed(error: RunError, options: RunPluginsOptions): McpCodegenError {
  const what = error.kind === "exit" ? "the plugin ends the process (exit or die)" : error.message;
  const isComposerMissing = /Failed opening required '[^']*[/\\]vendor[\w-]*[/\\]/.test(error.message);
  return new McpCodegenError(
    "PHP_FAILED",
    `${describePlace(error, options.nameOf)}, ${error.during}: ${what}.`,
    {
      hint: isComposerMissing ? 'Run "composer install".' : HINTS[error.kind],
    },
  );
}

const HINTS = {
  parse: "Fix the file.",
  thrown:
    "If it needs another plugin or a setting, load it with the php.bootstrap of this server, or set values in php.stubs.",
  fatal: "If it needs another plugin or a setting, load it with the php.bootstrap of this server.",
  exit: "Define what it checks before it exits in the php.bootstrap of this server.",
} as const satisfies Record<RunError["kind"], string>;

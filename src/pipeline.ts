/**
 * The main workflow: a source gives a snapshot; pull writes the lock; the lock gives the code; check compares all
 * three. Nothing here reads a flag or prints.
 */
import { join, resolve } from "node:path";
import type { CompleteConfig } from "./config/config.js";
import type { LoadedConfig } from "./config/load-config.js";
import type { Change } from "./contract/change.js";
import { WAIVERS_NAME, type Waiver } from "./contract/waivers.js";
import type { Diagnostic } from "./contract/diagnostic.js";
import { McpCodegenError } from "./contract/errors.js";
import { getOwn } from "./contract/json.js";
import { LOCKFILE_NAME, LOCKFILE_VERSION, type Lockfile } from "./contract/lockfile.js";
import type { CheckReport, GenerateReport, PullReport, ServerPlan, StaleFile } from "./pipeline/reports.js";
import { findLockfile, openLockfile, writeLockfile } from "./files/lockfile-on-disk.js";
import type { WriteFilesOptions } from "./files/write-files.js";
import { UNFINISHED_MARKER } from "./files/unfinished-marker.js";
import { readWaivers, writeWaivers } from "./files/waivers-on-disk.js";
import type { Accept } from "./pipeline/accept-findings.js";
import { compareFolder, type FolderComparison } from "./pipeline/compare-folder.js";
import type { Drift } from "./pipeline/find-drift.js";
import type { PhpUse } from "./pipeline/split-by-php.js";
import type { ConfirmRemoval } from "./pipeline/plan-removals.js";
import type { SnapshotServersOptions } from "./sources/snapshot-servers.js";
import type { Fidelity } from "./emit/measure-fidelity.js";

export { EMIT_REVISION } from "./emit/emit-revision.js";
export type { Accept, Acceptance } from "./pipeline/accept-findings.js";
export type { ConfirmRemoval } from "./pipeline/plan-removals.js";

export interface SourceOptions extends Omit<SnapshotServersOptions, "dir" | "confirm"> {
  /** Names of configured servers; all by default. Others throw `SERVER_UNKNOWN`. */
  readonly servers?: readonly string[];
}

export interface RenderOptions {
  /** Render every file, not only those whose inputs have changed. */
  readonly full?: boolean;
  /** The most worker threads; none by default. */
  readonly workers?: number;
  /** Called from time to time with the number of rendered files and the total. */
  readonly onRender?: (done: number, total: number) => void;
}

export interface WaiverOptions {
  /** The current date, as `2026-12-31`; without it, waivers with an expiry date have no effect. */
  readonly today?: string;
}

export interface GenerateOptions extends RenderOptions, WaiverOptions {
  /** Overwrite generated files that were edited by hand. */
  readonly force?: boolean;
}

export interface PullOptions extends SourceOptions, GenerateOptions {
  /** Returns the security findings to accept, which are written to the waivers. None by default. */
  readonly accept?: Accept;
  /** Report and write nothing. */
  readonly dryRun?: boolean;
  /** Report and write nothing; the caller treats pending writes as findings. */
  readonly frozen?: boolean;
  /** Read the PHP of servers instead of asking them; changed tools are marked as projected. */
  readonly php?: boolean;
  /** Confirms that servers which are no longer configured leave the lock with their files. Without it, none do. */
  readonly confirmRemoval?: ConfirmRemoval;
  /** Called with the plan before anything is written. */
  readonly onPlan?: (plan: readonly ServerPlan[]) => void | Promise<void>;
}

export interface CheckOptions extends SourceOptions, RenderOptions, WaiverOptions {
  /** Compare the lock with files only; no server is asked. */
  readonly offline?: boolean;
  /** Diagnose every tool, as `full` does; otherwise only tools whose files are not up to date. */
  readonly diagnosesAll?: boolean;
  /**
   * A git ref: the lock, or with `php` the abilities in PHP, is compared with the lock at that ref. No server is
   * asked.
   */
  readonly against?: string;
  /** An environment to ask instead of the servers' own settings; `all` asks every environment and those settings. */
  readonly environment?: string;
  /** Read the PHP of servers instead of asking them: `only` PHP, or ask servers without PHP. */
  readonly php?: PhpUse;
  /** Also run the plugins in the stub of WordPress, and report differences from the real one. */
  readonly compare?: boolean;
  /**
   * Find the code that the changes affect, in the project of this TypeScript configuration. A function is called only
   * if a change may affect code; unreadable code is then a problem in the report, not an error.
   */
  readonly tsconfig?: string | (() => Promise<string | undefined>);
}

/**
 * Returns the absolute paths of a configuration's lockfile and output folder; no output folder with `output: false`.
 */
export function placesOf(loaded: LoadedConfig): {
  readonly lock: string;
  readonly waivers: string;
  readonly output: string | undefined;
} {
  const { output } = loaded.config;
  return {
    lock: join(loaded.dir, LOCKFILE_NAME),
    waivers: join(loaded.dir, WAIVERS_NAME),
    output: output === false ? undefined : resolve(loaded.dir, output),
  };
}

/**
 * Returns the absolute path of the output folder. Throws `CONFIG_INVALID` if the configuration has `output: false`.
 */
export function outputOf(loaded: LoadedConfig): string {
  const { output } = placesOf(loaded);
  if (output !== undefined) return output;
  throw new McpCodegenError(
    "CONFIG_INVALID",
    "The configuration has output: false, which generates no code.",
    {
      hint: 'Set "output" to a folder, such as "generated".',
    },
  );
}

/**
 * Sources → lock → files. Some servers keep their block and their files: one that cannot be listed, which is reported
 * as unverified; one with a security finding that was not accepted; one that is no longer configured, until its
 * removal is confirmed. All checks that can refuse (colliding names, edited files) run before the lock is written.
 * Waivers and lock are written first, so that `generate` can always complete an interrupted write.
 */
export async function pull(loaded: LoadedConfig, options: PullOptions): Promise<PullReport> {
  const places = placesOf(loaded);
  const isDryRun = options.dryRun === true || options.frozen === true;
  if (!isDryRun) await sweep(places);
  const locked = await findLockfile(places.lock);
  const before = locked ?? { lockfileVersion: LOCKFILE_VERSION, servers: {} };
  const waivers = await readWaivers(places.waivers);
  const [{ takeSources }, { applySteps, planServers }, removals, { acceptFindings }] = await Promise.all([
    import("./pipeline/take-sources.js"),
    import("./pipeline/plan-servers.js"),
    import("./pipeline/plan-removals.js"),
    import("./pipeline/accept-findings.js"),
  ]);
  const { outcomes, unverified, php } = await takeSources(loaded, before, options);
  const read = php === undefined ? {} : { php };
  const isWhole = options.servers === undefined && options.php !== true;
  const planned = await removals.describeRemovals(
    before,
    planServers(loaded.config, before, outcomes, { isWhole }),
    places.output,
  );
  await options.onPlan?.(planned.map((step) => step.plan));
  const accepted = await acceptFindings(before, planned, { ...options, waivers });
  const confirm = isDryRun ? () => true : (options.confirmRemoval ?? (() => false));
  const steps = await removals.settleRemovals(before, accepted.steps, confirm);
  const plan = steps.map((step) => step.plan);

  const after = applySteps(before, steps);
  const compared = await compareFolder({ lock: () => after }, loaded.config, places.output, {
    ...options,
    waivers: accepted.waivers,
  });
  const folder = { ...compared, diagnostics: withoutKnown(compared.diagnostics, plan) };
  const { stale, edited, diagnostics } = folder;
  if (isDryRun) {
    return { servers: plan, wrote: false, stale, edited, diagnostics, unverified, ...read };
  }
  const isChanged = plan.some(
    ({ status }) => status === "new" || status === "changed" || status === "removed",
  );
  const counted = await (await import("./pipeline/count-tokens.js")).countTokens(after);
  // Without servers the lock is empty, but check and generate still read it.
  const isFirst = locked === undefined && Object.keys(loaded.config.servers).length === 0;
  const isLockNew = isChanged || isFirst || counted !== after;
  const { files: written } = await writeFolder(folder, places.output, {
    ...options,
    ...((isLockNew || accepted.waivers !== waivers) && {
      beforeWriting: async () => {
        if (accepted.waivers !== waivers) await writeWaivers(places.waivers, accepted.waivers);
        if (isLockNew) await writeLockfile(places.lock, counted);
      },
    }),
  });
  return {
    servers: plan,
    wrote: true,
    ...(places.output !== undefined && { files: written }),
    stale: [],
    edited,
    diagnostics: [],
    unverified,
    ...read,
  };
}

/**
 * Returns what `pull` would lock of these servers without an existing lock, with the findings that it would hold
 * back. Reads no lock and no output folder, and writes nothing.
 */
export async function look(
  loaded: LoadedConfig,
  options: SourceOptions & WaiverOptions,
): Promise<PullReport> {
  const nothing: Lockfile = { lockfileVersion: LOCKFILE_VERSION, servers: {} };
  const [{ takeSources }, { planServers }, { acceptFindings }] = await Promise.all([
    import("./pipeline/take-sources.js"),
    import("./pipeline/plan-servers.js"),
    import("./pipeline/accept-findings.js"),
  ]);
  const { outcomes, unverified } = await takeSources(loaded, nothing, options);
  const planned = planServers(loaded.config, nothing, outcomes, { isWhole: false });
  const { steps } = await acceptFindings(nothing, planned, { ...options, waivers: [] });
  const servers = steps.map(({ plan }) => plan);
  return { servers, wrote: false, stale: [], edited: [], diagnostics: [], unverified };
}

/**
 * Lock → files, offline. Throws before anything is written: `LOCK_NOT_FOUND`, `NAME_COLLISION`, `FILE_EDITED` for a
 * file that was not generated, `FINDING_UNACCEPTED` for a lock with unaccepted findings, and `CONFIG_INVALID` with
 * `output: false`. Files edited by hand are kept: all others are written, then `FILE_EDITED` names them.
 */
export async function generate(loaded: LoadedConfig, options: GenerateOptions = {}): Promise<GenerateReport> {
  const places = { ...placesOf(loaded), output: outputOf(loaded) };
  await sweep(places);
  const source = await openLockfile(places.lock);
  const waivers = await readWaivers(places.waivers);
  const folder = await compareFolder(source, loaded.config, places.output, { ...options, waivers });
  if (folder.files.length > 0) {
    const { refuseUnaccepted } = await import("./pipeline/waive-findings.js");
    // Tools whose files are up to date were scanned when the files were rendered.
    refuseUnaccepted(source.lock(), folder.renderedTools, {
      waivers,
      today: options.today,
    });
  }
  const { files, refuse } = await writeFolder(folder, places.output, { ...options, keepEdited: true });
  refuse?.();
  return files;
}

/**
 * Sources against lock, or lock or PHP against the lock at a git ref; lock against files. Returns findings and writes
 * nothing. Throws `LOCK_NOT_FOUND`.
 */
export async function check(loaded: LoadedConfig, options: CheckOptions): Promise<CheckReport> {
  const places = placesOf(loaded);
  const source = await openLockfile(places.lock);
  const comparesLock = options.offline !== true || options.against !== undefined;
  // Problems of the lock are reported before any server is asked.
  const lock = (comparesLock ? undefined : source.outline()) ?? source.lock();
  const { checked, revise, ...found } = comparesLock
    ? await findChanges(loaded, source.lock(), options)
    : { changes: [], diagnostics: [], unverified: [], checked: { servers: [] }, revise: () => [] };
  const waivers = await readWaivers(places.waivers);
  const folder = await compareFolder(source, loaded.config, places.output, { ...options, waivers });
  const revisions = options.against === undefined ? revise : (): [] => [];
  const overBudget = await overBudgetOf(loaded, { outline: lock, read: source.lock }, revisions);
  const traced = await traceImpact(found.changes, { loaded, revise, ...options });
  // `generate` writes no file from unaccepted definitions, so definitions with current files need no scan.
  const isVouched =
    places.output !== undefined &&
    !comparesLock &&
    options.full !== true &&
    waivers.length === 0 &&
    folder.files.length === 0;
  return {
    ...found,
    ...traced,
    overBudget,
    ...(isVouched
      ? { changes: await findInIdentities(lock), waivers: [] }
      : await waive(source.lock(), traced.changes, { waivers, compared: checked.servers, ...options })),
    stale: [...findUnlocked(loaded, Object.keys(lock.servers)), ...staleFiles(folder)],
    edited: folder.edited,
    diagnostics: [...found.diagnostics, ...folder.diagnostics],
    checked: { ...checked, files: countFiles(folder) },
    ...(options.against !== undefined && { against: options.against }),
  };
}

/** Returns how exactly the schemas of each locked server are represented. Writes no file and asks no server. */
export async function measureFidelity(
  lock: Lockfile,
  config?: CompleteConfig,
): Promise<ReadonlyMap<string, Fidelity>> {
  const measure = (await import("./emit/measure-fidelity.js")).measureFidelity;
  const measured = Object.entries(lock.servers).map(
    ([name, server]) => [name, measure(name, server, getOwn(config?.servers ?? {}, name))] as const,
  );
  return new Map(measured);
}

/**
 * Finds changes between servers or PHP and the lock, or with a git ref between lock or PHP and the lock at that ref.
 */
async function findChanges(loaded: LoadedConfig, lock: Lockfile, options: CheckOptions): Promise<Drift> {
  const { against, servers, php } = options;
  if (against !== undefined && php === undefined) {
    const { findChangesSince } = await import("./pipeline/find-changes-since.js");
    return findChangesSince(loaded, lock, { against, servers });
  }
  const { findDrift } = await import("./pipeline/find-drift.js");
  if (against === undefined) return findDrift(loaded, lock, options);
  const { openLockAt } = await import("./sources/open-operand.js");
  const before = (await openLockAt(loaded.dir, against)) ?? {
    lockfileVersion: LOCKFILE_VERSION,
    servers: {},
  };
  return findDrift(loaded, before, options);
}

/** Loaded only if a server has a budget. */
async function overBudgetOf(
  { config }: LoadedConfig,
  lock: { readonly outline: Lockfile<unknown>; readonly read: () => Lockfile },
  revise: Drift["revise"],
): Promise<CheckReport["overBudget"]> {
  const budgets = [config, ...Object.values(config.servers)].map(({ check: limits }) => limits?.tokenBudget);
  if (budgets.every((budget) => budget === undefined)) return [];
  return (await import("./pipeline/find-over-budget.js")).findOverBudget(config, lock, revise());
}

/** Most servers have no metadata that could contain an instruction. */
async function findInIdentities(lock: Lockfile<unknown>): Promise<readonly Change[]> {
  if (Object.values(lock.servers).every(({ identity }) => identity.instructions === undefined)) return [];
  return (await import("./pipeline/waive-findings.js")).findInIdentities(lock);
}

async function waive(
  lock: Lockfile,
  changes: readonly Change[],
  options: WaiverOptions & { readonly waivers: readonly Waiver[]; readonly compared: readonly string[] },
): Promise<Pick<CheckReport, "changes" | "waivers">> {
  return (await import("./pipeline/waive-findings.js")).waiveFindings(lock, changes, options);
}

/** Finds the user's code that changes affect. Loads nothing without changes, unless call sites were requested. */
async function traceImpact(
  changes: readonly Change[],
  {
    loaded,
    revise,
    tsconfig,
    workers,
  }: CheckOptions & Pick<Drift, "revise"> & { readonly loaded: LoadedConfig },
): Promise<Pick<CheckReport, "changes" | "impact">> {
  const { output } = placesOf(loaded);
  if (output === undefined || tsconfig === undefined) return { changes };
  if (typeof tsconfig === "function" && changes.length === 0) return { changes };
  const { findCallSites } = await import("./pipeline/find-call-sites.js");
  return findCallSites(changes, revise(), { loaded, output, tsconfig, workers });
}

interface FolderWrite {
  readonly files: GenerateReport;
  /** Throws `FILE_EDITED` for files that were edited by hand and kept; absent if there are no such files. */
  readonly refuse?: () => void;
}

async function writeFolder(
  folder: FolderComparison,
  dir: string | undefined,
  options: Omit<WriteFilesOptions, "keep">,
): Promise<FolderWrite> {
  const { current, diagnostics } = folder;
  const isCurrent = folder.files.length === 0 && folder.stale.length === 0 && !folder.isCutOff;
  const { force, keepEdited, beforeWriting } = options;
  if (dir === undefined) await beforeWriting?.();
  if (dir === undefined || (isCurrent && beforeWriting === undefined)) {
    return { files: { written: [], removed: [], unchanged: current.length, diagnostics } };
  }
  const { refuseEdited, writeFiles } = await import("./files/write-files.js");
  const result = await writeFiles(dir, folder.files, {
    keep: current,
    ...(force !== undefined && { force }),
    ...(keepEdited !== undefined && { keepEdited }),
    ...(beforeWriting !== undefined && { beforeWriting }),
  });
  const { written, removed, edited } = result;
  return {
    files: { written, removed, unchanged: current.length, diagnostics },
    ...(edited.length > 0 && {
      refuse: () => {
        refuseEdited(edited, result);
      },
    }),
  };
}

/** Removes temporary files of killed runs. */
async function sweep({ lock, waivers, output }: ReturnType<typeof placesOf>): Promise<void> {
  const { sweepLeftovers } = await import("./files/sweep-leftovers.js");
  await sweepLeftovers([lock, waivers], output);
}

/** Counts the compared generated files: up to date, missing, different or orphaned. */
function countFiles({ current, files, stale }: FolderComparison): number {
  return current.length + files.length + stale.filter(({ state }) => state === "orphaned").length;
}

/** After an interrupted write, one sentence is more useful than the list of remaining files. */
function staleFiles({ stale, isCutOff }: FolderComparison): readonly StaleFile[] {
  if (!isCutOff) return stale;
  const reason = 'A write was cut off; run "npx mcp-codegen generate".';
  return [
    { path: UNFINISHED_MARKER, state: "cut-off", reason },
    ...stale.filter(({ state }) => state === "in-the-way"),
  ];
}

/** Omits diagnostics that the plan has already: a tool left out of the list gets no file either. */
function withoutKnown(
  diagnostics: readonly Diagnostic[],
  plan: readonly ServerPlan[],
): readonly Diagnostic[] {
  const keyOf = ({ code, server, tool }: Diagnostic): string => JSON.stringify([code, server, tool]);
  const known = new Set(plan.flatMap((server) => server.diagnostics.map(keyOf)));
  return diagnostics.filter((diagnostic) => !known.has(keyOf(diagnostic)));
}

/** Servers that are only in the lock or only in the configuration: the lock is out of date. */
function findUnlocked(loaded: LoadedConfig, locked: readonly string[]): readonly StaleFile[] {
  const unlocked = Object.keys(loaded.config.servers).filter((name) => !locked.includes(name));
  const unconfigured = locked.filter((name) => !Object.hasOwn(loaded.config.servers, name));
  const describe = (reason: string): StaleFile => ({ path: LOCKFILE_NAME, state: "stale", reason });
  return [
    ...unlocked.map((name) => describe(`Server "${name}" is configured but not locked.`)),
    ...unconfigured.map((name) => describe(`Server "${name}" is locked but no longer configured.`)),
  ];
}

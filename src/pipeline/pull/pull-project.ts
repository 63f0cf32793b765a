import type { ImpactSummary } from "../../core/change.js";
import type { Diagnostic } from "../../core/diagnostic.js";
import { EMPTY_LOCK, type Lockfile } from "../../core/lockfile.js";
import type { SnapshotHooks } from "../../sources/snapshot-servers.js";
import type { Project } from "../../project/project.js";
import { findCallSites } from "../check/find-call-sites.js";
import { findSuspicious } from "../check/find-suspicious.js";
import { countTokens } from "../count-tokens.js";
import { compareFolder, writeFolder } from "../generate/compare-folder.js";
import { readContractBases } from "../generate/contract-bases.js";
import type { GenerateOptions } from "../generate/generate.js";
import type { FindTsconfig, ReadServersOptions } from "../options.js";
import { findUnverified, takeSnapshots } from "../take-snapshots.js";
import { applySteps, isUnchanged, planServers, type ServerStep, takeTools } from "./plan-servers.js";
import type { PullReport, ServerPlan } from "./pull-report.js";
import {
  type Accept,
  acceptFindings,
  type ConfirmRemoval,
  describeRemovals,
  settleRemovals,
} from "./settle-plan.js";

export interface PullOptions extends SnapshotHooks, GenerateOptions {
  /** Names of configured servers; all by default. */
  readonly servers?: readonly string[] | undefined;
  /** Returns the security findings to accept, which are written to the waivers. None by default. */
  readonly accept?: Accept | undefined;
  /** Report and write nothing. */
  readonly dryRun?: boolean | undefined;
  /** Finds the TypeScript project whose code the changes may affect, which the plan then says. */
  readonly tsconfig?: FindTsconfig | undefined;
  /** Report and write nothing; the caller treats pending writes as findings. */
  readonly frozen?: boolean | undefined;
  /** Patterns for names: only these tools are taken, and all else stays as it is locked. */
  readonly tools?: readonly string[] | undefined;
  /** Read the PHP of servers instead of asking them; changed tools are marked as projected. */
  readonly php?: boolean | undefined;
  /** Confirms that servers which are no longer configured leave the lock with their files. Without it, none do. */
  readonly confirmRemoval?: ConfirmRemoval | undefined;
  /** Called with the plan before anything is written. */
  readonly onPlan?: ((plan: Pick<PullReport, "servers" | "impact">) => void | Promise<void>) | undefined;
}

/**
 * Sources → lock → files. A server keeps its block and its files if it cannot be listed, if it has a security finding that
 * was not accepted, or if it is no longer configured and its removal is not confirmed. All checks that can refuse (colliding
 * names, edited files) run before the lock is written. Waivers and lock are written first, so that `generate` can always
 * complete an interrupted write.
 */
export async function pullProject(project: Project, options: PullOptions): Promise<PullReport> {
  const { config, dir } = project;
  const { output } = project.paths;
  const { today } = project.run;
  const isDryRun = options.dryRun === true || options.frozen === true;
  if (!isDryRun) await project.sweep();
  const locked = await project.findLock();
  const before = locked ?? EMPTY_LOCK;
  const waivers = await project.waivers();
  const php = options.php === true ? "only" : undefined;
  const snapshots = await takeSnapshots(project, before, { ...options, php, addsPhpFiles: true });
  const { outcomes } = snapshots;
  const outputOf = await project.outputs();
  const bases = await readContractBases(dir);
  const isWhole = options.servers === undefined && options.php !== true && options.tools === undefined;
  const all = planServers(config, before, outcomes, { isWhole, outputOf, bases });
  const requested = options.tools === undefined ? all : takeTools(all, options.tools);
  const described: ServerStep[] = [];
  for (const step of await describeRemovals(before, requested, output)) {
    const changes = (await snapshots.php?.locate(step.plan.changes)) ?? step.plan.changes;
    described.push({ ...step, plan: { ...step.plan, changes } });
  }
  const { steps: planned, impact } = await findHits(project, before, described, options);
  await options.onPlan?.({ servers: planned.map((step) => step.plan), impact });
  const accepted = await acceptFindings(before, planned, {
    accept: options.accept,
    today,
    waivers,
    findSuspicious: locked && (async () => findSuspicious(project, await project.lock(), options.trusts)),
  });
  const confirm = isDryRun ? () => true : (options.confirmRemoval ?? (() => false));
  const steps = await settleRemovals(before, accepted.steps, confirm);
  const plan = steps.map((step) => step.plan);

  const after = applySteps(before, steps);
  const keeps = plan
    .filter(({ status }) => status === "failed" || status === "held" || status === "leftover")
    .map(({ server }) => server);
  // The cache may know the files of the lock on disk.
  const isOnDisk = locked !== undefined && keeps.length === 0 && isUnchanged(before, steps);
  const compared = await compareFolder(project, { ...options, lock: isOnDisk ? undefined : after, keeps });
  const folder = { ...compared, diagnostics: withoutKnown(compared.diagnostics, plan) };
  const { stale, edited, diagnostics } = folder;
  const reasons = { impact, unverified: findUnverified(snapshots), php: snapshots.php?.notes };
  if (isDryRun) return { servers: plan, wrote: false, stale, edited, diagnostics, ...reasons };
  const isChanged = plan.some(
    ({ status }) => status === "new" || status === "changed" || status === "removed",
  );
  const counted = await countTokens(after);
  // Without servers the lock is empty, but check and generate still read it.
  const isFirst = locked === undefined && Object.keys(config.servers).length === 0;
  const isLockNew = isChanged || isFirst || counted !== after;
  const areWaiversNew = accepted.waivers !== waivers;
  // Without a lock, files would belong to no tools: every server failed, or is held back.
  if (locked === undefined && !isLockNew && !areWaiversNew)
    return { servers: plan, wrote: false, stale: [], edited: [], diagnostics, ...reasons };
  const writeRecords = async (): Promise<void> => {
    if (areWaiversNew) await project.writeWaivers(accepted.waivers);
    if (isLockNew) await project.writeLock(counted);
  };
  const beforeWriting = isLockNew || areWaiversNew ? writeRecords : undefined;
  const written = await writeFolder(folder, output, { ...options, beforeWriting });
  const files = output === undefined ? undefined : written;
  return { servers: plan, wrote: true, files, stale: [], edited, diagnostics: [], ...reasons };
}

/** Finds the lines of the user's code that a plan affects, and adds them to its changes. */
async function findHits(
  project: Project,
  before: Lockfile,
  steps: readonly ServerStep[],
  { tsconfig, onProgress }: PullOptions,
): Promise<{ readonly steps: readonly ServerStep[]; readonly impact?: ImpactSummary | undefined }> {
  const all = steps.flatMap(({ plan }) => (plan.status === "changed" ? plan.changes : []));
  if (tsconfig === undefined || all.length === 0) return { steps };
  onProgress?.({ server: "", stage: "searching" });
  const revision = { before, after: applySteps(before, steps) };
  const { changes, impact } = await findCallSites(all, [revision], project, tsconfig);
  const traced = ({ plan, ...step }: ServerStep): ServerStep => ({
    ...step,
    plan: { ...plan, changes: changes.filter(({ server }) => server === plan.server) },
  });
  return { steps: steps.map((step) => (step.plan.status === "changed" ? traced(step) : step)), impact };
}

/**
 * Plans a `pull` of these servers without an existing lock, with the findings that would hold tools back. Reads no lock and
 * no output folder, and writes nothing.
 */
export async function look(project: Project, options: ReadServersOptions): Promise<PullReport> {
  const snapshots = await takeSnapshots(project, EMPTY_LOCK, {
    ...options,
    php: undefined,
    addsPhpFiles: true,
  });
  const planned = planServers(project.config, EMPTY_LOCK, snapshots.outcomes, { isWhole: false });
  const { steps } = await acceptFindings(EMPTY_LOCK, planned, { today: project.run.today, waivers: [] });
  const servers = steps.map(({ plan }) => plan);
  const unverified = findUnverified(snapshots);
  return { servers, wrote: false, stale: [], edited: [], diagnostics: [], unverified };
}

/** Omits diagnostics that the plan has already: a tool left out of the list gets no file either. */
function withoutKnown(
  diagnostics: readonly Diagnostic[],
  plan: readonly ServerPlan[],
): readonly Diagnostic[] {
  const keyOf = ({ code, server, tool }: Diagnostic): string => JSON.stringify([code, server, tool]);
  const keys = new Set(plan.flatMap((server) => server.diagnostics.map(keyOf)));
  return diagnostics.filter((diagnostic) => !keys.has(keyOf(diagnostic)));
}

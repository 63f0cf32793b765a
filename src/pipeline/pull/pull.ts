import type { LoadedConfig } from "../../config/load-config.js";
import type { Diagnostic } from "../../core/diagnostic.js";
import { LOCKFILE_VERSION, type Lockfile } from "../../core/lockfile.js";
import { findLockfile, writeLockfile } from "../../files/lockfile-on-disk.js";
import { readWaivers, writeWaivers } from "../../files/project-records.js";
import type { SnapshotContext } from "../../sources/snapshot-servers.js";
import { findOutputs } from "../../project/find-outputs.js";
import { compareFolder, writeFolder } from "../generate/compare-folder.js";
import type { GenerateOptions } from "../generate/generate.js";
import { placesOf, sweep } from "../places.js";
import type { PullReport, ServerPlan } from "./pull-report.js";
import type { ReadServersOptions, WaiverOptions } from "../options.js";
import type { Accept, ConfirmRemoval } from "./settle-plan.js";

export interface PullOptions extends SnapshotContext, GenerateOptions {
  /** Names of configured servers; all by default. */
  readonly servers?: readonly string[] | undefined;
  /** Returns the security findings to accept, which are written to the waivers. None by default. */
  readonly accept?: Accept | undefined;
  /** Report and write nothing. */
  readonly dryRun?: boolean | undefined;
  /** Report and write nothing; the caller treats pending writes as findings. */
  readonly frozen?: boolean | undefined;
  /** Patterns for names: only these tools are taken, and all else stays as it is locked. */
  readonly tools?: readonly string[] | undefined;
  /** Read the PHP of servers instead of asking them; changed tools are marked as projected. */
  readonly php?: boolean | undefined;
  /** Confirms that servers which are no longer configured leave the lock with their files. Without it, none do. */
  readonly confirmRemoval?: ConfirmRemoval | undefined;
  /** Called with the plan before anything is written. */
  readonly onPlan?: ((plan: readonly ServerPlan[]) => void | Promise<void>) | undefined;
}

/**
 * Sources → lock → files. A server keeps its block and its files if it cannot be listed, if it has a security finding that
 * was not accepted, or if it is no longer configured and its removal is not confirmed. All checks that can refuse (colliding
 * names, edited files) run before the lock is written. Waivers and lock are written first, so that `generate` can always
 * complete an interrupted write.
 */
export async function pull(loaded: LoadedConfig, options: PullOptions): Promise<PullReport> {
  const places = placesOf(loaded);
  const isDryRun = options.dryRun === true || options.frozen === true;
  if (!isDryRun) await sweep(places);
  const locked = await findLockfile(places.lock);
  const before = locked ?? { lockfileVersion: LOCKFILE_VERSION, servers: {} };
  const waivers = await readWaivers(places.waivers);
  const [
    { findUnverified, takeSnapshots },
    { readContractBases },
    { applySteps, planServers, takeTools },
    settle,
  ] = await Promise.all([
    import("../take-snapshots.js"),
    import("../generate/contract-bases.js"),
    import("./plan-servers.js"),
    import("./settle-plan.js"),
  ]);
  const php = options.php === true ? "only" : undefined;
  const snapshots = await takeSnapshots(loaded, before, { ...options, php, addsPhpFiles: true });
  const { outcomes } = snapshots;
  const outputOf = await findOutputs(loaded);
  const bases = await readContractBases(loaded.dir);
  const isWhole = options.servers === undefined && options.php !== true && options.tools === undefined;
  const all = planServers(loaded.config, before, outcomes, { isWhole, outputOf, bases });
  const requested = options.tools === undefined ? all : takeTools(all, options.tools);
  const planned = await settle.describeRemovals(before, requested, places.output);
  await options.onPlan?.(planned.map((step) => step.plan));
  const { output } = places;
  const accepted = await settle.acceptFindings(before, planned, { ...options, waivers });
  const confirm = isDryRun ? () => true : (options.confirmRemoval ?? (() => false));
  const steps = await settle.settleRemovals(before, accepted.steps, confirm);
  const plan = steps.map((step) => step.plan);

  const after = applySteps(before, steps);
  const compared = await compareFolder({ lock: () => after }, loaded.config, places.output, {
    ...options,
    outputOf,
    keeps: plan.filter(({ status }) => status === "failed" || status === "held").map(({ server }) => server),
  });
  const folder = { ...compared, diagnostics: withoutKnown(compared.diagnostics, plan) };
  const { stale, edited, diagnostics } = folder;
  const reasons = { unverified: findUnverified(snapshots), php: snapshots.php?.notes };
  if (isDryRun) return { servers: plan, wrote: false, stale, edited, diagnostics, ...reasons };
  const isChanged = plan.some(
    ({ status }) => status === "new" || status === "changed" || status === "removed",
  );
  const counted = await (await import("../count-tokens.js")).countTokens(after);
  // Without servers the lock is empty, but check and generate still read it.
  const isFirst = locked === undefined && Object.keys(loaded.config.servers).length === 0;
  const isLockNew = isChanged || isFirst || counted !== after;
  const areWaiversNew = accepted.waivers !== waivers;
  // Without a lock, files would belong to no tools: every server failed, or is held back.
  if (locked === undefined && !isLockNew && !areWaiversNew)
    return { servers: plan, wrote: false, stale: [], edited: [], diagnostics, ...reasons };
  const writeRecords = async (): Promise<void> => {
    if (areWaiversNew) await writeWaivers(places.waivers, accepted.waivers);
    if (isLockNew) await writeLockfile(places.lock, counted);
  };
  const beforeWriting = isLockNew || areWaiversNew ? writeRecords : undefined;
  const written = await writeFolder(folder, output, { ...options, beforeWriting });
  const files = output === undefined ? undefined : written;
  return { servers: plan, wrote: true, files, stale: [], edited, diagnostics: [], ...reasons };
}

/**
 * Plans a `pull` of these servers without an existing lock, with the findings that would hold tools back. Reads no lock and
 * no output folder, and writes nothing.
 */
export async function look(
  loaded: LoadedConfig,
  options: ReadServersOptions & WaiverOptions,
): Promise<PullReport> {
  const nothing: Lockfile = { lockfileVersion: LOCKFILE_VERSION, servers: {} };
  const [{ findUnverified, takeSnapshots }, { planServers }, { acceptFindings }] = await Promise.all([
    import("../take-snapshots.js"),
    import("./plan-servers.js"),
    import("./settle-plan.js"),
  ]);
  const snapshots = await takeSnapshots(loaded, nothing, { ...options, php: undefined, addsPhpFiles: true });
  const planned = planServers(loaded.config, nothing, snapshots.outcomes, { isWhole: false });
  const { steps } = await acceptFindings(nothing, planned, { ...options, waivers: [] });
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

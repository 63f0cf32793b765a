import { getServer } from "../../config/config.js";
import type { LoadedConfig } from "../../config/load-config.js";
import type { Change } from "../../core/change.js";
import { currentTool } from "../../core/changed-names.js";
import { findingOfNote, findingOfPhp, NO_FINDINGS } from "../../core/findings.js";
import { getOwn } from "../../core/json.js";
import { LOCKFILE_VERSION, type Lockfile } from "../../core/lockfile.js";
import type { ToolSnapshot } from "../../core/snapshot.js";
import { openLockfile } from "../../files/lockfile-on-disk.js";
import { readWaivers } from "../../files/project-records.js";
import { findOutputs } from "../../project/find-outputs.js";
import { compareFolder, lockFactsOf } from "../generate/compare-folder.js";
import { placesOf } from "../places.js";
import type { CheckOptions } from "../options.js";
import type { CheckReport, DefinitionsOf } from "./check-report.js";
import type { Drift } from "./find-drift.js";
import * as passes from "./passes.js";

/** Each adds its part to the report of those before it, and loads its modules only if it has something to look at. */
const PASSES: readonly passes.Pass[] = [
  passes.lockPass,
  passes.folderPass,
  passes.cassettePass,
  passes.scriptPass,
  passes.budgetPass,
  passes.callSitePass,
  passes.agentFilePass,
  passes.hostPass,
  passes.waiverPass,
  passes.pinPass,
];

/**
 * Sources against lock, or lock or PHP against the lock at a git ref; lock against files. Returns findings and writes
 * nothing. Throws `LOCK_NOT_FOUND`, and `SERVER_UNKNOWN` for a server that is neither configured nor locked.
 */
export async function check(loaded: LoadedConfig, options: CheckOptions): Promise<CheckReport> {
  const places = placesOf(loaded);
  const source = await openLockfile(places.lock);
  const comparesLock = options.offline !== true || options.against !== undefined;
  const drift = comparesLock ? await findChanges(loaded, source.lock(), options) : undefined;
  if (drift !== undefined) options.onCompared?.((change) => definitionsIn(drift, change));
  const waivers = await readWaivers(places.waivers);
  const outputOf = await findOutputs(loaded);
  const comparing = { ...options, waivers, outputOf };
  const folder = await compareFolder(source, loaded.config, places.output, comparing);
  const { lock, digest } = source;
  const facts = folder.lock ?? lockFactsOf(lock());
  if (!comparesLock) assertKnown(options.servers ?? [], loaded, facts.servers);
  const state = { loaded, options, facts, lock, digest, drift, waivers, outputOf, folder };
  let report: CheckReport = {
    ...NO_FINDINGS,
    changes: drift?.changes ?? [],
    notes: drift?.diagnostics.map(findingOfNote) ?? [],
    unverified: drift?.unverified ?? [],
    php: drift?.php?.map(findingOfPhp) ?? [],
    accepted: [],
    checked: { servers: [], ...drift?.checked, files: 0 },
    against: options.against,
  };
  for (const pass of PASSES) report = { ...report, ...(await pass(state, report)) };
  return report;
}

/** A locked server that is no longer configured has findings of its own. */
function assertKnown(wanted: readonly string[], { config }: LoadedConfig, locked: readonly string[]): void {
  for (const name of wanted) if (!locked.includes(name)) getServer(config.servers, name);
}

function definitionsIn({ revise }: Drift, change: Change): ReturnType<DefinitionsOf> {
  const { server, tool = "", environment } = change;
  const revision = revise().find((each) => each.environment === environment);
  const find = (lock: Lockfile | undefined, name: string): ToolSnapshot | undefined =>
    getOwn(getOwn(lock?.servers ?? {}, server)?.tools ?? {}, name)?.definition;
  return [find(revision?.before, tool), find(revision?.after, currentTool(change) ?? tool)];
}

/** Finds changes between servers or PHP and the lock, or with a git ref between lock or PHP and the lock at that ref. */
async function findChanges(loaded: LoadedConfig, lock: Lockfile, options: CheckOptions): Promise<Drift> {
  const { against, servers, php } = options;
  if (against !== undefined && php === undefined) {
    const { findChangesSince } = await import("../diff/diff.js");
    return findChangesSince(loaded, lock, { against, servers });
  }
  const { findDrift } = await import("./find-drift.js");
  if (against === undefined) return findDrift(loaded, lock, options);
  const { openLockAt } = await import("../../sources/open-operand.js");
  const empty: Lockfile = { lockfileVersion: LOCKFILE_VERSION, servers: {} };
  const configured = Object.entries(loaded.config.servers);
  const readers = configured.flatMap(([name, { php: source }]) => (source === undefined ? [] : [name]));
  const names = servers === undefined || servers.length === 0 ? readers : servers;
  const before = await openLockAt(loaded.dir, against, { names, signal: options.signal });
  return findDrift(loaded, before ?? empty, options);
}

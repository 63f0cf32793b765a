import { getServer } from "../../config/config.js";
import { findingOfNote, findingOfPhp, NO_FINDINGS } from "../../core/findings.js";
import type { Project } from "../../project/project.js";
import { compareFolder } from "../generate/compare-folder.js";
import type { CheckOptions } from "../options.js";
import type { CheckReport } from "./check-report.js";
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
export async function check(project: Project, options: CheckOptions): Promise<CheckReport> {
  const source = await project.lock();
  const comparesLock = options.offline !== true || options.against !== undefined;
  const { findChanges } = comparesLock ? await import("./find-changes.js") : {};
  const drift = await findChanges?.(project, source.lock(), options);
  const folder = await compareFolder(project, { ...options, isOnlyJudged: true });
  const { lock, digest } = source;
  const locked = folder.locked ?? Object.keys(lock().servers);
  // A locked server that is no longer configured has findings of its own.
  const unlocked = comparesLock ? [] : (options.servers ?? []).filter((name) => !locked.includes(name));
  for (const name of unlocked) getServer(project.config.servers, name);
  const state = { project, options, locked, lock, digest, drift, folder };
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

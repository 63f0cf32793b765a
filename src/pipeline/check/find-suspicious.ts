import type { Change } from "../../core/change.js";
import type { Lockfile } from "../../core/lockfile.js";
import { INJECTION_PATTERNS } from "../../drift/security/injection-patterns.js";
import { remember } from "../../files/cache.js";
import type { Project } from "../../project/project.js";
import type { FolderOptions } from "../options.js";

/** Loads what judges the tools of a lock, which an unchanged lock does not need. */
export const loadJudges = async () => import("./waive-findings.js");

interface ScannedLock {
  readonly lock: () => Lockfile;
  /** Identifies the lock; without it, nothing is remembered. */
  readonly digest?: (() => string) | undefined;
}

/** Returns the suspicious parts of a lock. A lock that an earlier run scanned is neither scanned nor parsed again. */
export async function findSuspicious(
  project: Project,
  { lock, digest }: ScannedLock,
  trusts: FolderOptions["trusts"],
): Promise<readonly Change[]> {
  return remember(
    digest === undefined || trusts === "nothing" ? undefined : project.cacheFolder(project.dir),
    `${project.dir}/texts`,
    [project.run.cache?.version, INJECTION_PATTERNS, digest?.()],
    async () => (await loadJudges()).scanLock(lock()),
  );
}

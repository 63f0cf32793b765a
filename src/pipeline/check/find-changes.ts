import { EMPTY_LOCK, type Lockfile } from "../../core/lockfile.js";
import type { Project } from "../../project/project.js";
import { openLockAt } from "../../sources/open-operand.js";
import { findChangesSince } from "../diff/diff.js";
import type { CheckOptions } from "../options.js";
import { type Drift, findDrift } from "./find-drift.js";

/** Finds changes between servers or PHP and the lock, or with a git ref between lock or PHP and the lock at that ref. */
export async function findChanges(project: Project, lock: Lockfile, options: CheckOptions): Promise<Drift> {
  const { against, servers, php } = options;
  if (against === undefined) return findDrift(project, lock, options);
  if (php === undefined) return findChangesSince(project, lock, { against, servers });
  const configured = Object.entries(project.config.servers);
  const readers = configured.flatMap(([name, { php: source }]) => (source === undefined ? [] : [name]));
  const names = servers === undefined || servers.length === 0 ? readers : servers;
  const { signal } = await project.access();
  const before = await openLockAt(project.dir, against, { names, signal });
  return findDrift(project, before ?? EMPTY_LOCK, options);
}

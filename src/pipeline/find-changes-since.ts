import type { LoadedConfig } from "../config/load-config.js";
import { FIRST_CONTRACT } from "../contract/contract-version.js";
import { lockServer } from "../contract/lock-server.js";
import { LOCKFILE_VERSION, type Lockfile } from "../contract/lockfile.js";
import { lockSide, openLockAt, type Side } from "../sources/open-side.js";
import { diffSides } from "./diff.js";
import type { Drift } from "./find-drift.js";

/**
 * What the lock says now against what it said at a git ref: the changes that a branch brings. Offline. Where the ref
 * has no lock yet, everything is new.
 *
 * @throws McpCodegenError `REF_UNKNOWN` and `GIT_FAILED`, `SERVER_UNKNOWN`, and what reading that lock throws
 */
export async function findChangesSince(
  loaded: LoadedConfig,
  lock: Lockfile,
  { against, servers }: { readonly against: string; readonly servers?: readonly string[] | undefined },
): Promise<Drift> {
  const before = (await openLockAt(loaded.dir, against)) ?? lockSide(against, { ...lock, servers: {} });
  const after = lockSide("the lock", lock);
  const { changes, compared } = diffSides(
    { before, after, unchanged: new Map() },
    { servers, config: loaded.config },
  );
  return {
    changes,
    diagnostics: [],
    unverified: [],
    checked: { servers: compared.servers },
    revise: () => [{ before: lockOf(before), after: lock }],
  };
}

/** A lock again, of what generated code shows: tools by name. */
function lockOf(side: Side): Lockfile {
  const servers = side.kind === "lock" ? Object.entries(side.servers) : [];
  const locked = servers.map(([name, snapshot]) => {
    const block = lockServer(snapshot, undefined, { contract: FIRST_CONTRACT, categoryOf: () => undefined });
    return [name, block] as const;
  });
  return { lockfileVersion: LOCKFILE_VERSION, servers: Object.fromEntries(locked) };
}

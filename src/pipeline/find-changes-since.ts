import type { LoadedConfig } from "../config/load-config.js";
import type { Lockfile } from "../contract/lockfile.js";
import { lockOperand, openLockAt } from "../sources/open-operand.js";
import { diffOperands } from "./diff.js";
import type { Drift } from "./find-drift.js";

/**
 * Compares the lock with the lock at a git ref: the changes of a branch. Offline. If the ref has no lock, everything
 * is new.
 *
 * @throws McpCodegenError `REF_UNKNOWN` and `GIT_FAILED`, `SERVER_UNKNOWN`, and errors from reading that lock
 */
export async function findChangesSince(
  loaded: LoadedConfig,
  lock: Lockfile,
  { against, servers }: { readonly against: string; readonly servers?: readonly string[] | undefined },
): Promise<Drift> {
  const before = (await openLockAt(loaded.dir, against)) ?? { ...lock, servers: {} };
  const { changes, compared } = diffOperands(
    { before: lockOperand(against, before), after: lockOperand("the lock", lock), unchanged: new Map() },
    { servers, config: loaded.config },
  );
  return {
    changes,
    diagnostics: [],
    unverified: [],
    checked: { servers: compared.servers },
    revise: () => [{ before, after: lock }],
  };
}

import type { LoadedConfig } from "../config/load-config.js";
import { getOwn } from "../contract/json.js";
import type { Lockfile } from "../contract/lockfile.js";
import type { PhpNotes, Unverified } from "../contract/reports.js";
import type { Outcome } from "../sources/snapshot-servers.js";
import { explainFailure, takeSnapshots, type TakeSnapshotsOptions } from "./take-snapshots.js";

export interface TakeSourcesOptions extends TakeSnapshotsOptions {
  /** Read the PHP of servers in place of asking them. */
  readonly php?: boolean;
}

export interface TakenSources {
  readonly outcomes: readonly Outcome[];
  readonly unverified: readonly Unverified[];
  /** What was read from PHP in place of servers. */
  readonly php?: readonly PhpNotes[];
}

/** What there is to lock: what servers say, with the PHP files that register their abilities, or what their PHP says. */
export async function takeSources(
  loaded: LoadedConfig,
  lock: Lockfile,
  { php = false, ...options }: TakeSourcesOptions,
): Promise<TakenSources> {
  if (php) {
    const { takePhpSnapshots } = await import("./take-php-snapshots.js");
    const { outcomes, unverified, notes } = await takePhpSnapshots(loaded, lock, options);
    return { outcomes, unverified: [...outcomes.flatMap(explainFailure), ...unverified], php: notes };
  }
  const taken = await takeSnapshots(loaded, lock, options);
  const hasPhp = taken.some(({ server }) => getOwn(loaded.config.servers, server)?.php !== undefined);
  const outcomes = hasPhp
    ? await (await import("./take-php-snapshots.js")).withPhpFiles(loaded, taken, options)
    : taken;
  return { outcomes, unverified: outcomes.flatMap(explainFailure) };
}

import type { LoadedConfig } from "../config/load-config.js";
import { getOwn } from "../contract/json.js";
import type { Lockfile } from "../contract/lockfile.js";
import type { Outcome } from "../sources/snapshot-servers.js";
import type { Unverified } from "../contract/diagnostic.js";
import type { PhpNotes } from "../sources/php/snapshot-of-php.js";
import { type ServerConfig, getServer } from "../config/config.js";
import { explainFailure, takeSnapshots, type TakeSnapshotsOptions } from "./take-snapshots.js";

interface TakeSourcesOptions extends TakeSnapshotsOptions {
  /** Read the PHP of servers instead of asking them. */
  readonly php?: boolean;
}

interface TakenSources {
  readonly outcomes: readonly Outcome[];
  readonly unverified: readonly Unverified[];
  /** PHP that was read instead of asking servers. */
  readonly php?: readonly PhpNotes[];
}

/** Returns the snapshots to lock: from servers, with the PHP files that register their abilities, or from PHP. */
export async function takeSources(
  loaded: LoadedConfig,
  lock: Lockfile,
  { php = false, ...options }: TakeSourcesOptions,
): Promise<TakenSources> {
  const { inPhp, live } = splitByPhp(loaded.config.servers, options.servers);
  if (!php && inPhp.length === 0) return listServers(loaded, lock, { ...options, servers: live });
  const { takePhpSnapshots } = await import("./take-php-snapshots.js");
  const { outcomes, unverified, notes } = await takePhpSnapshots(
    loaded,
    lock,
    php ? options : { ...options, servers: inPhp },
  );
  const read = { outcomes, unverified: [...outcomes.flatMap(explainFailure), ...unverified], php: notes };
  if (php || live.length === 0) return read;
  const listed = await listServers(loaded, lock, { ...options, servers: live });
  return {
    outcomes: [...read.outcomes, ...listed.outcomes],
    unverified: [...read.unverified, ...listed.unverified],
    php: notes,
  };
}

async function listServers(
  loaded: LoadedConfig,
  lock: Lockfile,
  options: TakeSnapshotsOptions,
): Promise<TakenSources> {
  const taken = await takeSnapshots(loaded, lock, options);
  const hasPhp = taken.some(({ server }) => getOwn(loaded.config.servers, server)?.php !== undefined);
  const outcomes = hasPhp
    ? await (await import("./take-php-snapshots.js")).withPhpFiles(loaded, taken, options)
    : taken;
  return { outcomes, unverified: outcomes.flatMap(explainFailure) };
}

export type PhpUse = "only" | "where-configured";

/** Names of servers by the source of their tools, each in the given order. */
interface PhpSplit {
  readonly inPhp: readonly string[];
  readonly live: readonly string[];
}

/**
 * Splits servers into those that are read from PHP and those that are contacted. A server with only `php` is always read.
 *
 * @param servers Default: all configured servers.
 * @throws McpCodegenError `SERVER_UNKNOWN` for a server that is not configured
 */
export function splitByPhp(
  configured: { readonly [name: string]: ServerConfig },
  servers: readonly string[] = Object.keys(configured),
  use?: "where-configured",
): PhpSplit {
  const isRead = (name: string): boolean => {
    const server = getServer(configured, name);
    return server.php !== undefined && (use !== undefined || !hasEndpoint(server));
  };
  return { inPhp: servers.filter(isRead), live: servers.filter((name) => !isRead(name)) };
}

/** Whether there is a server or a saved list besides the PHP. */
export function hasEndpoint({ url, command, file }: ServerConfig): boolean {
  return url !== undefined || command !== undefined || file !== undefined;
}

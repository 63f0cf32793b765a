import type { LoadedConfig } from "../config/load-config.js";
import { getOwn } from "../contract/json.js";
import type { LockedServer, Lockfile } from "../contract/lockfile.js";
import type { ToolState } from "./reports.js";
import { findDrift, type Drift, type FindDriftOptions, type Revision } from "./check/find-drift.js";
import type { Unverified } from "../contract/diagnostic.js";

/** A server's current tools, compared with the lock. */
export interface LiveServer {
  readonly server: string;
  /** Absent for the server's own settings. */
  readonly environment?: string;
  /**
   * The block that `pull` would lock, plus locked tools that the server no longer lists. The contract version is the
   * locked one.
   */
  readonly block: LockedServer;
  /** Undefined for a tool that has not changed. */
  readonly stateOf: (tool: string) => ToolState | undefined;
  /** Whether the lock has the server. */
  readonly isLocked: boolean;
}

/**
 * Lists the tools of servers and compares them with the lock as `check` does: a difference without a finding does not
 * count. Writes nothing. Servers that could not be listed are in `unverified`.
 *
 * @throws McpCodegenError as {@link findDrift}
 */
export async function listLive(
  loaded: LoadedConfig,
  lock: Lockfile,
  options: Omit<FindDriftOptions, "php">,
): Promise<{ readonly servers: readonly LiveServer[]; readonly unverified: readonly Unverified[] }> {
  const drift = await findDrift(loaded, lock, options);
  const servers = drift.revise().flatMap((revision) =>
    serversOf(drift, revision).flatMap((server) => {
      const after = getOwn(revision.after.servers, server);
      return after === undefined ? [] : [compare(drift, { ...revision, server, after })];
    }),
  );
  return { servers, unverified: drift.unverified };
}

/** The servers that were listed in a revision's environment. */
function serversOf({ checked, unverified }: Drift, { environment }: Revision): readonly string[] {
  const places = checked.environments?.filter((place) => place.environment === environment);
  const names = places?.map(({ server }) => server) ?? checked.servers;
  return names.filter(
    (name) => !unverified.some((failed) => failed.server === name && failed.environment === environment),
  );
}

function compare(
  { changes }: Drift,
  {
    server,
    environment,
    before,
    after,
  }: Omit<Revision, "after"> & { readonly server: string; readonly after: LockedServer },
): LiveServer {
  const locked = getOwn(before.servers, server);
  const changed = new Set(
    changes
      .filter((change) => change.server === server && change.environment === environment)
      .flatMap(({ tool }) => tool ?? []),
  );
  const stateOf = (tool: string): ToolState | undefined => {
    if (!Object.hasOwn(after.tools, tool)) return "gone";
    if (!Object.hasOwn(locked?.tools ?? {}, tool)) return "unlocked";
    return changed.has(tool) ? "different" : undefined;
  };
  return {
    server,
    ...(environment !== undefined && { environment }),
    block: {
      ...after,
      ...(locked !== undefined && { contract: locked.contract }),
      tools: { ...locked?.tools, ...after.tools },
    },
    stateOf,
    isLocked: locked !== undefined,
  };
}

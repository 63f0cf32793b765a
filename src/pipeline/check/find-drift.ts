import type { LoadedConfig } from "../../config/load-config.js";
import { PHP_ENVIRONMENT, type Change } from "../../contract/change.js";
import type { Diagnostic } from "../../contract/diagnostic.js";
import { McpCodegenError } from "../../contract/errors.js";
import { getOwn, mapEntries } from "../../contract/json.js";
import { DEFAULT_VIEW, viewOf } from "../../contract/views.js";
import type { LockedServer, Lockfile } from "../../contract/lockfile.js";
import type { CheckReport } from "../reports.js";
import { findLeftOut, isUnknownIdentity, type Listing } from "../../contract/snapshot.js";
import { diffLiveServer, diffServer, type DiffServerOptions } from "../../drift/diff-server.js";
import { indexLockedTools } from "../../drift/security/scan-lock.js";
import type { SnapshotRequest, Outcome } from "../../sources/snapshot-servers.js";
import { expectedOutputs, findOutputs } from "../find-outputs.js";
import { getServer } from "../../config/config.js";
import { hasEndpoint, splitByPhp, type PhpUse } from "../take-sources.js";
import { applySteps, planServers, withoutSecrets } from "../pull/plan-servers.js";
import type { PhpTaken } from "../take-php-snapshots.js";
import { explainFailure, takeSnapshots, type TakeSnapshotsOptions } from "../take-snapshots.js";

export interface Drift extends Pick<CheckReport, "changes" | "unverified" | "php"> {
  /** Listed tools that cannot be compared, since they cannot be locked. */
  readonly diagnostics: readonly Diagnostic[];
  readonly checked: Omit<CheckReport["checked"], "files">;
  /** The revisions before and after the changes: one, or one for each environment. */
  readonly revise: () => readonly Revision[];
  /** Returns a lock without the parts that repeat a secret of a listed server; absent if no server was listed. */
  readonly hideSecrets?: (lock: Lockfile) => Lockfile;
}

/** The lock before and after changes. */
export interface Revision {
  /** The environment of the changes; absent for the servers' own settings. */
  readonly environment?: string | undefined;
  readonly before: Lockfile;
  readonly after: Lockfile;
}

export interface FindDriftOptions extends TakeSnapshotsOptions {
  /**
   * Read PHP instead of asking servers: `only` PHP, or ask the servers without PHP. With an environment, `only` also
   * reads PHP.
   */
  readonly php?: PhpUse;
}

/** Compares servers with the lock: their own settings, one environment, all environments, or their PHP. */
export async function findDrift(
  loaded: LoadedConfig,
  lock: Lockfile,
  options: FindDriftOptions,
): Promise<Drift> {
  const [php, taken] = await take(loaded, lock, options);
  const outcomes = taken.map((outcome) => refuseOtherPrincipal(outcome, lock));
  const listed = outcomes.filter((outcome) => "snapshot" in outcome);
  const isLive = ({ environment }: SnapshotRequest): boolean =>
    options.environment !== undefined && environment !== PHP_ENVIRONMENT;
  const changes: Change[] = [];
  const outputOf = await findOutputs(loaded);
  for (const outcome of listed) {
    const written = getOwn(lock.servers, outcome.server);
    const locked = written && withoutSecrets(written, outcome);
    const found = diffOutcome(outcome, locked, {
      toolNames: indexLockedTools(lock),
      schemas: getOwn(loaded.config.servers, outcome.server),
      outputOf: outputOf && expectedOutputs(locked, outcome.server, outputOf),
    });
    // Not spread: a hostile schema has more changes than a call has arguments.
    for (const change of php === undefined || isLive(outcome) ? found : await php.locate(found))
      changes.push(change);
  }
  return {
    changes,
    diagnostics: listed.flatMap(({ snapshot }) => findLeftOut(snapshot)),
    unverified: [...outcomes.flatMap(explainFailure), ...(php?.unverified ?? [])],
    ...(php !== undefined && { php: php.notes }),
    revise: () => {
      const environments = [...new Set(listed.map(({ environment }) => environment))];
      return environments.map((environment) => {
        const those = listed.filter((outcome) => outcome.environment === environment);
        const steps = planServers(loaded.config, lock, those, { isWhole: false });
        return { environment, before: lock, after: applySteps(lock, steps) };
      });
    },
    hideSecrets: ({ servers, ...rest }) => ({
      ...rest,
      servers: mapEntries(servers, (block, name) =>
        listed
          .filter(({ server }) => server === name)
          .reduce((kept, outcome) => withoutSecrets(kept, outcome), block),
      ),
    }),
    checked: {
      servers: [...new Set(listed.map(({ server }) => server))],
      ...(options.environment !== undefined && {
        environments: taken.map(({ server, environment }) => ({
          server,
          ...(environment !== undefined && { environment }),
        })),
      }),
    },
  };
}

async function take(
  loaded: LoadedConfig,
  lock: Lockfile,
  { php, servers, ...options }: FindDriftOptions,
): Promise<readonly [PhpTaken | undefined, readonly Outcome[]]> {
  const live = (more: Pick<TakeSnapshotsOptions, "servers">): Promise<readonly Outcome[]> =>
    takeSnapshots(loaded, lock, { ...options, ...more });
  if (options.environment !== undefined) {
    if (php !== undefined) return takeBoth(loaded, lock, { ...options, servers });
    return [undefined, await live(servers === undefined ? {} : { servers })];
  }
  const split = php === "only" ? undefined : splitByPhp(loaded.config.servers, servers, php);
  if (split?.inPhp.length === 0) return [undefined, await live({ servers: split.live })];
  const { takePhpSnapshots } = await import("../take-php-snapshots.js");
  const taken = await takePhpSnapshots(loaded, lock, { ...options, servers: split?.inPhp ?? servers });
  if (split === undefined || split.live.length === 0) return [taken, taken.outcomes];
  return [taken, [...taken.outcomes, ...(await live({ servers: split.live }))]];
}

/** Reads PHP and the environments of servers with PHP: PHP is treated as another environment. */
async function takeBoth(
  loaded: LoadedConfig,
  lock: Lockfile,
  {
    servers,
    ...options
  }: Omit<FindDriftOptions, "php" | "servers"> & { readonly servers: readonly string[] | undefined },
): Promise<readonly [PhpTaken, readonly Outcome[]]> {
  const { takePhpSnapshots } = await import("../take-php-snapshots.js");
  const taken = await takePhpSnapshots(loaded, lock, { ...options, servers });
  const names = taken.outcomes.map(({ server }) => server);
  const conflicting = names.find((name) =>
    Object.hasOwn(getServer(loaded.config.servers, name).environments ?? {}, PHP_ENVIRONMENT),
  );
  if (conflicting !== undefined) {
    throw new McpCodegenError(
      "USAGE",
      `The environment "${PHP_ENVIRONMENT}" of "${conflicting}" has the name that is reserved for PHP.`,
      {
        hint: "Rename it, or run check --php without --env.",
      },
    );
  }
  const withEndpoint = names.filter((name) => hasEndpoint(getServer(loaded.config.servers, name)));
  const live = await takeSnapshots(loaded, lock, { ...options, servers: withEndpoint });
  const inPhp = taken.outcomes.map((outcome) => ({ ...outcome, environment: PHP_ENVIRONMENT }));
  return [taken, names.flatMap((name) => [...live, ...inPhp].filter(({ server }) => server === name))];
}

function diffOutcome(
  { server, environment, snapshot }: Extract<Outcome, { readonly snapshot: unknown }>,
  locked: LockedServer | undefined,
  options: DiffServerOptions,
): readonly Change[] {
  // Another environment may run other code with the same version.
  if (environment === undefined) return diffLiveServer(server, locked, snapshot, options);
  // An environment is listed with the server's own settings.
  const own = locked && viewOf(locked, DEFAULT_VIEW);
  return diffServer(server, own, snapshot, options).map((change) => ({ ...change, environment }));
}

/**
 * The tools of a server may depend on the account, and each variant has its own. Other environments have other
 * accounts, which the lock does not record; a saved list has no account.
 */
function refuseOtherPrincipal(outcome: Outcome, lock: Lockfile): Outcome {
  const locked = getOwn(lock.servers, outcome.server);
  if ("error" in outcome || outcome.environment !== undefined || locked === undefined) return outcome;
  const { server, snapshot } = outcome;
  const views: readonly (readonly [view: string, was: Listing | undefined, is: Listing])[] = [
    [DEFAULT_VIEW, locked.listing, snapshot.listing],
    ...Object.entries(snapshot.variants ?? {}).map(
      ([variant, is]) => [variant, getOwn(locked.variants ?? {}, variant), is] as const,
    ),
  ];
  for (const [view, was, is] of views) {
    // A variant that is not locked is a change, which is reported.
    if (was === undefined || was.principal === is.principal || is.principal === undefined) continue;
    // A lock from PHP or a saved list has no account.
    if (was.principal === undefined && isUnknownIdentity(locked.identity)) continue;
    const subject = view === DEFAULT_VIEW ? "The lock" : `Variant ${JSON.stringify(view)}: The lock`;
    const before = was.principal === undefined ? "without an account" : `as ${JSON.stringify(was.principal)}`;
    return {
      server,
      error: new McpCodegenError(
        "PRINCIPAL_MISMATCH",
        `${subject} was made ${before}, and this list as ${JSON.stringify(is.principal)}: tools may differ by account.`,
        {
          hint: `Use the account of the lock, or run "npx mcp-codegen pull ${server}" to lock with this one.`,
        },
      ),
    };
  }
  return outcome;
}

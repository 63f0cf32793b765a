import { isIncluded } from "../../config/match-tools.js";
import type { Finding, PhpNotes } from "../../core/finding.js";
import { PHP_ENVIRONMENT, type Change } from "../../core/change.js";
import type { Diagnostic } from "../../core/diagnostic.js";
import { findVagueSchemas } from "../../core/model-schema.js";
import { McpCodegenError } from "../../core/errors.js";
import { getOwn, mapEntries } from "../../core/json.js";
import type { LockedServer, Lockfile } from "../../core/lockfile.js";
import { findLeftOut, isUnknownIdentity, type Listing, DEFAULT_VIEW } from "../../core/snapshot.js";
import { viewOf } from "../../core/lock-server.js";
import { diffLiveServer, diffServer, type DiffServerOptions } from "../../drift/diff-server.js";
import { indexLockedTools } from "../../drift/security/scan-lock.js";
import type { Outcome } from "../../sources/snapshot-servers.js";
import { expectedOutputs } from "../../project/find-outputs.js";
import type { Project } from "../../project/project.js";
import { applySteps, planServers, withoutSecrets } from "../pull/plan-servers.js";
import type { ComparedServers } from "./check-report.js";
import type { ReadServersOptions } from "../options.js";
import { findUnverified, takeSnapshots } from "../take-snapshots.js";

export interface Drift {
  readonly changes: readonly Change[];
  /** Listed tools that cannot be compared, since they cannot be locked. */
  readonly diagnostics: readonly Diagnostic[];
  readonly unverified: readonly Finding[];
  readonly php?: readonly PhpNotes[] | undefined;
  readonly checked: ComparedServers;
  /** The revisions before and after the changes: one, or one for each environment. */
  readonly revise: () => readonly LockRevision[];
  /** Returns a lock without the parts that repeat a secret of a listed server; absent if no server was listed. */
  readonly hideSecrets?: ((lock: Lockfile) => Lockfile) | undefined;
}

/** The lock before and after changes. */
export interface LockRevision {
  /** The environment of the changes; absent for the servers' own settings. */
  readonly environment?: string | undefined;
  readonly before: Lockfile;
  readonly after: Lockfile;
}

/** Comparing fewer is done at once. */
const MANY_TOOLS = 50;

/** Compares servers with the lock: their own settings, one environment, all environments, or their PHP. */
export async function findDrift(
  project: Project,
  lock: Lockfile,
  options: ReadServersOptions,
): Promise<Drift> {
  const { php, ...snapshots } = await takeSnapshots(project, lock, options);
  const outcomes = snapshots.outcomes.map((outcome) => refuseOtherPrincipal(outcome, lock));
  const listed = outcomes.filter((outcome) => "snapshot" in outcome);
  const isLive = ({ environment }: Outcome): boolean =>
    options.environment !== undefined && environment !== PHP_ENVIRONMENT;
  const changes: Change[] = [];
  const byOutcome = new Map<Outcome, readonly Change[]>();
  const outputOf = await project.outputs();
  const tools = listed.reduce((sum, { snapshot }) => sum + snapshot.tools.length, 0);
  if (tools >= MANY_TOOLS) options.onProgress?.({ server: "", stage: "comparing", tools });
  for (const outcome of listed) {
    const written = getOwn(lock.servers, outcome.server);
    const locked = written && withoutSecrets(written, outcome);
    const settings = getOwn(project.config.servers, outcome.server);
    const difference = diffOutcome(outcome, locked, {
      toolNames: indexLockedTools(lock),
      schemas: settings,
      isLeftOut: (tool) => settings !== undefined && !isIncluded(settings, tool),
      outputOf: outputOf && expectedOutputs(locked, outcome.server, outputOf),
    });
    if (outcome.environment === undefined) byOutcome.set(outcome, difference);
    // Not spread: a hostile schema has more changes than a call has arguments.
    for (const change of php === undefined || isLive(outcome) ? difference : await php.locate(difference))
      changes.push(change);
  }
  const revise = (): readonly LockRevision[] => {
    const environments = [...new Set(listed.map(({ environment }) => environment))];
    return environments.map((environment) => {
      const those = listed.filter((outcome) => outcome.environment === environment);
      const steps = planServers(project.config, lock, those, { isWhole: false, found: byOutcome });
      return { environment, before: lock, after: applySteps(lock, steps) };
    });
  };
  const emptied = listed
    .filter(({ environment, snapshot }) => environment === undefined && snapshot.tools.length === 0)
    .map(({ server }) => server)
    .filter((server) => Object.keys(getOwn(lock.servers, server)?.tools ?? {}).length > 0);
  let revisions: readonly LockRevision[] | undefined;
  return {
    changes,
    diagnostics: listed.flatMap(({ server, environment, snapshot }) => [
      // Another environment may have other tools.
      ...findLeftOut(snapshot).filter(({ code }) => code !== "POLICY_UNMATCHED" || environment === undefined),
      ...findVagueSchemas(server, snapshot.tools),
    ]),
    unverified: findUnverified({ outcomes, php }),
    php: php?.notes,
    revise: () => (revisions ??= revise()),
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
      emptied: emptied.length > 0 ? emptied : undefined,
      environments:
        options.environment === undefined
          ? undefined
          : outcomes.map(({ server, environment }) => ({ server, environment })),
    },
  };
}

function diffOutcome(
  { server, environment, snapshot }: Extract<Outcome, { readonly snapshot: unknown }>,
  locked: LockedServer | undefined,
  options: DiffServerOptions,
): readonly Change[] {
  // Another environment may run other code with the same version.
  if (environment === undefined) return diffLiveServer(server, locked, snapshot, options);
  // An environment is listed with the server's own settings.
  const view = locked && viewOf(locked, DEFAULT_VIEW);
  return diffServer(server, view, snapshot, options).map((change) => ({ ...change, environment }));
}

/**
 * The tools of a server may depend on the account, and each variant has its own. Other environments have other
 * accounts, which the lock does not record; a saved list has no account.
 */
function refuseOtherPrincipal(outcome: Outcome, lock: Lockfile): Outcome {
  const locked = getOwn(lock.servers, outcome.server);
  if ("error" in outcome || outcome.environment !== undefined || locked === undefined) return outcome;
  const { server, snapshot } = outcome;
  const lockedViews: { readonly [view: string]: Listing } = {
    ...locked.variants,
    [DEFAULT_VIEW]: locked.listing,
  };
  const views = [[DEFAULT_VIEW, snapshot.listing] as const, ...Object.entries(snapshot.variants ?? {})];
  for (const [view, { principal }] of views) {
    const listed = getOwn(lockedViews, view);
    // A variant that is not locked is a change, which is reported.
    if (listed === undefined || listed.principal === principal || principal === undefined) continue;
    // A lock from PHP or a saved list has no account.
    if (listed.principal === undefined && isUnknownIdentity(locked.identity)) continue;
    const subject = view === DEFAULT_VIEW ? "The lock" : `Variant ${JSON.stringify(view)}: The lock`;
    const before =
      listed.principal === undefined ? "without an account" : `as ${JSON.stringify(listed.principal)}`;
    const message = `${subject} was made ${before}, and this list as ${JSON.stringify(principal)}: tools may differ by account.`;
    const hint = `Use the account of the lock, or run "npx mcp-codegen pull ${server}" to lock with this one.`;
    return { server, error: new McpCodegenError("PRINCIPAL_MISMATCH", message, { hint }) };
  }
  return outcome;
}

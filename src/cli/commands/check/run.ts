import { resolve } from "node:path";
import { McpCodegenError } from "../../../core/errors.js";
import { HOST_IDS, type HostId } from "../../../core/hosts/host.js";
import type { ServerSnapshot } from "../../../core/snapshot.js";
import { check } from "../../../pipeline/check/check.js";
import type { Project } from "../../../project/project.js";
import type { CheckOptions } from "../../../pipeline/options.js";
import { type ReportDocument, rowDocuments } from "../../../report/documents.js";
import { contentOfCheck, exitCodeOfCheck } from "../../../report/report-content.js";
import { judgeChanges } from "../../../report/render-report.js";
import { orAll, type Runner, usageError } from "../../command-spec.js";
import { type Context, isCi } from "../../context.js";
import { type Reported, runWithReports } from "../../deliver-reports.js";
import { findTsconfig, findTsconfigAbove, loadProject } from "../../load-project.js";
import type { OptionValues } from "../../options.js";
import { requirePackage } from "../../packages.js";
import { showProgress } from "../../show-progress.js";
import { findUserCode, findWays } from "../../ways-out.js";
import { offerCore } from "../offer-core.js";
import type { CHECK_FLAGS } from "./spec.js";
import type { Waive } from "./waive.js";

/** Compares servers, lock and files. Returns 1 if they differ, 3 if something could not be verified. */
export const runCheck: Runner<typeof CHECK_FLAGS> = (context, named, options) =>
  runWithReports(context, options, async (diagnosesAll) => {
    const { until, reason, unwaive } = options;
    const hasWaivers = (options.waive ?? until ?? reason ?? unwaive) !== undefined;
    const { readWaive, removeWaivers } = hasWaivers ? await import("./waive.js") : {};
    const waive = readWaive?.(context, options, scopeOf(options).join(" "));
    const project = await loadProject(context);
    if (unwaive !== undefined) await removeWaivers?.(context, project, named, unwaive);
    // A waiver may name a server that is gone.
    const isConfigured = (server: string): boolean => Object.hasOwn(project.config.servers, server);
    const servers = unwaive === undefined ? named : named.filter(isConfigured);
    const { php = false, offline = false, against, env } = options;
    if (php || (!offline && against === undefined && env === undefined))
      await offerCore(context, project, { names: servers, readsAll: php });
    const shown = { ...options, waive, diagnosesAll, showsProgress: true };
    return { ...(await checkServers(context, project, servers, shown)), project };
  });

type CheckCommandOptions = OptionValues<typeof CHECK_FLAGS>;

interface CheckServersOptions extends Omit<CheckCommandOptions, "waive"> {
  /** Waives findings before the changes are judged. */
  readonly waive?: Waive | undefined;
  /** See `CheckOptions`. */
  readonly diagnosesAll: boolean;
  readonly showsProgress: boolean;
  readonly onSnapshot?: ((snapshot: ServerSnapshot) => void) | undefined;
}

/** Compares the named servers, or all, with the lock and the files, and judges the changes. */
export async function checkServers(
  context: Context,
  project: Project,
  servers: readonly string[],
  { waive, diagnosesAll, showsProgress, onSnapshot, ...options }: CheckServersOptions,
): Promise<Reported> {
  if (options.hosts !== undefined) assertNoHosts(servers, project, options.hosts);
  const isOffline = options.offline === true || options.against !== undefined;
  const tsconfig = findProjectOf(context, project, options);
  const progress = isOffline || !showsProgress ? undefined : await showProgress(context);
  const checked = await check(project, {
    offline: isOffline,
    trusts: trustsOf(context, options.full),
    diagnosesAll,
    onProgress: progress?.onProgress,
    onSnapshot,
    servers: orAll(servers),
    against: options.against,
    environment: options.env,
    php: phpModeOf(context, options, isOffline),
    tsconfig,
    hosts: readHosts(options.hosts),
    check: scopeOf(options).join(" "),
  }).finally(() => progress?.close());

  const report = { ...checked, ...(await waive?.(project, checked)) };
  const changes = judgeChanges(report.changes, project.config, options);
  const failOn = options.failOn ?? project.config.check?.failOn ?? "any";
  const ways = await findWays(context, project, changes, scopeOf(options), {
    isPullable: options.against === undefined && options.env === undefined,
    php: report.php.flatMap(({ server }) => server ?? []),
  });
  const content = contentOfCheck(report, { changes, failOn, isOffline, ways });
  const exitCode = exitCodeOfCheck(content, options);
  const { accepted, checked: scope, against, impact } = report;
  const document = (): ReportDocument => ({
    report: "check",
    exitCode,
    failOn: options.failOn,
    rows: rowDocuments(content),
    accepted,
    checked: scope,
    against,
    impact,
    environments: content.environments,
    repairs: content.repairs.map(({ command }) => command),
  });
  return { report: { kind: "check", content, document }, exitCode };
}

/** The options of a check that say what is compared. */
function scopeOf({ php, against, env }: CheckCommandOptions): readonly string[] {
  return [
    ...(php === true ? ["--php"] : []),
    ...(against === undefined ? [] : ["--against", against]),
    ...(env === undefined ? [] : ["--env", env]),
  ];
}

function readHosts(texts: readonly string[] | undefined): readonly HostId[] | undefined {
  return texts
    ?.flatMap((text) => text.split(","))
    .map((part) => {
      const name = part.trim();
      const host = HOST_IDS.find((id) => id === name);
      if (host !== undefined) return host;
      const problem = name === "" ? "a name is empty" : `unknown host ${JSON.stringify(name)}`;
      throw usageError(`--hosts: ${problem}.`, `Hosts: ${HOST_IDS.join(", ")}.`);
    });
}

/** Throws `SERVER_UNKNOWN` if a host was written where servers are named: after a space instead of a comma. */
function assertNoHosts(servers: readonly string[], { config }: Project, hosts: readonly string[]): void {
  const host = servers.find(
    (name) => !Object.hasOwn(config.servers, name) && HOST_IDS.some((id) => id === name),
  );
  if (host === undefined) return;
  throw new McpCodegenError("SERVER_UNKNOWN", `The configuration has no server "${host}".`, {
    hint: `It is a host. Separate several hosts by commas: --hosts ${[...hosts, host].join(",")}.`,
  });
}

/** Returns how to use PHP. In CI, servers with PHP are read from PHP by default, which needs no server. */
function phpModeOf(
  { io }: Context,
  { php, env }: CheckCommandOptions,
  isOffline: boolean,
): CheckOptions["php"] {
  if (php !== undefined) return php ? "only" : undefined;
  return isCi(io.env) && env === undefined && !isOffline ? "where-configured" : undefined;
}

function trustsOf({ io }: Context, full: boolean | undefined): CheckOptions["trusts"] {
  if (full !== undefined) return full ? "nothing" : "headers";
  return isCi(io.env) ? "bytes" : "headers";
}

/**
 * Returns the TypeScript project to search for call sites. With `--impact`, throws before any server is contacted if
 * ts-morph or the project is missing: saved scripts need none. By default, returns a function that finds them once there
 * are changes.
 */
function findProjectOf(
  { io }: Context,
  project: Project,
  { impact, project: tsconfig }: CheckCommandOptions,
): CheckOptions["tsconfig"] {
  const { config, dir } = project;
  if (impact === false) return undefined;
  const isAsked = impact !== undefined || tsconfig !== undefined;
  const hasScripts = config.scripts !== undefined && tsconfig === undefined;
  if (config.output === false && !(isAsked && hasScripts)) {
    if (!isAsked) return undefined;
    throw usageError(
      '--impact requires generated code, and "output" is false in the configuration.',
      'Set "output" to a folder, or remove --impact and --project.',
    );
  }
  if (!isAsked) return findUserCode(project);
  requirePackage("ts-morph", "--impact", dir);
  if (hasScripts && findTsconfigAbove(project) === undefined)
    return () => Promise.resolve({ path: undefined });
  return findTsconfig(project, tsconfig === undefined ? undefined : resolve(io.cwd, tsconfig));
}

import { availableParallelism } from "node:os";
import { join, resolve } from "node:path";
import type { LoadedConfig } from "../../../config/load-config.js";
import { McpCodegenError } from "../../../core/errors.js";
import type { Finding } from "../../../core/finding.js";
import { MENTION_RULE } from "../../../core/findings.js";
import { replaceWaivers, type Waiver, waiverFor, WAIVERS_NAME } from "../../../core/waivers.js";
import { HOST_IDS, type HostId } from "../../../core/hosts/host.js";
import { INSTALL_PEER } from "../../../core/packages.js";
import { printable } from "../../../core/printable.js";
import type { ServerSnapshot } from "../../../core/snapshot.js";
import { check } from "../../../pipeline/check/check.js";
import { placesOf } from "../../../pipeline/places.js";
import type { CheckOptions } from "../../../pipeline/options.js";
import type { CheckReport, DefinitionsOf } from "../../../pipeline/check/check-report.js";
import type { ReportDocument } from "../../../report/documents.js";
import { contentOfCheck, exitCodeOfCheck } from "../../../report/report-content.js";
import { count } from "../../../report/layout.js";
import { judgeChanges, type Report } from "../../../report/render-report.js";
import { orAll, type Runner, usageError } from "../../command-spec.js";
import { type Context, isCi, today } from "../../context.js";
import {
  deliverReports,
  hasReport,
  planReports,
  type ReportedFiles,
  withFailureReport,
} from "../../deliver-reports.js";
import {
  findOwnTsconfig,
  findTsconfig,
  findTsconfigAbove,
  homeFolder,
  folderCacheOf,
  loadProject,
  readAccess,
} from "../../load-project.js";
import type { OptionValues } from "../../options.js";
import { hasPackage, requirePackage } from "../../packages.js";
import { hasWords, printCommand } from "../../print-text.js";
import { offerCore } from "../offer-core.js";
import type { CHECK_FLAGS } from "./spec.js";

/** Compares servers, lock and files. Returns 1 if they differ, 3 if something could not be verified. */
export const runCheck: Runner<typeof CHECK_FLAGS> = async (context, servers, options) => {
  const reports = planReports(context, options);
  const { report, exitCode, files } = await withFailureReport(context, reports, async () => {
    const waiveRequest = await readWaiveRequest(options);
    const loaded = await loadProject(context);
    if (options.unwaive !== undefined)
      await (await import("./unwaive.js")).removeWaivers(context, loaded, options.unwaive);
    const { php = false, offline = false, against, env } = options;
    if (php || (!offline && against === undefined && env === undefined))
      await offerCore(context, { ...loaded.config, dir: loaded.dir, names: servers, readsAll: php });
    return checkServers(context, loaded, servers, {
      ...options,
      diagnosesAll: hasReport(reports, "json"),
      showsProgress: true,
      waiveRequest,
    });
  });
  await deliverReports(context, reports, report, files);
  return exitCode;
};

type CheckCommandOptions = OptionValues<typeof CHECK_FLAGS>;

interface CheckServersOptions extends CheckCommandOptions {
  /** Findings to waive before the changes are judged. */
  readonly waiveRequest?: WaiveRequest | undefined;
  /** See `CheckOptions`. */
  readonly diagnosesAll: boolean;
  readonly showsProgress: boolean;
  readonly onSnapshot?: ((snapshot: ServerSnapshot) => void) | undefined;
}

interface CheckedServers {
  readonly report: Report;
  readonly exitCode: 0 | 1 | 3;
  readonly files: ReportedFiles;
}

/** Compares the named servers, or all, with the lock and the files, and judges the changes. */
export async function checkServers(
  context: Context,
  loaded: LoadedConfig,
  servers: readonly string[],
  { waiveRequest, diagnosesAll, showsProgress, onSnapshot, ...options }: CheckServersOptions,
): Promise<CheckedServers> {
  if (options.hosts !== undefined) assertNoHosts(servers, loaded, options.hosts);
  const isOffline = options.offline === true || options.against !== undefined;
  const { signal } = context.io;
  // PHP runs in the WordPress that a variable may name.
  const access =
    isOffline && options.php !== true
      ? { lookup: noVariables, signal }
      : await readAccess(context, loaded.dir);
  const tsconfig = findProjectOf(context, loaded, options);
  const progress =
    isOffline || !showsProgress
      ? undefined
      : await (await import("../../show-progress.js")).showProgress(context);
  let definitionsOf: DefinitionsOf | undefined;
  const checked = await check(loaded, {
    ...access,
    offline: isOffline,
    full: options.full ?? isCi(context.io.env),
    today: today(),
    diagnosesAll,
    cache: folderCacheOf(context),
    workers: availableParallelism(),
    onProgress: progress?.onProgress,
    onSnapshot,
    onCompared: (drift) => {
      definitionsOf = drift;
    },
    servers: orAll(servers),
    against: options.against,
    environment: options.env,
    php: phpModeOf(context, options, isOffline),
    tsconfig,
    hosts: readHosts(options.hosts),
  }).finally(() => progress?.close());

  const report =
    waiveRequest === undefined
      ? checked
      : { ...checked, ...(await waiveRequested(context, loaded, checked, waiveRequest)) };
  const changes = await judgeChanges(report.changes, loaded.config, options);
  const failOn = options.failOn ?? loaded.config.check?.failOn ?? "any";
  const ways =
    changes.length === 0
      ? []
      : await (
          await import("../../../report/ways-out.js")
        ).waysOut(changes, loaded, {
          check: printCommand("check", scopeOf(options)),
          until: daysAfter(today(), 30),
          npxCache: join(homeFolder(context.io.env), ".npm", "_npx"),
          isPullable: options.against === undefined && options.env === undefined && options.php !== true,
        });
  const content = await contentOfCheck(report, { changes, failOn, isOffline, definitionsOf, ways });
  const exitCode = exitCodeOfCheck(content, options);
  const { accepted, checked: scope, against, impact } = report;
  const document = async (): Promise<ReportDocument> => ({
    report: "check",
    exitCode,
    failOn: options.failOn,
    rows: (await import("../../../report/documents.js")).rowDocuments(content),
    accepted,
    checked: scope,
    against,
    impact,
    environments: content.environments,
    repairs: content.repairs.map(({ command }) => command),
  });
  const files = { ...placesOf(loaded), project: loaded };
  return { report: { kind: "check", content, document }, exitCode, files };
}

/** The options of a check that say what is compared. */
function scopeOf({ php, against, env }: CheckCommandOptions): readonly string[] {
  return [
    ...(php === true ? ["--php"] : []),
    ...(against === undefined ? [] : ["--against", against]),
    ...(env === undefined ? [] : ["--env", env]),
  ];
}

function daysAfter(day: string, days: number): string {
  return new Date(Date.parse(day) + days * 86_400_000).toISOString().slice(0, 10);
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
function assertNoHosts(servers: readonly string[], { config }: LoadedConfig, hosts: readonly string[]): void {
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

/** Offline, no variable is needed. */
export const noVariables = (): undefined => undefined;

/**
 * Returns the TypeScript project to search for call sites. With `--impact`, throws before any server is contacted if
 * ts-morph or the project is missing: saved scripts need none. By default, returns a function that finds them once there
 * are changes.
 */
function findProjectOf(
  { io }: Context,
  { dir, config }: LoadedConfig,
  { impact, project }: CheckCommandOptions,
): CheckOptions["tsconfig"] {
  if (impact === false) return undefined;
  const isAsked = impact !== undefined || project !== undefined;
  const hasScripts = config.scripts !== undefined && project === undefined;
  if (config.output === false && !(isAsked && hasScripts)) {
    if (!isAsked) return undefined;
    throw usageError(
      '--impact requires generated code, and "output" is false in the configuration.',
      'Set "output" to a folder, or remove --impact and --project.',
    );
  }
  const folders = config.output === false ? [] : [resolve(dir, config.output), dir];
  if (!isAsked)
    return () => {
      const path = findOwnTsconfig(folders);
      const lacks = path === undefined || hasPackage("ts-morph", dir) ? undefined : NO_COMPILER;
      return Promise.resolve(path === undefined ? undefined : { path, problem: lacks });
    };
  requirePackage("ts-morph", "--impact", dir);
  if (hasScripts && findTsconfigAbove(folders) === undefined)
    return () => Promise.resolve({ path: undefined });
  return findTsconfig(folders, project === undefined ? undefined : resolve(io.cwd, project));
}

const NO_COMPILER = `ts-morph is not installed. To see the lines of your code that break: ${INSTALL_PEER["ts-morph"]}`;

/** The findings to waive: those of a rule, or of a rule in one tool. */
interface WaiveRequest {
  readonly rule: string;
  readonly tool?: string | undefined;
  readonly reason: string;
  readonly expires: string;
}

/**
 * Reads `--waive`, `--until` and `--reason`. Returns undefined without them.
 *
 * @throws McpCodegenError `USAGE` with every missing or invalid option
 */
async function readWaiveRequest({
  waive: [rule, tool, ...others] = [],
  until = "",
  reason = "",
}: CheckCommandOptions): Promise<WaiveRequest | undefined> {
  if (rule === undefined) {
    if (until === "" && reason === "") return undefined;
    throw usageError("--until and --reason require --waive.", "Add --waive <rule> [tool].");
  }
  const [{ adviseOnRule, ALL_RULES }, { HOST_RULES }, { nearestName }] = await Promise.all([
    import("../../../drift/rules.js"),
    import("../../../core/hosts/host-rules.js"),
    import("../../../core/words/words.js"),
  ]);
  const ids = [...ALL_RULES.keys(), ...Object.keys(HOST_RULES), MENTION_RULE];
  const nearest = ids.includes(rule) ? undefined : nearestName(rule, ids);
  const meant = nearest === undefined ? "" : ` Did you mean "${nearest}"?`;
  const date =
    until === "" ? "--waive requires --until." : `--until takes a date, not ${JSON.stringify(until)}.`;
  const checks: readonly (readonly [isWrong: boolean, message: string, hint: string])[] = [
    [
      !ids.includes(rule),
      `--waive: unknown rule ${JSON.stringify(rule)}${adviseOnRule(rule)}.${meant}`,
      'Run "npx mcp-codegen explain" to list the rules.',
    ],
    [
      others.length > 0,
      "--waive takes one rule and at most one tool.",
      "Write the names of servers before --waive.",
    ],
    [!isDay(until), date, "For example: --until 2027-06-30."],
    [isDay(until) && until < today(), `--until ${until} is in the past.`, `Today is ${today()}.`],
    [!hasWords(reason), "--waive requires --reason.", `The reason is saved in ${WAIVERS_NAME}.`],
  ];
  const problems = checks.filter(([isWrong]) => isWrong);
  const [first, ...more] = problems;
  if (first === undefined) return { rule, tool, reason, expires: until };
  const messages = problems.map(([, message]) => message).join("\n");
  throw usageError(messages, more.length === 0 ? first[2] : EXAMPLE);
}

const EXAMPLE =
  'For example: npx mcp-codegen check --waive tool-removed get-post --until 2027-06-30 --reason "No client calls get-post any more".';

type Waivable = Pick<CheckReport, "changes" | "names" | "hosts">;

/**
 * Writes a waiver for each finding of the request, and returns the findings with these marked as waived.
 *
 * @throws McpCodegenError `USAGE` if there is no such finding
 */
async function waiveRequested(
  context: Context,
  loaded: LoadedConfig,
  { changes, names, hosts }: Waivable,
  { rule, tool, reason, expires }: WaiveRequest,
): Promise<Waivable> {
  const isRequested = (finding: Finding): boolean =>
    finding.rule === rule && finding.waiver === undefined && (tool === undefined || finding.tool === tool);
  const all: readonly Finding[] = [...changes, ...names, ...hosts];
  const requested = all.filter(isRequested);
  if (requested.length === 0) {
    const where = tool === undefined ? "" : ` in tool "${tool}"`;
    const hint =
      rule === MENTION_RULE && names.length > 0
        ? `Unknown names of this check: ${[...new Set(names.map((name) => printable(name.tool ?? "", 80)))].join(", ")}.`
        : `Findings of this check: ${listRules(all)}. To waive the changes of a branch, add --against <git-ref>.`;
    throw usageError(`--waive: no open finding of rule "${rule}"${where}.`, hint);
  }
  const [{ readWaivers, writeWaivers }, { withoutKeptVersions }, { readLockfile }] = await Promise.all([
    import("../../../files/project-records.js"),
    import("../../../pipeline/check/waive-findings.js"),
    import("../../../files/lockfile-on-disk.js"),
  ]);
  const places = placesOf(loaded);
  const path = places.waivers;
  const waivers = requested.map((finding): Waiver => ({ ...waiverFor(finding, reason), expires }));
  // A file may have a name several times.
  const added = [...new Map(waivers.map((waiver) => [JSON.stringify(waiver), waiver])).values()];
  await writeWaivers(path, replaceWaivers(await readWaivers(path), added));
  context.print([
    `${WAIVERS_NAME}: ${count(added.length, "waiver")} written, until ${expires}.`,
    ...added.map(
      (waiver) => `  ${waiver.rule} ${printable([waiver.server, waiver.tool, waiver.path].join(" "), 200)}`,
    ),
  ]);
  const mark = <T extends Finding>(finding: T): T =>
    isRequested(finding) ? { ...finding, waiver: { reason, expires } } : finding;
  const lock = await readLockfile(places.lock);
  return {
    changes: withoutKeptVersions(lock, changes.map(mark)),
    names: names.map(mark),
    hosts: hosts.map(mark),
  };
}

function listRules(findings: readonly Finding[]): string {
  const rules = new Set(findings.filter(({ waiver }) => waiver === undefined).map(({ rule }) => rule));
  return rules.size === 0 ? "none" : [...rules].join(", ");
}

/**
 * Whether a text is a date. JavaScript parses February 30 as a day in March, so the parsed date is compared with the
 * text.
 */
function isDay(text: string): boolean {
  const date = new Date(text);
  return !Number.isNaN(date.getTime()) && date.toISOString().slice(0, 10) === text;
}

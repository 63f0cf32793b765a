import { availableParallelism } from "node:os";
import { resolve } from "node:path";
import type { LoadedConfig } from "../../config/load-config.js";
import { McpCodegenError } from "../../contract/errors.js";
import { type Findings, findingsOfCheck } from "../../report/findings.js";
import type { Report } from "../../report/render-report.js";
import { check, type CheckOptions } from "../../pipeline/check.js";
import { placesOf } from "../../pipeline/places.js";
import { isCi, today, type Context, type Runner, printServerOutput } from "../context.js";
import {
  deliverReports,
  hasFormat,
  withFailureReport,
  planReports,
  type ReportedFiles,
  type ReportPlan,
} from "../deliver-reports.js";
import { judgeChanges } from "../judge-changes.js";
import { readWaiveRequest, waiveChanges } from "../waive-findings.js";
import { loadProject, readAccess } from "../load-project.js";
import type { CommandOptions } from "../command-table.js";

/** Compares servers, lock and files. Returns 1 if they differ, 3 if something could not be verified. */
export const runCheck: Runner<"check"> = async (context, servers, options) => {
  const reports = planReports(context, options);
  const { report, exitCode, files } = await withFailureReport(context, reports, () =>
    findReport(context, servers, options, reports),
  );
  await deliverReports(context, reports, report, files);
  return exitCode;
};

interface Found {
  readonly report: Report;
  readonly exitCode: 0 | 1 | 3;
  readonly files: ReportedFiles;
}

async function findReport(
  context: Context,
  servers: readonly string[],
  options: CommandOptions<"check">,
  reports: ReportPlan,
): Promise<Found> {
  assertCompatibleOptions(options);
  const waive = await readWaiveRequest(options);
  const loaded = await loadProject(context);
  const isOffline = options.offline === true || options.against !== undefined;
  const php = isOffline ? (options.php === true ? "only" : undefined) : phpModeOf(context, options);
  const access = isOffline ? { lookup: noVariables } : await readAccess(context, loaded.dir);
  const tsconfig = await findProjectOf(context, loaded, options);
  const progress = isOffline ? undefined : await (await import("../show-progress.js")).showProgress(context);
  const report = await check(loaded, {
    ...access,
    offline: isOffline,
    full: options.full ?? isCi(context.io.env),
    today: today(),
    diagnosesAll: hasFormat(reports, "json"),
    workers: availableParallelism(),
    ...(progress !== undefined && { onProgress: progress.onProgress }),
    ...printServerOutput(context),
    ...(servers.length > 0 && { servers }),
    ...(options.against !== undefined && { against: options.against }),
    ...(options.env !== undefined && { environment: options.env }),
    ...(php !== undefined && { php }),
    ...(options.compare === true && { compare: true }),
    ...(options.eras === true && { eras: true }),
    ...(tsconfig !== undefined && { tsconfig }),
    ...(context.io.signal !== undefined && { signal: context.io.signal }),
  }).finally(() => progress?.close());

  const known =
    waive === undefined ? report.changes : await waiveChanges(context, loaded, report.changes, waive);
  const changes = await judgeChanges(known, loaded.config, options);
  const failOn = options.failOn ?? loaded.config.check?.failOn ?? "any";
  const findings = await findingsOfCheck(report, { changes, failOn, isOffline });
  const exitCode = exitCodeOf(findings, options);
  const document = {
    report: "check" as const,
    exitCode,
    ...(options.failOn !== undefined && { failOn: options.failOn }),
    ...report,
    changes,
    ...(findings.environments !== undefined && { environments: findings.environments }),
    repairs: findings.repairs.map(({ command }) => command),
  };
  const { output, ...places } = placesOf(loaded);
  return {
    report: { findings, document },
    exitCode,
    files: { ...places, ...(output !== undefined && { output }) },
  };
}

/** Returns how to use PHP. In CI, servers with PHP are read from PHP by default, which needs no server. */
function phpModeOf(
  { io }: Context,
  { php, env }: CommandOptions<"check">,
): "only" | "where-configured" | undefined {
  if (php !== undefined) return php ? "only" : undefined;
  return isCi(io.env) && env === undefined ? "where-configured" : undefined;
}

/** Offline, no variable is needed. */
const noVariables = (): undefined => undefined;

/** Throws `USAGE` for options that cannot be combined. */
function assertCompatibleOptions(options: CommandOptions<"check">): void {
  const { env, against, offline, impact, project, php, compare, eras } = options;
  const withEras = [
    ...(against === undefined ? [] : ["--against"]),
    ...(offline === true ? ["--offline"] : []),
    ...(php === true ? ["--php"] : []),
    ...(env === undefined ? [] : ["--env"]),
  ];
  if (eras === true && withEras[0] !== undefined) {
    throw new McpCodegenError("USAGE", `--eras cannot be used with ${withEras[0]}.`, {
      hint: "Remove one of them.",
    });
  }
  if (project !== undefined && impact === false) {
    throw new McpCodegenError("USAGE", "--project cannot be used with --no-impact.", {
      hint: "Remove one of them.",
    });
  }
  if ((impact === true || project !== undefined) && offline === true && against === undefined) {
    throw new McpCodegenError("USAGE", "--impact cannot be used with --offline, which compares no servers.", {
      hint: "Remove one of them, or add --against <git-ref>.",
    });
  }
  const other = against !== undefined ? "--against" : offline === true ? "--offline" : undefined;
  if (php === true && offline === true) {
    throw new McpCodegenError("USAGE", "--php cannot be used with --offline, which reads no PHP.", {
      hint: "Remove one of them.",
    });
  }
  if (compare === true && php !== true) {
    throw new McpCodegenError("USAGE", "--compare requires --php.", { hint: "Add --php." });
  }
  if (env === undefined || other === undefined) return;
  throw new McpCodegenError("USAGE", `--env cannot be used with ${other}, which contacts no server.`, {
    hint: "Remove one of them.",
  });
}

/**
 * Returns the TypeScript project to search for call sites. With `--impact`, throws before any server is contacted if
 * ts-morph or the project is missing. By default, returns a function that finds them once there are changes.
 */
async function findProjectOf(
  { io }: Context,
  { dir, config }: LoadedConfig,
  { impact, project }: CommandOptions<"check">,
): Promise<CheckOptions["tsconfig"]> {
  if (impact === false) return undefined;
  if (config.output === false) {
    if (impact === undefined && project === undefined) return undefined;
    throw new McpCodegenError(
      "USAGE",
      '--impact requires generated code, and "output" is false in the configuration.',
      {
        hint: 'Set "output" to a folder, or remove --impact and --project.',
      },
    );
  }
  const folders = [resolve(dir, config.output), dir];
  if (impact === undefined && project === undefined) {
    return async () => {
      const { hasPackage } = await import("../missing-packages.js");
      if (!hasPackage("ts-morph", dir)) return undefined;
      return (await import("../../impact/find-tsconfig.js")).findOwnTsconfig(folders);
    };
  }
  const [{ requirePackage }, { findTsconfig }] = await Promise.all([
    import("../missing-packages.js"),
    import("../../impact/find-tsconfig.js"),
  ]);
  requirePackage("ts-morph", "--impact", dir);
  return findTsconfig(folders, project === undefined ? undefined : resolve(io.cwd, project));
}

/** Findings take precedence over servers that were not verified, so that an outage never hides drift. */
function exitCodeOf(
  { changes, stale, edited, doFilesFail, unverified, overBudget = [] }: Findings,
  { allowUnresolved = false }: CommandOptions<"check">,
): 0 | 1 | 3 {
  if (overBudget.length > 0) return 1;
  if (changes.some(({ fails }) => fails) || (doFilesFail && stale.length + edited.length > 0)) return 1;
  return unverified.some(({ rule }) => !allowUnresolved || rule !== "php-unresolved") ? 3 : 0;
}

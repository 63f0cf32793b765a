import { join } from "node:path";
import { quoteAll } from "../../../core/collections.js";
import { LOCKFILE_NAME, type Lockfile } from "../../../core/lockfile.js";
import { readLockfile } from "../../../files/project-records.js";
import { diff } from "../../../pipeline/diff/diff.js";
import { log } from "../../../pipeline/log/log.js";
import { type ReportDocument, rowDocuments } from "../../../report/documents.js";
import { contentOfDiff } from "../../../report/report-content.js";
import { judgeChanges } from "../../../report/render-report.js";
import { withCauses } from "../../../report/fold-changes.js";
import { printLog } from "../../../report/print-log.js";
import { type Runner, usageError } from "../../command-spec.js";
import { runWithReports } from "../../deliver-reports.js";
import { findProject, readAccess } from "../../load-project.js";
import type { REPORT_FLAGS } from "../../options.js";
import type { LOG_FLAGS } from "./spec.js";

/** Compares two contracts. Returns 1 if they differ at or above the threshold. */
export const runDiff: Runner<typeof REPORT_FLAGS> = (
  context,
  [before = "", after = "", ...servers],
  options,
) =>
  runWithReports(context, options, async () => {
    const project = await findProject(context);
    const { cwd } = context.io;
    const compared = await diff(before, after, {
      ...(await readAccess(context, project?.dir ?? cwd)),
      cwd,
      servers,
      project,
    });
    const changes = judgeChanges(compared.changes, project?.config, options);
    const exitCode = changes.some(({ fails }) => fails) ? 1 : 0;
    const content = contentOfDiff(compared, changes);
    const document = (): ReportDocument => ({
      report: "diff",
      exitCode,
      before: compared.before,
      after: compared.after,
      failOn: options.failOn,
      rows: rowDocuments(content),
      compared: compared.compared,
    });
    return { report: { kind: "diff", content, document }, exitCode };
  });

const DEFAULT_LIMIT = 20;

/** Prints the history of a server's contract from git. Needs only the lock, no configuration. */
export const runLog: Runner<typeof LOG_FLAGS> = async (context, [named], options) => {
  const project = await findProject(context);
  const dir = project?.dir ?? context.io.cwd;
  const { limit = DEFAULT_LIMIT } = options;
  const report = await log(dir, named ?? onlyServer(await readLockfile(join(dir, LOCKFILE_NAME))), { limit });
  const versions = report.versions.map((version) => ({ ...version, changes: withCauses(version.changes) }));
  return context.report({ report: "log", exitCode: 0, ...report, versions }, printLog(report, context));
};

function onlyServer({ servers }: Lockfile): string {
  const names = Object.keys(servers);
  const [only, ...others] = names;
  if (only !== undefined && others.length === 0) return only;
  throw usageError(
    "Missing the name of a server.",
    names.length === 0
      ? 'The lock has none: run "npx mcp-codegen pull".'
      : `The lock has ${quoteAll(names)}.`,
  );
}

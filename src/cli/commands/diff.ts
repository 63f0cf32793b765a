import { findingsOfDiff } from "../../report/findings-of-diff.js";
import { deliverReports, planReports } from "../deliver-reports.js";
import { judgeChanges } from "../judge-changes.js";
import { findProject, readLookup } from "../load-project.js";
import type { Runner } from "../runner.js";

/** Two contracts against each other: 1 when they differ at or above the threshold. */
export const runDiff: Runner<"diff"> = async (context, [before = "", after = "", ...servers], options) => {
  const reports = planReports(context, options);
  const { diff } = await import("../../pipeline/diff.js");
  const project = await findProject(context);
  const { cwd, signal } = context.io;
  const report = await diff(before, after, {
    cwd,
    lookup: await readLookup(context, project?.dir ?? cwd),
    servers,
    ...(project !== undefined && { project }),
    ...(signal !== undefined && { signal }),
  });
  const changes = await judgeChanges(report.changes, project?.config, options);
  const findings = findingsOfDiff(report, changes);
  const exitCode = changes.some(({ fails }) => fails) ? 1 : 0;
  const document = {
    report: "diff" as const,
    exitCode,
    ...(options.failOn !== undefined && { failOn: options.failOn }),
    ...report,
    changes,
  };
  await deliverReports(context, reports, { findings, document }, {});
  return exitCode;
};

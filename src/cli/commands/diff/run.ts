import { diff } from "../../../pipeline/diff/diff.js";
import { findingsOfDiff } from "../../../report/findings.js";
import type { Runner } from "../../command-spec.js";
import { runOptionsOf } from "../../context.js";
import { deliverReports, planReports, withFailureReport } from "../../deliver-reports.js";
import { findConsumers, judgeChanges } from "../../judge-changes.js";
import { findProject, readAccess } from "../../load-project.js";
import type { DIFF_FLAGS } from "./spec.js";

/**
 * Compares two contracts. Returns 1 if they differ at or above the threshold, 3 if a consumer cannot be judged.
 */
export const runDiff: Runner<typeof DIFF_FLAGS> = async (
  context,
  [before = "", after = "", ...servers],
  options,
) => {
  const reports = planReports(context, options);
  const { report, exitCode } = await withFailureReport(context, reports, async () => {
    const project = await findProject(context);
    const { cwd } = context.io;
    const consumers = await findConsumers(context, project, options);
    const found = await diff(before, after, {
      cwd,
      ...(await readAccess(context, project?.dir ?? cwd)),
      servers,
      ...runOptionsOf(context),
      project,
      consumers: consumers.length > 0 ? consumers : undefined,
    });
    const changes = await judgeChanges(found.changes, project?.config, options);
    const isUnverified = (found.unverified ?? []).length > 0;
    const code = changes.some(({ fails }) => fails) ? 1 : isUnverified ? 3 : 0;
    const document = {
      report: "diff" as const,
      exitCode: code,
      ...(options.failOn !== undefined && { failOn: options.failOn }),
      ...found,
      changes,
    };
    return { report: { findings: findingsOfDiff(found, changes), document }, exitCode: code };
  });
  await deliverReports(context, reports, report, {});
  return exitCode;
};

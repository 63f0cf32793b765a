import { availableParallelism } from "node:os";
import type { Change, FailOn } from "../../contract/change.js";
import type { CheckReport } from "../../contract/reports.js";
import { printCheck, repairsOf } from "../../report/print-check.js";
import { isCi } from "../context.js";
import { loadJudge } from "../judge.js";
import { loadProject, readLookup } from "../load-project.js";
import type { Runner } from "../runner.js";

/** Servers against lock against files: 1 when they disagree, 3 when something could not be checked. */
export const runCheck: Runner<"check"> = async (context, servers, options) => {
  const { check } = await import("../../pipeline.js");
  const loaded = await loadProject(context);
  const lookup = await readLookup(context, loaded.dir);
  const isOffline = options.offline === true;
  const progress = isOffline ? undefined : await (await import("../show-progress.js")).showProgress(context);
  const report = await check(loaded, {
    lookup,
    offline: isOffline,
    full: options.full ?? isCi(context.io.env),
    workers: availableParallelism(),
    ...(progress !== undefined && { onProgress: progress.onProgress }),
    ...(servers.length > 0 && { servers }),
    ...(context.io.signal !== undefined && { signal: context.io.signal }),
  }).finally(() => progress?.close());

  const { explain, fails } = await loadJudge(report.changes, {
    failOn: options.failOn,
    config: loaded.config,
  });
  const exitCode = exitCodeOf(report, fails, options.failOn ?? loaded.config.check?.failOn ?? "any");
  context.say(printCheck(report, { paint: context.paint, explain, fails, isOffline }));
  context.answer({
    report: "check",
    exitCode,
    ...(options.failOn !== undefined && { failOn: options.failOn }),
    ...report,
    changes: report.changes.map((change) => ({
      ...change,
      explanation: explain(change),
      fails: fails(change),
    })),
    repairs: repairsOf(report).map(({ command }) => command),
  });
  return exitCode;
};

/**
 * Findings come before what was not checked, so that an outage never hides drift. Stale and edited files have no
 * class: they fail unless nothing may.
 */
function exitCodeOf(report: CheckReport, fails: (change: Change) => boolean, failOn: FailOn): 0 | 1 | 3 {
  const hasStaleness = report.stale.length > 0 || report.edited.length > 0;
  if (report.changes.some(fails) || (hasStaleness && failOn !== "never")) return 1;
  return report.unverified.length > 0 ? 3 : 0;
}

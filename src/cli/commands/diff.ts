import { findProject, readLookup } from "../load-project.js";
import { loadJudge } from "../judge.js";
import type { Runner } from "../runner.js";

/** Two contracts against each other: 1 when they differ at or above the threshold. */
export const runDiff: Runner<"diff"> = async (context, [before = "", after = "", ...servers], options) => {
  const [{ diff }, { printDiff }] = await Promise.all([
    import("../../pipeline/diff.js"),
    import("../../report/print-diff.js"),
  ]);
  const project = await findProject(context);
  const { cwd, signal } = context.io;
  const report = await diff(before, after, {
    cwd,
    lookup: await readLookup(context, project?.dir ?? cwd),
    servers,
    ...(project !== undefined && { project }),
    ...(signal !== undefined && { signal }),
  });
  const { explain, fails } = await loadJudge(report.changes, {
    failOn: options.failOn,
    config: project?.config,
  });
  const exitCode = report.changes.some(fails) ? 1 : 0;
  context.say(printDiff(report, { paint: context.paint, explain, fails }));
  context.answer({
    report: "diff",
    exitCode,
    ...(options.failOn !== undefined && { failOn: options.failOn }),
    ...report,
    changes: report.changes.map((change) => ({
      ...change,
      explanation: explain(change),
      fails: fails(change),
    })),
  });
  return exitCode;
};

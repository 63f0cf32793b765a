import { withCauses } from "../../../report/fold-changes.js";
import { printLog } from "../../../report/print-changes.js";
import { type Runner, usageError } from "../../command-spec.js";
import { findProject } from "../../load-project.js";
import type { LOG_FLAGS } from "./spec.js";

const DEFAULT_LIMIT = "20";

/** Prints the history of a server's contract from git. Needs only the lock, no configuration. */
export const runLog: Runner<typeof LOG_FLAGS> = async (context, [server = ""], options) => {
  const limit = parseLimit(options.limit ?? DEFAULT_LIMIT);
  const [{ log }, project] = await Promise.all([
    import("../../../pipeline/log/log.js"),
    findProject(context),
  ]);
  const report = await log(project?.dir ?? context.io.cwd, server, { limit });
  context.print(printLog(report, context));
  const versions = report.versions.map((version) => ({ ...version, changes: withCauses(version.changes) }));
  context.printDocument({ report: "log", exitCode: 0, ...report, versions });
  return 0;
};

function parseLimit(text: string): number {
  if (/^[1-9]\d{0,5}$/.test(text)) return Number(text);
  throw usageError(`--limit takes a number from 1, not "${text}".`, "For example: --limit 50.");
}

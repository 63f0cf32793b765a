import { McpCodegenError } from "../../contract/errors.js";
import { checkServers } from "../check-servers.js";
import type { CommandOptions } from "../command-table.js";
import type { Runner } from "../context.js";
import { deliverReports, hasFormat, withFailureReport, planReports } from "../deliver-reports.js";
import { loadProject } from "../load-project.js";
import { readWaiveRequest } from "../waive-findings.js";

/** Compares servers, lock and files. Returns 1 if they differ, 3 if something could not be verified. */
export const runCheck: Runner<"check"> = async (context, servers, options) => {
  const reports = planReports(context, options);
  const { report, exitCode, files } = await withFailureReport(context, reports, async () => {
    assertCompatibleOptions(options);
    const waiveRequest = await readWaiveRequest(options);
    return checkServers(context, await loadProject(context), servers, {
      ...options,
      diagnosesAll: hasFormat(reports, "json"),
      showsProgress: true,
      ...(waiveRequest !== undefined && { waiveRequest }),
    });
  });
  await deliverReports(context, reports, report, files);
  return exitCode;
};

/** Throws `USAGE` for options that cannot be combined. */
function assertCompatibleOptions(options: CommandOptions<"check">): void {
  const { env, against, offline, impact, project, php } = options;
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
  if (env === undefined || other === undefined) return;
  throw new McpCodegenError("USAGE", `--env cannot be used with ${other}, which contacts no server.`, {
    hint: "Remove one of them.",
  });
}

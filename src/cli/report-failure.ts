import type { Findings } from "../report/findings.js";
import type { Context } from "./context.js";
import { writeReportFiles, type ReportPlan } from "./deliver-reports.js";
import { errorDocument } from "./report-error.js";

/** Writes the error to the files of `--report`, since their readers may not see the terminal. */
export async function reportFailure(context: Context, plan: ReportPlan, error: unknown): Promise<void> {
  const document = errorDocument(error);
  const { message, hint } = document.error;
  const findings: Findings = {
    changes: [],
    stale: [],
    edited: [],
    doFilesFail: true,
    diagnostics: [],
    unverified: [{ server: "mcp-codegen", reason: message, ...(hint !== undefined && { hint }) }],
    verified: [],
    files: 0,
    work: "could not go on",
    clean: "Up to date",
    repairs: [],
  };
  await writeReportFiles(context, plan, { findings, document }, {});
}

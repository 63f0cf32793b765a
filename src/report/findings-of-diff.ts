import type { DiffReport } from "../pipeline/reports.js";
import { count } from "./count.js";
import type { Findings, ReportedChange } from "./findings.js";
import { printable } from "../contract/printable.js";

/** Returns the differences between two contracts. There is nothing to fix, so there are no repairs. */
export function findingsOfDiff(report: DiffReport, changes: readonly ReportedChange[]): Findings {
  const { before, after, compared } = report;
  const scope = `${count(compared.servers.length, "server")} and ${count(compared.tools, "tool")}`;
  return {
    changes,
    stale: [],
    edited: [],
    doFilesFail: true,
    diagnostics: [],
    unverified: [],
    verified: compared.servers,
    files: 0,
    work: `compared ${scope}, ${printable(before)} → ${printable(after)}`,
    clean: "No difference",
    repairs: [],
  };
}

import { count } from "./count.js";
import { isClean, type Findings, type ReportedChange } from "./findings.js";
import type { Layout } from "./paint.js";
import { printable } from "./printable.js";
import { printDiagnostics } from "./print-diagnostics.js";
import { printEnvironments } from "./print-environments.js";
import { printFiles, printUnverified } from "./print-files.js";
import { printWaivers } from "./print-waivers.js";
import { printImpact } from "./print-impact.js";

/** Drift, stale files, hand edits and what was not verified, then what it comes to, then the commands that mend it. */
export async function printFindings(findings: Findings, layout: Layout): Promise<readonly string[]> {
  const { paint } = layout;
  return [
    ...(await printServers(findings.changes, layout)),
    ...printEnvironments(findings.environments ?? [], paint),
    ...printImpact(findings.impact, findings.changes, paint),
    ...printFiles("Out of date:", findings.stale, paint),
    ...(findings.edited.length === 0
      ? []
      : [
          paint.bold("Edited by hand:"),
          ...findings.edited.map((path) => paint.yellow(`  ${printable(path)}`)),
        ]),
    ...printDiagnostics(findings.diagnostics, paint),
    ...printWaivers(findings.waivers ?? [], paint),
    ...printUnverified(findings.unverified, paint),
    isClean(findings) ? `${paint.green(`${findings.clean}:`)} ${findings.work}.` : `${summaryOf(findings)}.`,
    ...(findings.note === undefined ? [] : [findings.note]),
    ...findings.repairs.map(({ command, does }) => `${does}: ${paint.bold(command)}`),
  ];
}

/** Loaded where there is something to show: a check that finds nothing should cost nothing. */
async function printServers(changes: readonly ReportedChange[], layout: Layout): Promise<readonly string[]> {
  if (changes.length === 0) return [];
  const { printServerChanges } = await import("./print-changes.js");
  return printServerChanges(changes, layout);
}

/** What was done and what it comes to, in one line without a full stop. */
export function summaryOf({ work, changes, stale, edited, unverified }: Findings): string {
  const found = [
    ...(changes.length > 0
      ? [
          `${count(changes.length, "change")}${changes.some(({ fails }) => fails) ? "" : ", none of which fails"}`,
        ]
      : []),
    ...(stale.length > 0 ? [`${count(stale.length, "file")} out of date`] : []),
    ...(edited.length > 0 ? [`${count(edited.length, "file")} edited by hand`] : []),
    ...(unverified.length > 0 ? [`${unverified.length} not verified`] : []),
  ];
  return `${work.charAt(0).toUpperCase()}${work.slice(1)}: ${found.join(", ")}`;
}

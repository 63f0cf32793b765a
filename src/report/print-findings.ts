import type { StaleFile } from "../pipeline/reports.js";
import { count } from "./count.js";
import { isClean, type Findings } from "./findings.js";
import { foldChanges } from "./fold-changes.js";
import { countFindings } from "./group-changes.js";
import type { Layout } from "./paint.js";
import { printable } from "../contract/printable.js";

/** Prints drift, stale files, hand edits and unverified servers, then a summary, then the commands that fix them. */
export async function printFindings(findings: Findings, layout: Layout): Promise<readonly string[]> {
  const { paint } = layout;
  return [
    ...(await printSections(findings, layout)),
    isClean(findings) ? `${paint.green(`${findings.clean}:`)} ${findings.work}.` : `${summaryOf(findings)}.`,
    ...(findings.note === undefined ? [] : [findings.note]),
    ...findings.repairs.map(({ command, does }) => `${does}: ${paint.bold(command)}`),
  ];
}

/** Loads each module only if there is something to print, since a check without findings must stay fast. */
async function printSections(findings: Findings, layout: Layout): Promise<readonly string[]> {
  const {
    changes,
    environments,
    impact,
    php,
    stale,
    edited,
    diagnostics,
    waivers = [],
    unverified,
    overBudget = [],
  } = findings;
  const { paint } = layout;
  const sections: (readonly string[])[] = [];
  const printing = changes.length > 0 ? await import("./print-changes.js") : undefined;
  if (printing !== undefined) sections.push(printing.printServerChanges(changes, layout));
  if (environments !== undefined) {
    sections.push((await import("./print-environments.js")).printEnvironments(environments, paint));
  }
  if (impact !== undefined) {
    sections.push((await import("./print-impact.js")).printImpact(impact, changes, paint));
  }
  if (php !== undefined) sections.push((await import("./print-php.js")).printPhp(php, paint));
  if (overBudget.length > 0) {
    sections.push((await import("./print-over-budget.js")).printOverBudget(overBudget, paint));
  }
  if (stale.length > 0) {
    sections.push((await import("./print-files.js")).printFiles("Out of date:", stale, paint));
  }
  if (edited.length > 0) {
    sections.push([
      paint.bold("Edited by hand:"),
      ...edited.map((path) => paint.yellow(`  ${printable(path)}`)),
    ]);
  }
  if (diagnostics.length > 0) {
    sections.push((await import("./print-diagnostics.js")).printDiagnostics(diagnostics, paint));
  }
  if (waivers.length > 0) {
    sections.push((await import("./print-waivers.js")).printWaivers(waivers, paint));
  }
  if (unverified.length > 0) {
    sections.push((await import("./print-files.js")).printUnverified(unverified, paint));
  }
  if (printing !== undefined) sections.push(printing.printGlossary(changes, paint));
  return sections.flat();
}

function summaryOfFiles(stale: readonly StaleFile[]): readonly string[] {
  const inTheWay = stale.filter(({ state }) => state === "in-the-way").length;
  const cutOff = stale.filter(({ state }) => state === "cut-off").length;
  // The lock has an entry for each reason why it is out of date.
  const others = new Set(
    stale.filter(({ state }) => state !== "in-the-way" && state !== "cut-off").map(({ path }) => path),
  ).size;
  return [
    ...(cutOff > 0 ? ["a write was cut off"] : []),
    ...(inTheWay > 0 ? [`${count(inTheWay, "file")} in the way`] : []),
    ...(others > 0 ? [`${count(others, "file")} out of date`] : []),
  ];
}

/** A one-line summary of the work and the findings, without a full stop. */
export function summaryOf({ work, changes, stale, edited, unverified, overBudget = [] }: Findings): string {
  const found = [
    ...(changes.length > 0
      ? [
          `${countFindings(foldChanges(changes))}${changes.some(({ fails }) => fails) ? "" : ", none of which fails"}`,
        ]
      : []),
    ...(overBudget.length > 0 ? [`${count(overBudget.length, "token budget")} exceeded`] : []),
    ...summaryOfFiles(stale),
    ...(edited.length > 0 ? [`${count(edited.length, "file")} edited by hand`] : []),
    ...(unverified.length > 0 ? [`${unverified.length} not verified`] : []),
  ];
  return `${work.charAt(0).toUpperCase()}${work.slice(1)}: ${found.join(", ")}`;
}

import type { StaleFile } from "../pipeline/reports.js";
import { count, type Layout, type Paint } from "./layout.js";
import { countMentions, isClean, type Findings } from "./findings.js";
import { foldChanges } from "./fold-changes.js";
import { countClasses, countFindings } from "./group-changes.js";

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

/** Loads the sections only if there is something to print, since a check without findings must stay fast. */
async function printSections(findings: Findings, layout: Layout): Promise<readonly string[]> {
  const { changes, environments = [], impact, php = [], stale, edited } = findings;
  const { diagnostics, waivers = [], unverified, overBudget = [], cassettes = [], mentions = [] } = findings;
  const { paint } = layout;
  const isEmpty =
    isClean(findings) && [environments, php, diagnostics, waivers].every((section) => section.length === 0);
  if (isEmpty) return [];
  const [{ printGlossary, printServerChanges }, { printEnvironments }, { printDiagnostics }, print] =
    await Promise.all([
      import("./print-changes.js"),
      import("./environment-table.js"),
      import("./print-generate.js"),
      import("./print-sections.js"),
    ]);
  // Where nothing fails, the rest is all that there is to read.
  const hasFailing = changes.some(({ fails }) => fails);
  const shown = hasFailing ? changes.filter(({ fails }) => fails) : changes;
  return [
    ...printServerChanges(shown, layout),
    ...countRest(
      changes.filter((change) => !shown.includes(change)),
      paint,
    ),
    ...printEnvironments(environments, paint),
    ...print.printImpact(impact, changes, paint),
    ...print.printPhp(php, paint),
    ...print.printOverBudget(overBudget, paint),
    ...print.printRecorded("Cassettes:", cassettes, paint),
    ...print.printRecorded("Unknown names:", mentions, paint),
    ...print.printFiles("Out of date:", stale, paint),
    ...print.printEdited(edited, paint),
    ...printDiagnostics(diagnostics, paint),
    ...print.printWaivers(waivers, paint),
    ...print.printUnverified(unverified, paint),
    ...printGlossary(shown, paint),
  ];
}

/** Counts the changes that do not fail beside those that do. */
function countRest(rest: Findings["changes"], paint: Paint): readonly string[] {
  const folded = foldChanges(rest);
  if (folded.length === 0) return [];
  const waived = folded.filter(({ changes: [{ waiver }] }) => waiver !== undefined).length;
  const classes = [countClasses(folded), ...(waived > 0 ? [`${waived} waived`] : [])].join(", ");
  const lists = folded.length === 1 ? "lists it" : "lists them";
  return [
    paint.dim(
      `Not shown, since ${folded.length === 1 ? "it does" : "they do"} not fail: ${countFindings(folded)} (${classes}). "--json" ${lists}.`,
    ),
  ];
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
export function summaryOf(findings: Findings): string {
  const {
    work,
    changes,
    stale,
    edited,
    unverified,
    overBudget = [],
    cassettes = [],
    mentions = [],
  } = findings;
  const folded = foldChanges(changes);
  const harmless =
    folded.length === 1 ? ", which does not fail the check" : ", none of which fails the check";
  const found = [
    ...(changes.length > 0
      ? [`${countFindings(folded)}${changes.some(({ fails }) => fails) ? "" : harmless}`]
      : []),
    ...(overBudget.length > 0 ? [`${count(overBudget.length, "token budget")} exceeded`] : []),
    ...(cassettes.length > 0 ? [`${count(cassettes.length, "problem")} in cassettes`] : []),
    ...countMentions(mentions),
    ...summaryOfFiles(stale),
    ...(edited.length > 0 ? [`${count(edited.length, "file")} edited by hand`] : []),
    ...(unverified.length > 0 ? [`${unverified.length} not verified`] : []),
  ];
  return `${work.charAt(0).toUpperCase()}${work.slice(1)}: ${found.join(", ")}`;
}

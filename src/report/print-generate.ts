import { groupBy } from "../core/collections.js";
import type { Finding } from "../core/finding.js";
import { findingOfNote } from "../core/findings.js";
import { LOCKFILE_NAME } from "../core/lockfile.js";
import { formatNumber, printable } from "../core/printable.js";
import type { GenerateReport } from "../pipeline/generate/generate-report.js";
import { subjectOfNote } from "./describe-findings.js";
import { count, firstOf, type Paint, present } from "./layout.js";

/** Prints the diagnostics, and one line about the files that `generate` wrote. */
export function printGenerate(
  report: GenerateReport,
  context: { readonly paint: Paint; readonly output: string },
): readonly string[] {
  const { paint, output } = context;
  const parts = present(
    report.written.length > 0 && `${count(report.written.length, "file")} written`,
    report.removed.length > 0 && `${count(report.removed.length, "file")} removed`,
    `${formatNumber(report.unchanged)} unchanged`,
  );
  const raised = (report.raised ?? []).map(
    ({ server, before, after }) =>
      `${paint.bold(LOCKFILE_NAME)}: contract of ${printable(server, 80)} ${before} → ${after}, since a commit has other content as ${before}`,
  );
  return [
    ...printNotes(report.diagnostics.map(findingOfNote), paint),
    ...raised,
    `${paint.bold(output)}: ${parts.join(", ")}`,
  ];
}

/** How many notes of each code are shown; `--json` has all of them. */
const SHOWN = 20;

/** Prints notes, grouped by code and limited, so that other sections stay visible. */
export function printNotes(notes: readonly Finding[], paint: Paint): readonly string[] {
  return [...groupBy(notes, ({ rule }) => rule)].flatMap(([code, those]) =>
    firstOf(
      those.map((note) => printNote(note, paint)),
      SHOWN,
      (rest) => paint.dim(`  … and ${formatNumber(rest)} more ${code}: "--json" lists them all`),
    ),
  );
}

function printNote(note: Finding, paint: Paint): string {
  const { rule, server = "", message = "" } = note;
  const head = paint.yellow(`note: ${`${printable(server, 80)} ${subjectOfNote(note)}`.trim()}:`);
  return `${head} ${printable(message, 400)} ${paint.dim(`[${rule}]`)}`;
}

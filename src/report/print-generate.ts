import { groupBy } from "../core/collections.js";
import type { Diagnostic } from "../core/diagnostic.js";
import { LOCKFILE_NAME } from "../core/lockfile.js";
import { formatNumber, printable } from "../core/printable.js";
import type { GenerateReport } from "../pipeline/reports.js";
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
      `${paint.bold(LOCKFILE_NAME)}: contract of ${printable(server, 80)} ${before} → ${after}, since a merged commit has other tools in ${before}`,
  );
  return [
    ...printDiagnostics(report.diagnostics, paint),
    ...raised,
    `${paint.bold(output)}: ${parts.join(", ")}`,
  ];
}

/** How many diagnostics of each code are shown; `--json` has all of them. */
const SHOWN = 20;

/** Prints the diagnostics, grouped by code and limited, so that other sections stay visible. */
export function printDiagnostics(diagnostics: readonly Diagnostic[], paint: Paint): readonly string[] {
  return [...groupBy(diagnostics, ({ code }) => code)].flatMap(([code, those]) =>
    firstOf(
      those.map((diagnostic) => printDiagnostic(diagnostic, paint)),
      SHOWN,
      (rest) => paint.dim(`  … and ${formatNumber(rest)} more ${code}: "--json" lists them all`),
    ),
  );
}

function printDiagnostic(diagnostic: Diagnostic, paint: Paint): string {
  const subject = `${printable(diagnostic.server, 80)} ${subjectOfNote(diagnostic)}`.trim();
  const head = paint.yellow(`note: ${subject}:`);
  return `${head} ${printable(diagnostic.message, 400)} ${paint.dim(`[${diagnostic.code}]`)}`;
}

/** The tool of a note and the place in its definition, `get-post at /inputSchema`; empty for a note about no tool. */
export function subjectOfNote({ code, tool, path }: Diagnostic): string {
  if (/^(?:SERVER_|ENTRY_UNUSABLE$|POLICY_)/.test(code)) return "";
  const name = tool === "" ? "(a tool without a name)" : printable(tool, 80);
  return `${name}${path === "" ? "" : ` at ${printable(path, 160)}`}`;
}

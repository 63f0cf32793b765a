import type { GenerateReport } from "../pipeline/reports.js";
import { count, formatNumber } from "./count.js";
import type { Paint } from "./paint.js";
import { printDiagnostics } from "./print-diagnostics.js";

/** Prints the diagnostics, and one line about the files that `generate` wrote. */
export function printGenerate(
  report: GenerateReport,
  context: { readonly paint: Paint; readonly output: string },
): readonly string[] {
  const { paint, output } = context;
  const parts = [
    ...(report.written.length > 0 ? [`${count(report.written.length, "file")} written`] : []),
    ...(report.removed.length > 0 ? [`${count(report.removed.length, "file")} removed`] : []),
    `${formatNumber(report.unchanged)} unchanged`,
  ];
  return [...printDiagnostics(report.diagnostics, paint), `${paint.bold(output)}: ${parts.join(", ")}`];
}

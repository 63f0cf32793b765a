import { printPage } from "../../src/cli/commands/tools/page.js";
import { rowDocuments } from "../../src/report/documents.js";
import { renderReport, type ReportFormat } from "../../src/report/render-report.js";
import type { ReportContent } from "../../src/report/report-content.js";
import { nothingFound, plain } from "./fixtures.js";

/** Prints the report of a check in a format, without places in files. */
export async function render(format: ReportFormat, content: ReportContent, width = 120): Promise<string> {
  const { accepted, checked } = nothingFound;
  const document = { report: "check", exitCode: 1, accepted, checked, repairs: [] } as const;
  return renderReport(
    format,
    { kind: "check", content, document: () => ({ ...document, rows: rowDocuments(content) }) },
    {
      layout: { paint: plain, width },
      version: "1.0.0",
      findPlaces: () => Promise.resolve({}),
      printPage: () => printPage({ title: "check", content }),
    },
  );
}

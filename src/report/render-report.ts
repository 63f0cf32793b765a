import type { ReportDocument } from "./documents.js";
import { type Findings, isClean, isEmpty, summaryOf } from "./findings.js";
import type { Places } from "./locate-findings.js";
import { type Layout, present } from "./layout.js";
import { printJson } from "../core/printable.js";

export type ReportFormat = "text" | "json" | "markdown" | "github" | "sarif" | "junit" | "html";

/** The input of a report. */
export interface Report {
  readonly findings: Findings;
  readonly document: ReportDocument;
}

export interface RenderContext {
  readonly layout: Layout;
  /** The version of mcp-codegen. */
  readonly version: string;
  /** Called by the formats that need line numbers. */
  readonly findPlaces: () => Promise<Places>;
  /** Prints a report as a page. The page also shows the locked tools, which a report does not have. */
  readonly printPage: (report: Report) => Promise<string>;
}

type Render = (report: Report, context: RenderContext) => Promise<string>;

/** Each format's module is loaded on demand. */
const FORMATS: Readonly<Record<ReportFormat, Render>> = {
  text: async ({ findings }, { layout }) => joinLines(await printTextReport(findings, layout)),
  json: ({ document }) => Promise.resolve(`${printJson(document)}\n`),
  markdown: async ({ findings }) => {
    const { printMarkdown } = await import("./markdown.js");
    return joinLines(printMarkdown(findings));
  },
  github: async ({ findings }, { findPlaces }) => {
    const { printGithub } = await import("./github.js");
    return joinLines(printGithub(findings, await findPlaces()));
  },
  sarif: async ({ findings }, { findPlaces, version }) => {
    const { printSarif } = await import("./sarif.js");
    return `${printSarif(findings, await findPlaces(), version)}\n`;
  },
  junit: async ({ findings }) => {
    const { printJunit } = await import("./junit.js");
    return joinLines(printJunit(findings));
  },
  html: (report, { printPage }) => printPage(report),
};

/** Returns the text of a report, with its final newline; empty when the format has nothing to report. */
export function renderReport(format: ReportFormat, report: Report, context: RenderContext): Promise<string> {
  return FORMATS[format](report, context);
}

/** Prints the lists of a report, a summary, and the commands that fix the findings. */
export async function printTextReport(findings: Findings, layout: Layout): Promise<readonly string[]> {
  const { clean, work, note, repairs } = findings;
  const { paint } = layout;
  return [
    // A check without findings must stay fast.
    ...(isEmpty(findings) ? [] : (await import("./text.js")).printLists(findings, layout)),
    isClean(findings) ? `${paint.green(`${clean}:`)} ${work}.` : `${summaryOf(findings)}.`,
    ...present(note),
    ...repairs.map(({ command, does }) => `${does}: ${paint.bold(command)}`),
  ];
}

function joinLines(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join("");
}

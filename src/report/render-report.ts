import type { Config } from "../config/config.js";
import type { Change } from "../core/change.js";
import type { CheckPolicy, FailOn, RuleClass } from "../core/check-policy.js";
import { digestsOf, findingId } from "../core/waivers.js";
import { getOwn } from "../core/json.js";
import { printJson } from "../core/printable.js";
import { applyPolicy } from "../drift/apply-policy.js";
import { explain } from "../drift/rules.js";
import type { ReportDocument } from "./documents.js";
import { withCauses } from "./fold-changes.js";
import { isClean, isEmpty, type ReportContent, summaryOf } from "./report-content.js";
import { type Layout, present } from "./layout.js";
import { printLists } from "./text.js";
import type { ReportPlaces } from "./locate-findings.js";

export type ReportFormat = "text" | "json" | "markdown" | "github" | "sarif" | "junit" | "html";

/** The input of a report. */
export interface Report {
  /** The kind of its document. */
  readonly kind: ReportDocument["report"];
  readonly content: ReportContent;
  /** Returns the object that `--json` prints. */
  readonly document: () => ReportDocument;
}

export interface RenderContext {
  readonly layout: Layout;
  /** Whether the text has every finding with its details. */
  readonly isAll?: boolean | undefined;
  /** The version of mcp-codegen. */
  readonly version: string;
  /** Called by the formats that need line numbers. */
  readonly findPlaces: () => Promise<ReportPlaces>;
  /** Prints a report as a page. The page also shows the locked tools, which a report does not have. */
  readonly printPage: (report: Report) => Promise<string>;
}

type Render = (report: Report, context: RenderContext) => Promise<string>;

/** A check without findings must stay fast. */
const loadFormats = async () => import("./formats.js");

const FORMATS: Readonly<Record<ReportFormat, Render>> = {
  text: ({ content }, { layout, isAll }) =>
    Promise.resolve(joinLines(printTextReport(content, layout, isAll))),
  json: ({ document }) => Promise.resolve(`${printJson(document())}\n`),
  markdown: async ({ content }) => joinLines((await loadFormats()).printMarkdown(content)),
  github: async ({ content }, { findPlaces }) =>
    joinLines((await loadFormats()).printGithub(content, await findPlaces())),
  sarif: async ({ content }, { findPlaces, version }) =>
    `${(await loadFormats()).printSarif(content, await findPlaces(), version)}\n`,
  junit: async ({ content }) => joinLines((await loadFormats()).printJunit(content)),
  html: (report, { printPage }) => printPage(report),
};

/** Returns the text of a report, with its final newline; empty when the format has nothing to report. */
export function renderReport(format: ReportFormat, report: Report, context: RenderContext): Promise<string> {
  return FORMATS[format](report, context);
}

/** Prints what changed and what can be done, the findings in at most 60 lines unless all are asked for, and a summary. */
export function printTextReport(content: ReportContent, layout: Layout, isAll = false): readonly string[] {
  const { clean, work } = content;
  const { paint } = layout;
  const { lines, isWhole } = isEmpty(content)
    ? { lines: [], isWhole: true }
    : printLists(content, layout, isAll);
  return [
    ...lines,
    isClean(content) ? `${paint.green(`${clean}:`)} ${work}.` : `${summaryOf(content)}.`,
    ...present(
      !isWhole &&
        paint.dim('"--all" prints all of it, and "npx mcp-codegen explain <rule>" says what a rule means.'),
    ),
  ];
}

function joinLines(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join("");
}

/** Returns the changes with the class of their server's policy and an explanation. */
export function judgeChanges(
  changes: readonly Change[],
  config: Config | undefined,
  options: { readonly failOn?: FailOn | undefined },
): readonly Change[] {
  const judged = applyPolicy(changes, (server) => policyOf(config ?? { servers: {} }, server, options));
  return withCauses(judged).map((change) => ({
    ...change,
    digests: digestsOf(change),
    ...(change.security && { finding: findingId(change) }),
    explanation: explain(change),
  }));
}

/**
 * Returns the check policy of a server: options of the command line, then `servers.<name>.check`, then `check`, then
 * the defaults. Classes of rules are merged; a server's own win.
 */
export function policyOf(
  config: Config,
  server: string,
  options: { readonly failOn?: FailOn | undefined } = {},
): CheckPolicy {
  const settings = getOwn(config.servers, server)?.check;
  const common = config.check;
  return {
    failOn: options.failOn ?? settings?.failOn ?? common?.failOn ?? "any",
    preset: settings?.preset ?? common?.preset ?? "strict",
    rules: Object.fromEntries<RuleClass>([
      ...Object.entries(common?.rules ?? {}),
      ...Object.entries(settings?.rules ?? {}),
    ]),
  };
}

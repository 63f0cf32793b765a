import { relative, resolve, sep } from "node:path";
import { NOT_VERIFIED } from "../core/findings.js";
import { NO_CONTENT } from "../report/report-content.js";
import { PLAIN } from "../report/layout.js";
import type { ReportPlaces } from "../report/locate-findings.js";
import { type RenderContext, renderReport, type Report, type ReportFormat } from "../report/render-report.js";
import { appendText, writeAtomic } from "../files/write-atomic.js";
import type { Project } from "../project/project.js";
import { assertReplaceable, usageError } from "./command-spec.js";
import { type Context, LOG_WIDTH, readPackage } from "./context.js";
import { type OptionValues, REPORT_FLAGS } from "./options.js";
import { errorDocument } from "./report-error.js";

/** The format of the report on stdout, and the report files to write. */
interface ReportPlan {
  readonly stdout: ReportFormat;
  readonly isAll?: boolean | undefined;
  readonly files: readonly { readonly format: ReportFormat; readonly path: string }[];
}

/** A report, the exit code that it leads to, and the project that was compared: undefined where other files were. */
export interface Reported {
  readonly report: Report;
  readonly exitCode: number;
  readonly project?: Project | undefined;
}

/**
 * Writes the report of `work`, which gets whether stdout or a file has its JSON, to stdout and to the files of `--report`; in GitHub
 * Actions, also as annotations and to the step summary. If stdout carries a machine-readable report, the text report goes to stderr.
 * Returns the exit code.
 *
 * @throws McpCodegenError `USAGE` for wrong options of the report; `FILE_FAILED`, after everything else is written
 */
export async function runWithReports(
  context: Context,
  options: OptionValues<typeof REPORT_FLAGS>,
  work: (hasJson: boolean) => Promise<Reported>,
): Promise<number> {
  const plan = planReports(context, options);
  const hasJson = plan.stdout === "json" || plan.files.some(({ format }) => format === "json");
  const { report, exitCode, project } = await withFailureReport(context, plan, () => work(hasJson));
  const { io } = context;
  const rendering = { ...renderContextOf(context, project), isAll: plan.isAll };
  context.print((await renderReport("text", report, rendering)).split("\n").slice(0, -1));
  const onStdout = plan.stdout === "text" ? "" : await renderReport(plan.stdout, report, rendering);
  if (isInActions(context) && plan.stdout !== "github")
    context.printText(await renderReport("github", report, rendering));
  // A file that cannot be written has a document of its own: the JSON on stdout is one document.
  if (plan.stdout !== "json") io.stdout.write(onStdout);
  await writeReportFiles(context, plan, report, project);
  if (plan.stdout === "json") io.stdout.write(onStdout);
  return exitCode;
}

/** Returns the plan for `--format`, `--json` and `--report`. Throws `USAGE`. */
function planReports(
  { io, options }: Context,
  { format, report = [], all: isAll }: OptionValues<typeof REPORT_FLAGS>,
): ReportPlan {
  if (options.json === true && format !== undefined && format !== "json")
    throw usageError(
      `--json cannot be used with --format ${format}.`,
      `Write one of them to a file: --report ${format}=<file>.`,
    );
  const files = report.map((text) => {
    const [name = "", ...rest] = text.split("=");
    const match = REPORT_FLAGS.format.choices.find((choice) => choice === name);
    const file = rest.join("=");
    if (match === undefined || file === "")
      throw usageError(
        `--report ${JSON.stringify(text)} is not <format>=<file>.`,
        `For example: --report sarif=drift.sarif. The formats are ${REPORT_FLAGS.format.choices.join(", ")}.`,
      );
    return { format: match, path: resolve(io.cwd, file) };
  });
  for (const { path } of files) assertReplaceable("--report", path);
  const twice = files.find(({ path }, index) => files.findIndex((file) => file.path === path) !== index);
  if (twice !== undefined)
    throw usageError(
      `--report writes "${relative(io.cwd, twice.path)}" twice.`,
      "Use a different file for each report.",
    );
  return { stdout: options.json === true ? "json" : (format ?? "text"), files, isAll };
}

async function writeReportFiles(
  context: Context,
  plan: ReportPlan,
  report: Report,
  project: Project | undefined,
): Promise<void> {
  const { io } = context;
  const { GITHUB_STEP_SUMMARY: summary = "" } = isInActions(context) ? io.env : {};
  if (plan.files.length === 0 && summary === "") return;
  const plain = {
    ...renderContextOf(context, project),
    layout: { paint: PLAIN, width: LOG_WIDTH },
    isAll: true,
  };
  const written = await Promise.allSettled([
    ...plan.files.map(async ({ format, path }) =>
      writeAtomic(path, await renderReport(format, report, plain)),
    ),
    summary === ""
      ? undefined
      : renderReport("markdown", report, plain).then((text) => appendText(summary, text)),
  ]);
  const failed = written.find((outcome) => outcome.status === "rejected");
  if (failed !== undefined) throw failed.reason;
}

/**
 * Returns the result of `work`. If `work` throws, writes the error to the files of `--report` before it rethrows it: their
 * readers may not see the terminal.
 */
async function withFailureReport<T>(context: Context, plan: ReportPlan, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const document = errorDocument(error);
    const { message, hint } = document.error;
    const content = {
      ...NO_CONTENT,
      unverified: [{ rule: NOT_VERIFIED, server: "mcp-codegen", message, hint }],
      work: "could not go on",
      clean: "Up to date",
    };
    const report: Report = { kind: "error", content, document: () => document };
    await writeReportFiles(context, plan, report, undefined);
    throw error;
  }
}

function isInActions({ io }: Context): boolean {
  return io.env["GITHUB_ACTIONS"] === "true";
}

function renderContextOf(context: Context, project: Project | undefined): RenderContext {
  const { io } = context;
  const root = (isInActions(context) ? io.env["GITHUB_WORKSPACE"] : undefined) ?? io.cwd;
  return {
    layout: context,
    version: readPackage().version,
    findPlaces: () => findPlaces(root, project),
    printPage: async ({ content, kind }) => {
      const { printPage } = await import("./commands/tools/page.js");
      return printPage({ title: `mcp-codegen ${kind}`, content, lock: await project?.findLock() });
    },
  };
}

async function findPlaces(root: string, project: Project | undefined): Promise<ReportPlaces> {
  if (project === undefined) return { lock: undefined, output: undefined };
  const { lock, output } = project.paths;
  const pathOf = (path: string): string => relative(root, path).split(sep).join("/");
  return {
    lock: { path: pathOf(lock), text: (await project.lock()).text() },
    output: output === undefined ? undefined : pathOf(output),
  };
}

import { resolve } from "node:path";
import { printable } from "../../../core/printable.js";
import { nameOfRename, type Rename } from "../../../core/rename.js";
import { INSTALL_PEER } from "../../../core/packages.js";
import { findOwnTsconfig, findTsconfig, loadProject } from "../../load-project.js";
import { fix, type FixReport } from "../../../pipeline/fix/fix.js";
import { placesOf } from "../../../pipeline/places.js";
import { count, quoteForShell } from "../../../report/layout.js";
import type { Runner } from "../../command-spec.js";
import type { Context } from "../../context.js";
import { hasPackage, requirePackage } from "../../packages.js";
import { confirm } from "../../prompts.js";
import type { FIX_FLAGS } from "./spec.js";

/** Edits the user's code for renamed tools and properties. Returns 1 if something is left, uncertain or not written. */
export const runFix: Runner<typeof FIX_FLAGS> = async (context, _arguments, options) => {
  const loaded = await loadProject(context);
  const { output } = placesOf(loaded);
  const folders = output === undefined ? [] : [output, loaded.dir];
  if (options.project !== undefined) requirePackage("ts-morph", "--project", loaded.dir);
  const hasCompiler = hasPackage("ts-morph", loaded.dir);
  const tsconfig =
    options.project !== undefined
      ? findTsconfig(folders, resolve(context.io.cwd, options.project))
      : hasCompiler
        ? findOwnTsconfig(folders)
        : undefined;
  const report = await fix(loaded, {
    against: options.against ?? "HEAD",
    named: options.rename ?? [],
    tsconfig,
    hasCompiler,
    write: options.write === true,
    force: options.force === true,
    // Enter alone moves no permission.
    confirm:
      context.isInteractive && options.yes !== true
        ? (rename) => confirm(context, questionOf(rename), { initial: false })
        : undefined,
  });
  const { applied, guessed, files, left, against, wrote } = report;
  const diff = await printDiff(report);
  const isLeft = left.length + guessed.length > 0 || (files.length > 0 && !wrote);
  context.printText(diff);
  const lacks = hasCompiler
    ? "tsconfig.json; without one, pass --project"
    : `ts-morph: ${INSTALL_PEER["ts-morph"]}`;
  const codeLacks = tsconfig === undefined && output !== undefined ? lacks : undefined;
  return context.report(
    {
      ...{ report: "fix", exitCode: isLeft ? 1 : 0, against, diff, left, wrote },
      applied: applied.map((rename) => ({ rename: nameOfRename(rename) })),
      guessed: guessed.map((rename) => ({ rename: nameOfRename(rename), confidence: rename.confidence })),
      files: files.map(({ path }) => path),
    },
    summaryOf(report, context, { codeLacks, named: options.rename ?? [] }),
  );
};

function questionOf(rename: Rename): string {
  const { kind, server, tool, property = "", before, after, confidence } = rename;
  const quote = (text: string): string => JSON.stringify(printable(text, 80));
  const what = {
    tool: `tool ${quote(before)}`,
    property: `property ${quote(before)} of ${quote(tool)}`,
    value: `value ${quote(before)} of property ${quote(property)} of ${quote(tool)}`,
  }[kind];
  const likely = confidence === undefined ? "only possible" : `${percentOf(confidence)} sure`;
  const sure = rename.because === "declared" ? OPPOSITE : likely;
  return `Was the ${what} (server ${quote(server)}) renamed to ${quote(after)}? (${sure})`;
}

function percentOf(confidence: number): string {
  return `${Math.round(confidence * 100)} percent`;
}

const OPPOSITE = "declared by the server, but the two tools have opposite effects";

async function printDiff({ files }: FixReport): Promise<string> {
  if (files.length === 0) return "";
  const { createTwoFilesPatch } = await import("diff");
  return files
    .map(({ path, before, after }) =>
      createTwoFilesPatch(`a/${path}`, `b/${path}`, before, after, undefined, undefined, {
        context: 2,
      }).replace(/^=+\n/, ""),
    )
    .join("");
}

/** More names make a line that is too long to read. */
const MOST_NAMED = 5;

function summaryOf(
  { applied, guessed, files, missing, left, wrote, against, formerLock, editsConfig }: FixReport,
  { paint }: Context,
  { codeLacks, named }: { readonly codeLacks: string | undefined; readonly named: readonly string[] },
): readonly string[] {
  const skipped =
    codeLacks === undefined ? [] : [`Your code was not searched, since it has no ${codeLacks}.`];
  if (applied.length + guessed.length + left.length === 0)
    return [
      ...(formerLock === "other" ? skipped : []),
      ...describeNothing(formerLock, against, paint, codeLacks !== undefined),
    ];
  const edited = `${count(files.length, "file")} ${wrote ? "edited" : "to edit"}`;
  const rest = left.length > 0 ? `, ${count(left.length, "place")} left for you` : "";
  const isOne = guessed.length === 1;
  const isMany = guessed.length > MOST_NAMED;
  const shown = guessed.slice(0, isMany ? 1 : MOST_NAMED).map(nameOfRename);
  const which = isMany
    ? "those that are right, name each with --rename"
    : isOne
      ? "it"
      : "them, or only those that are right";
  return [
    ...left.map(
      ({ file, line, message }) =>
        `${paint.yellow("left for you")}  ${printable(`${file}:${line}`, 300)} ${printable(message, 400)}`,
    ),
    ...guessed.map(
      (rename) =>
        `${paint.yellow("not applied")}   ${printable(nameOfRename(rename), 300)} ${describeSure(rename)}`,
    ),
    ...skipped,
    missing.length > 0
      ? describeMissing(missing, against)
      : applied.length === 0 && guessed.length > 0
        ? `${count(guessed.length, "rename")} since ${against} ${isOne ? "is not certain, and was" : "are not certain, and were"} not applied.`
        : `${count(applied.length, "rename")} since ${against}: ${edited}${rest}.`,
    ...(files.length > 0 && !wrote ? [`To edit: ${paint.bold(commandOf(["--write"], named))}`] : []),
    ...(wrote && editsConfig
      ? [`The configuration changed. To generate the code again: ${paint.bold("npx mcp-codegen generate")}`]
      : []),
    ...(guessed.length === 0
      ? []
      : [`To apply ${which}: ${paint.bold(commandOf([], [...named, ...shown]))}`]),
  ];
}

/** The new name of a tool may be missing because `pull` held it back. */
function describeMissing(missing: readonly string[], against: string): string {
  const shown = missing.slice(0, MOST_NAMED).map((name) => printable(name, 120));
  const more = missing.length > shown.length ? ` and ${missing.length - shown.length} more` : "";
  return `No rename since ${against} is known: the lock no longer has ${shown.join(", ")}${more}, and does not show which tool replaces it. If "npx mcp-codegen pull" holds the new tool back, accept it, and run fix again. Otherwise name it: --rename ${shown[0] ?? ""}=<new name>`;
}

function describeSure({ because, confidence }: Rename): string {
  if (because === "declared") return `is ${OPPOSITE}`;
  return confidence === undefined
    ? "is possible: one was removed, and one was added"
    : `is a guess (${percentOf(confidence)})`;
}

function describeNothing(
  formerLock: FixReport["formerLock"],
  against: string,
  paint: Context["paint"],
  isCodeSkipped: boolean,
): readonly string[] {
  switch (formerLock) {
    case "none":
      return [`Nothing to edit: ${against} has no lock that the code was written for.`];
    case "same":
      return [
        `Nothing to edit: the lock has not changed since ${against}.`,
        `If the change is committed, name a commit before it: ${paint.bold(`npx mcp-codegen fix --against ${against}~1`)}`,
      ];
    case "other":
      return [
        `Nothing to edit: no file has a name that changed since ${against}${isCodeSkipped ? "" : ", and the compiler finds nothing new"}.`,
      ];
    default:
      return formerLock satisfies never;
  }
}

function commandOf(flags: readonly string[], renames: readonly string[]): string {
  const named = renames.map((rename) => `--rename ${quoteForShell(printable(rename, 300))}`);
  return ["npx mcp-codegen fix", ...named, ...flags].join(" ");
}

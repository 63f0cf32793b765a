import { resolve } from "node:path";
import { printable } from "../../../core/printable.js";
import { nameOfRename, type Rename } from "../../../core/rename.js";
import { INSTALL_PEER } from "../../../core/packages.js";
import { findOwnTsconfig, findTsconfig, loadProject } from "../../load-project.js";
import { fix, type FixReport } from "../../../pipeline/fix/fix.js";
import { count, firstOf, present, quoteForShell } from "../../../report/layout.js";
import type { Runner } from "../../command-spec.js";
import type { Context } from "../../context.js";
import { hasPackage, requirePackage } from "../../packages.js";
import { confirm } from "../../prompts.js";
import type { FIX_FLAGS } from "./spec.js";

/** Edits the user's code for renamed tools and properties. Returns 1 if something is left, uncertain or not written. */
export const runFix: Runner<typeof FIX_FLAGS> = async (context, _arguments, options) => {
  const {
    against = "HEAD",
    rename: named = [],
    project: tsconfigPath,
    write = false,
    force = false,
  } = options;
  const project = await loadProject(context);
  const { output } = project.paths;
  if (tsconfigPath !== undefined) requirePackage("ts-morph", "--project", project.dir);
  const hasCompiler = hasPackage("ts-morph", project.dir);
  const tsconfig =
    tsconfigPath !== undefined
      ? findTsconfig(project, resolve(context.io.cwd, tsconfigPath))
      : hasCompiler
        ? findOwnTsconfig(project)
        : undefined;
  const canAsk = context.isInteractive && options.yes !== true;
  const ask = (rename: Rename): Promise<boolean> => confirm(context, questionOf(rename), { initial: false });
  const asking = canAsk ? ask : undefined;
  const report = await fix(project, { against, named, tsconfig, hasCompiler, write, force, confirm: asking });
  const { applied, guessed, files, left, wrote } = report;
  const diff = await printDiff(report);
  context.printText(diff);
  const lacks = hasCompiler
    ? "tsconfig.json; without one, pass --project"
    : `ts-morph: ${INSTALL_PEER["ts-morph"]}`;
  const codeLacks = tsconfig === undefined && output !== undefined ? lacks : undefined;
  return context.report(
    {
      report: "fix",
      exitCode: left.length + guessed.length > 0 || (files.length > 0 && !wrote) ? 1 : 0,
      against,
      diff,
      left,
      wrote,
      applied: applied.map((rename) => ({ rename: nameOfRename(rename) })),
      guessed: guessed.map((rename) => ({ rename: nameOfRename(rename), confidence: rename.confidence })),
      files: files.map(({ path }) => path),
    },
    summaryOf(report, context.paint, codeLacks, named),
  );
};

function questionOf(rename: Rename): string {
  const quote = (text: string): string => JSON.stringify(printable(text, 80));
  const { kind, server, tool, before, after } = rename;
  const what = kind === "tool" ? "tool" : `property of ${quote(tool)}`;
  return `Was ${quote(before)} (${what}, server ${quote(server)}), which ${describeSure(rename)}, renamed to ${quote(after)}?`;
}

async function printDiff({ files }: FixReport): Promise<string> {
  const { createTwoFilesPatch } = await import("diff");
  const patches = files.map(({ path, before, after }) =>
    createTwoFilesPatch(`a/${path}`, `b/${path}`, before, after, undefined, undefined, { context: 2 }),
  );
  return patches.map((patch) => patch.replace(/^=+\n/, "")).join("");
}

const MOST_LEFT = 40;
/** More names make a line that is too long to read. */
const MOST_NAMED = 5;

function summaryOf(
  report: FixReport,
  paint: Context["paint"],
  codeLacks: string | undefined,
  named: readonly string[],
): readonly string[] {
  const { applied, guessed, files, left, wrote, against, formerLock } = report;
  const skipped = `Your code was not searched, since it has no ${codeLacks ?? ""}.`;
  const isMany = guessed.length > MOST_NAMED;
  const shown = (isMany ? guessed.slice(0, 1) : guessed).map(nameOfRename);
  const which = isMany
    ? "those that are right, name each with --rename"
    : guessed.length === 1
      ? "it"
      : "them, or only those that are right";
  return [
    ...firstOf(
      left.map(
        ({ file, line, message }) =>
          `${paint.yellow("left for you")}  ${printable(`${file}:${line}`, 300)} ${printable(message, 400)}`,
      ),
      MOST_LEFT,
      (rest) => paint.dim(`… and ${rest} more: "--json" lists them all`),
    ),
    ...guessed.map(
      (rename) =>
        `${paint.yellow("not applied")}   ${printable(nameOfRename(rename), 300)} ${describeSure(rename)}`,
    ),
    ...present(codeLacks !== undefined && formerLock === "other" && skipped),
    ...(applied.length + guessed.length + left.length === 0
      ? describeNothing(formerLock, against, paint)
      : [describeRenames(report)]),
    ...present(
      files.length > 0 && !wrote && `To edit: ${paint.bold(commandOf(named, ["--write"]))}`,
      shown.length > 0 && `To apply ${which}: ${paint.bold(commandOf([...named, ...shown], []))}`,
    ),
  ];
}

function describeRenames({ applied, guessed, files, left, wrote, against }: FixReport): string {
  const places = `${count(left.length, "place")} left for you`;
  if (applied.length > 0)
    return `${count(applied.length, "rename")} since ${against}: ${count(files.length, "file")} ${wrote ? "edited" : "to edit"}${left.length > 0 ? `, ${places}` : ""}.`;
  const isOne = guessed.length === 1;
  return guessed.length === 0
    ? `No rename since ${against} is open: ${places}. If you know one that the lock does not show, name it: --rename <server/old=new>`
    : `${count(guessed.length, "rename")} since ${against} ${isOne ? "is not certain, and was" : "are not certain, and were"} not applied.`;
}

function describeSure({ because, confidence = 0 }: Rename): string {
  return because === "declared"
    ? "is declared by the server, but the two tools have opposite effects"
    : `is a guess (${Math.round(confidence * 100)} percent)`;
}

function describeNothing(
  formerLock: FixReport["formerLock"],
  against: string,
  paint: Context["paint"],
): readonly string[] {
  switch (formerLock) {
    case "none":
      return [`Nothing to edit: ${against} has no lock that the code was written for.`];
    case "same":
      return [
        `Nothing to edit: the lock has not changed since ${against}. Changes of the configuration, such as tools.rename, are not compared.`,
        `If a server has the change, take it first: ${paint.bold("npx mcp-codegen pull")}`,
        `If the change is committed, name a commit before it: ${paint.bold("npx mcp-codegen fix --against HEAD~1")}`,
      ];
    case "other":
      return [`Nothing to edit: no name that your code uses has changed since ${against}.`];
    default:
      return formerLock satisfies never;
  }
}

function commandOf(renames: readonly string[], flags: readonly string[]): string {
  const named = renames.map((rename) => `--rename ${quoteForShell(printable(rename, 300))}`);
  return ["npx mcp-codegen fix", ...named, ...flags].join(" ");
}

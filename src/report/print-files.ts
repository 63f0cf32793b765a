import type { StaleFile } from "../pipeline/reports.js";
import { formatNumber } from "./count.js";
import type { Paint } from "./paint.js";
import { printable } from "../contract/printable.js";
import { printStderr } from "./print-error.js";
import type { Unverified } from "../contract/diagnostic.js";

const SHOWN = 50;

/**
 * Prints the files that are out of date, with their state, after an interrupted write and files that block generated
 * ones.
 */
export function printFiles(title: string, files: readonly StaleFile[], paint: Paint): readonly string[] {
  const cutOff = files.filter(({ state }) => state === "cut-off");
  const inTheWay = files.filter(({ state }) => state === "in-the-way");
  const others = files.filter(({ state }) => !["cut-off", "in-the-way"].includes(state));
  return [
    ...cutOff.map(({ reason = "A write was cut off." }) => paint.yellow(reason)),
    ...printWithHint("Not generated, and in the way:", inTheWay, paint),
    ...printGroup(title, others, (file) => printLagging(file, paint), paint),
  ];
}

/** Prints files with a common problem, and how to fix it. */
function printWithHint(title: string, files: readonly StaleFile[], paint: Paint): readonly string[] {
  const hints = new Set(files.flatMap(({ hint }) => hint ?? []));
  return [
    ...printGroup(title, files, ({ path }) => `  ${printable(path)}`, paint),
    ...[...hints].map((hint) => `    ${paint.cyan("hint:")} ${hint}`),
  ];
}

function printLagging({ path, state, reason }: StaleFile, paint: Paint): string {
  const why = reason === undefined ? "" : paint.dim(` (${printable(reason)})`);
  return `  ${state.padEnd(8)} ${printable(path)}${why}`;
}

function printGroup(
  title: string,
  files: readonly StaleFile[],
  print: (file: StaleFile) => string,
  paint: Paint,
): readonly string[] {
  if (files.length === 0) return [];
  const rest = files.length - SHOWN;
  return [
    paint.bold(title),
    ...files.slice(0, SHOWN).map(print),
    ...(rest > 0 ? [paint.dim(`  … and ${formatNumber(rest)} more: "--json" lists them all`)] : []),
  ];
}

/** Prints what could not be verified, separate from what was. */
export function printUnverified(unverified: readonly Unverified[], paint: Paint): readonly string[] {
  if (unverified.length === 0) return [];
  return [
    paint.bold("Not verified:"),
    ...unverified.flatMap(({ server, environment, rule, reason, hint, stderr = [] }) => [
      [
        paint.yellow(`  ${server}${environment === undefined ? "" : ` (${printable(environment)})`}:`),
        paint.yellow(printable(reason, 400)),
        ...(rule === undefined ? [] : [paint.dim(`[${rule}]`)]),
      ].join(" "),
      ...printStderr(stderr, "    "),
      ...(hint === undefined ? [] : [`    ${paint.cyan("hint:")} ${printable(hint, 400)}`]),
    ]),
  ];
}

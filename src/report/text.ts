import type { Unverified } from "../core/diagnostic.js";
import { formatNumber, printable } from "../core/printable.js";
import type { StaleFile } from "../pipeline/reports.js";
import { printImpact, printPhp } from "./describe-findings.js";
import { printEnvironments } from "./environment-table.js";
import type { Findings } from "./findings.js";
import { countClasses, countFindings, foldChanges, nameOwner } from "./fold-changes.js";
import { firstOf, type Layout, type Paint, present, printStderr } from "./layout.js";
import { printGlossary, printServerChanges } from "./print-changes.js";
import { printDiagnostics } from "./print-generate.js";
import { type Row, rowsOf, type Sections } from "./rows.js";

/** Prints the lists of a report for a terminal. */
export function printLists(findings: Findings, layout: Layout): readonly string[] {
  const { changes, environments = [], impact, php, stale, diagnostics, unverified } = findings;
  const { paint } = layout;
  // Where nothing fails, the rest is all that there is to read.
  const hasFailing = changes.some(({ fails }) => fails);
  const shown = hasFailing ? changes.filter(({ fails }) => fails) : changes;
  // The lines of changes depend on the width.
  const rows = rowsOf(findings);
  const fileFindings = (title: string, those: readonly Row[]): readonly string[] =>
    underTitle(title, those, paint, (row) => printFileFinding(row, paint));
  const sections: Sections<string> = {
    changes: [
      ...printServerChanges(shown, layout),
      ...countRest(hasFailing ? changes.filter(({ fails }) => !fails) : [], paint),
      ...printEnvironments(environments, paint),
      ...printImpact(impact, changes, paint),
    ],
    php: printPhp(php, paint),
    overBudget: underTitle("Over budget:", rows.overBudget, paint, ({ place, message }) => [
      paint.red(`  ${place}`),
      `    ${message}`,
    ]),
    cassettes: fileFindings("Cassettes:", rows.cassettes),
    scripts: fileFindings("Scripts:", rows.scripts),
    mentions: fileFindings("Unknown names:", rows.mentions),
    hosts: underTitle("Hosts:", rows.hosts, paint, ({ level, place, subject, rule, message, notes }) => [
      `  ${paint[level === "notice" ? "dim" : "red"](present(place, subject).join(" "))} ${paint.dim(`(${rule})`)}`,
      `    ${message}`,
      ...notes.map(({ text }) => `    ${text}`),
    ]),
    stale: printFiles("Out of date:", stale, paint),
    edited: underTitle("Edited by hand:", rows.edited, paint, ({ subject }) => [
      paint.yellow(`  ${subject}`),
    ]),
    diagnostics: printDiagnostics(diagnostics, paint),
    waivers: underTitle("Waivers:", rows.waivers, paint, ({ message }) => [paint.yellow(`  ${message}`)]),
    unverified: printUnverified(unverified, paint),
  };
  return [...Object.values(sections).flat(), ...printGlossary(shown, paint)];
}

function underTitle(
  title: string,
  rows: readonly Row[],
  paint: Paint,
  print: (row: Row) => readonly string[],
): readonly string[] {
  return rows.length === 0 ? [] : [paint.bold(title), ...rows.flatMap(print)];
}

function printFileFinding({ level, subject, column, rule, message }: Row, paint: Paint): readonly string[] {
  const place = `${subject}:${column ?? 1}`;
  // A waiver covers a notice.
  return [
    `  ${level === "notice" ? paint.dim(place) : paint.red(place)} ${paint.dim(`(${rule})`)}`,
    `    ${message}`,
  ];
}

function countRest(rest: Findings["changes"], paint: Paint): readonly string[] {
  const folded = foldChanges(rest);
  if (folded.length === 0) return [];
  const isWaived = ({ changes: [{ waiver }] }: (typeof folded)[number]): boolean => waiver !== undefined;
  const waived = folded.filter(isWaived);
  const others = folded.filter((finding) => !isWaived(finding));
  const pronoun = ({ length }: typeof folded): string => (length === 1 ? "it" : "them");
  // A new version of the server has no impact.
  const isSilent = others.every(({ changes }) => changes.every(({ impacts }) => impacts.length === 0));
  const why = isSilent
    ? `no call and no model notices ${pronoun(others)}`
    : `check.failOn allows ${pronoun(others)}`;
  const sentences = [
    ...(others.length > 0
      ? [`Not shown, since ${why}: ${countFindings(others)} (${countClasses(others)}).`]
      : []),
    ...(waived.length > 0 ? [`Waived: ${countFindings(waived)}.`] : []),
    `"--json" lists ${pronoun(folded)}.`,
  ];
  return [paint.dim(sentences.join(" "))];
}

const SHOWN_FILES = 50;

/**
 * Prints the files that are out of date, with their state, after an interrupted write and files that block generated
 * ones.
 */
export function printFiles(title: string, files: readonly StaleFile[], paint: Paint): readonly string[] {
  const cutOff = files.filter(({ state }) => state === "cut-off");
  const inTheWay = files.filter(({ state }) => state === "in-the-way");
  const others = files.filter(({ state }) => !["cut-off", "in-the-way"].includes(state));
  const hints = new Set(inTheWay.flatMap(({ hint }) => hint ?? []));
  return [
    ...cutOff.map(({ reason = "A write was cut off." }) => paint.yellow(reason)),
    ...printGroup("Not generated, and in the way:", inTheWay, ({ path }) => `  ${printable(path)}`, paint),
    ...[...hints].map((hint) => `    ${paint.cyan("hint:")} ${hint}`),
    ...printGroup(title, others, (file) => printLagging(file, paint), paint),
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
  const more = (rest: number): string =>
    paint.dim(`  … and ${formatNumber(rest)} more: "--json" lists them all`);
  return [paint.bold(title), ...firstOf(files.map(print), SHOWN_FILES, more)];
}

/** Prints the servers and files that could not be verified. */
export function printUnverified(unverified: readonly Unverified[], paint: Paint): readonly string[] {
  if (unverified.length === 0) return [];
  return [
    paint.bold("Not verified:"),
    ...unverified.flatMap(({ server, environment, rule, reason, hint, stderr = [] }) => [
      present(
        paint.yellow(`  ${printable(nameOwner({ server, environment }), 160)}:`),
        paint.yellow(printable(reason, 400)),
        rule && paint.dim(`[${rule}]`),
      ).join(" "),
      ...printStderr(stderr, "    "),
      ...present(hint).map((text) => `    ${paint.cyan("hint:")} ${printable(text, 400)}`),
    ]),
  ];
}

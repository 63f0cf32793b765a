import { NOT_VERIFIED } from "../core/findings.js";
import type { Finding } from "../core/finding.js";
import { formatNumber, printable } from "../core/printable.js";
import { printImpact, printPhp } from "./describe-findings.js";
import { printEnvironments } from "./environment-table.js";
import type { ReportContent } from "./report-content.js";
import { countClasses, countFindings, foldChanges, nameOwner } from "./fold-changes.js";
import { firstOf, type Layout, type Paint, present, printStderr } from "./layout.js";
import { printGlossary, printServerChanges } from "./print-changes.js";
import { printNotes } from "./print-generate.js";
import { type Row, rowsOf, type Sections, splitFiles } from "./rows.js";

/** Prints the lists of a report for a terminal. */
export function printLists(content: ReportContent, layout: Layout): readonly string[] {
  const { changes, environments = [], impact, php, files, notes, unverified } = content;
  const { paint } = layout;
  // Where nothing fails, the rest is all that there is to read.
  const hasFailing = changes.some(({ fails }) => fails);
  const shown = hasFailing ? changes.filter(({ fails }) => fails) : changes;
  // The lines of changes depend on the width.
  const rows = rowsOf(content);
  const inFiles = (title: string, those: readonly Row[]): readonly string[] =>
    underTitle(title, those, paint, (row) => printInFile(row, paint));
  const sections: Sections<string> = {
    changes: [
      ...printServerChanges(shown, layout),
      ...countRest(hasFailing ? changes.filter(({ fails }) => !fails) : [], paint),
      ...printEnvironments(environments, paint),
      ...printImpact(impact, changes, paint),
    ],
    php: printPhp(php, paint),
    budget: underTitle("Over budget:", rows.budget, paint, ({ place, message }) => [
      paint.red(`  ${place}`),
      `    ${message}`,
    ]),
    records: inFiles("Cassettes:", rows.records),
    scripts: inFiles("Scripts:", rows.scripts),
    names: inFiles("Unknown names:", rows.names),
    hosts: underTitle(
      "Hosts:",
      rows.hosts,
      paint,
      ({ level, place, subject, rule, message, notes: more }) => [
        `  ${paint[level === "notice" ? "dim" : "red"](present(place, subject).join(" "))} ${paint.dim(`(${rule})`)}`,
        `    ${message}`,
        ...more.map(({ text }) => `    ${text}`),
      ],
    ),
    files: [
      ...printFiles("Out of date:", files, paint),
      ...underTitle("Edited by hand:", splitFiles(rows).edited, paint, ({ subject }) => [
        paint.yellow(`  ${subject}`),
      ]),
    ],
    notes: printNotes(notes, paint),
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

function printInFile(
  { level, subject, rule, message, findings: [{ column = 1 }] }: Row,
  paint: Paint,
): readonly string[] {
  const place = `${subject}:${column}`;
  // A waiver covers a notice.
  return [
    `  ${level === "notice" ? paint.dim(place) : paint.red(place)} ${paint.dim(`(${rule})`)}`,
    `    ${message}`,
  ];
}

function countRest(rest: ReportContent["changes"], paint: Paint): readonly string[] {
  const folded = foldChanges(rest);
  if (folded.length === 0) return [];
  const isWaived = ({ findings: [{ waiver }] }: (typeof folded)[number]): boolean => waiver !== undefined;
  const waived = folded.filter(isWaived);
  const others = folded.filter((finding) => !isWaived(finding));
  const pronoun = ({ length }: typeof folded): string => (length === 1 ? "it" : "them");
  // A new version of the server has no impact.
  const isSilent = others.every(({ findings }) => findings.every(({ impacts }) => impacts.length === 0));
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
export function printFiles(title: string, files: readonly Finding[], paint: Paint): readonly string[] {
  const isIn = ({ facts }: Finding, ...states: readonly string[]): boolean =>
    states.includes(facts?.state ?? "");
  const cutOff = files.filter((file) => isIn(file, "cut-off"));
  const inTheWay = files.filter((file) => isIn(file, "in-the-way"));
  const others = files.filter((file) => !isIn(file, "cut-off", "in-the-way", "edited"));
  const hints = new Set(inTheWay.flatMap(({ hint }) => hint ?? []));
  return [
    ...cutOff.map(({ message = "A write was cut off." }) => paint.yellow(message)),
    ...printGroup(
      "Not generated, and in the way:",
      inTheWay,
      ({ file = "" }) => `  ${printable(file)}`,
      paint,
    ),
    ...[...hints].map((hint) => `    ${paint.cyan("hint:")} ${hint}`),
    ...printGroup(title, others, (finding) => printLagging(finding, paint), paint),
  ];
}

function printLagging({ file = "", message, facts }: Finding, paint: Paint): string {
  const why = message === undefined ? "" : paint.dim(` (${printable(message)})`);
  return `  ${(facts?.state ?? "").padEnd(8)} ${printable(file)}${why}`;
}

function printGroup(
  title: string,
  files: readonly Finding[],
  print: (file: Finding) => string,
  paint: Paint,
): readonly string[] {
  if (files.length === 0) return [];
  const more = (rest: number): string =>
    paint.dim(`  … and ${formatNumber(rest)} more: "--json" lists them all`);
  return [paint.bold(title), ...firstOf(files.map(print), SHOWN_FILES, more)];
}

/** Prints the servers and files that could not be verified. */
export function printUnverified(unverified: readonly Finding[], paint: Paint): readonly string[] {
  if (unverified.length === 0) return [];
  return [
    paint.bold("Not verified:"),
    ...unverified.flatMap(
      ({ server = "", environment, message = "", hint, rule, facts: { stderr = [] } = {} }) => [
        present(
          paint.yellow(`  ${printable(nameOwner({ server, environment }), 160)}:`),
          paint.yellow(printable(message, 400)),
          rule !== NOT_VERIFIED && paint.dim(`[${rule}]`),
        ).join(" "),
        ...printStderr(stderr, "    "),
        ...present(hint).map((text) => `    ${paint.cyan("hint:")} ${printable(text, 400)}`),
      ],
    ),
  ];
}

import { NOT_VERIFIED, type Section } from "../core/findings.js";
import type { Finding } from "../core/finding.js";
import { formatNumber, printable, widthOf } from "../core/printable.js";
import { printPhp } from "./describe-findings.js";
import { printEnvironments } from "./environment-table.js";
import { filesIn, isEdited, type Repair, type ReportContent } from "./report-content.js";
import { describeHead, type HeadContent, joinHead, type listHits, MOST_HITS } from "./report-head.js";
import { countClasses, countFindings, foldChanges, isWaived, nameOwner } from "./fold-changes.js";
import { count, firstOf, joinWithin, type Layout, type Paint, present, printStderr, wrap } from "./layout.js";
import { type FittedLines, printChanges } from "./print-changes.js";
import { printNotes } from "./print-generate.js";
import { type Row, rowsOf, TITLES } from "./rows.js";

/** The most lines of a report without `--all`, besides its two last ones, which may wrap: 60 are what a person reads at once. */
const MOST = 56;
/** The fewest lines of changes, and the most of all other sections together. */
const LEAST_OF_CHANGES = 20;

/** Prints a report for a terminal, without its last line. */
export function printLists(content: ReportContent, layout: Layout, isAll: boolean): FittedLines {
  const { paint } = layout;
  const head = printHead(content, layout);
  const lines = head.length + countWrapped(content, layout);
  const { changes, ...others } = sectionsOf(content, layout);
  const filled = Object.values(others).filter(({ length }) => length > 0);
  const rest = [...changes, ...filled.flat()];
  const room = MOST - lines - LEAST_OF_CHANGES;
  const isCut = !isAll && rest.length > room;
  const each = Math.max(3, Math.floor(room / Math.max(1, filled.length + 1)));
  const more = (left: number): string => paint.dim(`  … ${count(left, "more line")}`);
  const cut = isCut ? [changes, ...filled].flatMap((lines) => firstOf(lines, each, more)) : rest;
  // Where nothing fails, the rest is all that there is to read.
  const hasFailing = content.changes.some(({ fails }) => fails);
  const shown = hasFailing ? content.changes.filter(({ fails }) => fails) : content.changes;
  const silent = countRest(hasFailing ? content.changes.filter(({ fails }) => !fails) : [], paint);
  const most = isAll ? Infinity : MOST - lines - cut.length - silent.length;
  const printed = printChanges(isAll ? content.changes : shown, layout, most);
  return {
    lines: [...head, ...printed.lines, ...(isAll ? [] : silent), ...cut],
    isWhole: printed.isWhole && !isCut,
  };
}

/** The lines of each section in their order. Forgetting a section is an error of the compiler. */
function sectionsOf(content: ReportContent, layout: Layout): Readonly<Record<Section, readonly string[]>> {
  const { environments = [], php, files, notes, unverified } = content;
  const { paint } = layout;
  // The rows of changes depend on the width.
  const rows = rowsOf(content);
  const edited = files.filter(isEdited).map(({ file = "" }) => paint.yellow(`  ${printable(file, 400)}`));
  const list = (section: Exclude<Section, "changes">): readonly string[] =>
    underTitle(
      `${TITLES[section]}:`,
      rows[section].flatMap((row) => printRow(row, layout)),
      paint,
    );
  return {
    changes: printEnvironments(environments, paint),
    php: printPhp(php, paint),
    budget: list("budget"),
    records: list("records"),
    scripts: list("scripts"),
    names: list("names"),
    hosts: list("hosts"),
    files: [...printFiles("Out of date:", files, paint), ...underTitle("Edited by hand:", edited, paint)],
    notes: printNotes(notes, paint),
    waivers: underTitle(`${TITLES.waivers}:`, printWaivers(rows.waivers, layout), paint),
    unverified: printUnverified(unverified, paint),
  };
}

/** Prints what changed on each server, what can be done, and the lines of the user's code that are hit. */
export function printHead(content: HeadContent, layout: Layout): readonly string[] {
  const { heads, ways, notes, hits } = describeHead(content);
  const { paint, width } = layout;
  const blocks = [
    heads.flatMap((words) => {
      const line = joinHead(words);
      return widthOf(line) > width ? wrap(line, width) : [joinHead(words, paint.bold(words.owner))];
    }),
    ways.map(({ does, command }) => `  ${does.padEnd(longestPurpose(ways))}  ${paint.bold(command)}`),
    notes.flatMap((text) => wrap(text, width)),
    printHits("Your code", hits, layout),
  ];
  return blocks.filter(({ length }) => length > 0).flatMap((block) => [...block, ""]);
}

/** Prints lines of the user's code under a title; nothing without any. */
export function printHits(
  title: string,
  hits: ReturnType<typeof listHits>,
  layout: Layout,
): readonly string[] {
  const { paint, width } = layout;
  const places = hits.map(({ quote, text, tools }) => {
    const words = present(text, joinWithin(tools, 40)).join("  ");
    const isShort = widthOf(`${quote}${words}`) + 4 <= width;
    return isShort
      ? [`  ${paint.cyan(quote)}  ${words}`]
      : [`  ${paint.cyan(quote)}`, ...indent(words, layout)];
  });
  const rest = (left: number): readonly string[] => [paint.dim(`  … ${count(left, "more line")}`)];
  return underTitle(title, firstOf(places, MOST_HITS, rest).flat(), paint);
}

/** The lines that commands of the head take beyond one each, once a terminal wraps them under their purpose. */
function countWrapped({ repairs, ways }: ReportContent, { width }: Layout): number {
  const all = [...repairs, ...ways];
  const room = Math.max(20, width - longestPurpose(all) - 6);
  return all.reduce((sum, { command }) => sum + Math.ceil(widthOf(command) / room) - 1, 0);
}

function longestPurpose(ways: readonly Repair[]): number {
  return Math.max(0, ...ways.map(({ does }) => does.length));
}

function indent(text: string, { width }: Layout, columns = 4): readonly string[] {
  return wrap(text, width - columns).map((line) => " ".repeat(columns) + line);
}

function underTitle(title: string, lines: readonly string[], paint: Paint): readonly string[] {
  return lines.length === 0 ? [] : [paint.bold(title), ...lines];
}

/** The most waivers that are not used to print. */
const MOST_UNUSED = 5;

/** Prints a waiver that is not used on one line, as the command that removes it, which says all about it. */
function printWaivers(rows: readonly Row[], layout: Layout): readonly string[] {
  const isUnused = ({ findings: [{ facts }] }: Row): boolean => facts?.state === "unused";
  const unused = rows.filter(isUnused).flatMap(({ notes }) => notes.map(({ text }) => `  Not used. ${text}`));
  const others = rows.filter((row) => !isUnused(row));
  return [
    ...others.flatMap(({ message, notes }) => [
      ...indent(message, layout, 2).map((line) => layout.paint.yellow(line)),
      ...notes.map(({ text }) => `  ${text}`),
    ]),
    ...firstOf(
      unused,
      MOST_UNUSED,
      (rest) => `  … ${count(rest, "more waiver")} that ${rest === 1 ? "is" : "are"} not used`,
    ),
  ];
}

function printRow({ level, place, subject, rule, message, notes }: Row, layout: Layout): readonly string[] {
  const { paint } = layout;
  const name = present(place, subject).join(" ") || "all tools";
  return [
    // A notice is waived, or a host merely alters something.
    `  ${paint[level === "notice" ? "dim" : "red"](name)} ${paint.dim(`(${rule})`)}`,
    ...[message, ...notes.map(({ text }) => text)].flatMap((text) => indent(text, layout)),
  ];
}

function countRest(rest: ReportContent["changes"], paint: Paint): readonly string[] {
  const folded = foldChanges(rest);
  if (folded.length === 0) return [];
  const waived = folded.filter(isWaived);
  const others = folded.filter((finding) => !isWaived(finding));
  const pronoun = ({ length }: typeof folded): string => (length === 1 ? "it" : "them");
  // A new version of the server has no impact.
  const isSilent = others.flat().every(({ impacts }) => impacts.length === 0);
  const why = isSilent
    ? `no call and no model notices ${pronoun(others)}`
    : `failOn allows ${pronoun(others)}`;
  const sentences = present(
    others.length > 0 && `Not shown, since ${why}: ${countFindings(others)} (${countClasses(others)}).`,
    waived.length > 0 && `Waived: ${countFindings(waived)}.`,
    `"--all" shows ${pronoun(folded)}.`,
  );
  return [paint.dim(sentences.join(" "))];
}

const SHOWN_FILES = 5;

/**
 * Prints the files that are out of date, with their state, after an interrupted write and files that block generated
 * ones.
 */
export function printFiles(title: string, files: readonly Finding[], paint: Paint): readonly string[] {
  const cutOff = filesIn(files, "cut-off");
  const inTheWay = filesIn(files, "in-the-way");
  const others = filesIn(files, "missing", "stale", "orphaned").map(({ file = "", message, facts }) => {
    const why = message === undefined ? "" : paint.dim(` (${printable(message)})`);
    return `  ${(facts?.state ?? "").padEnd(8)} ${printable(file)}${why}`;
  });
  const hints = new Set(inTheWay.flatMap(({ hint }) => hint ?? []));
  const blocking = inTheWay.map(({ file = "" }) => `  ${printable(file)}`);
  const first = (lines: readonly string[]): readonly string[] =>
    firstOf(lines, SHOWN_FILES, (rest) =>
      paint.dim(`  … and ${formatNumber(rest)} more: "--json" lists them all`),
    );
  return [
    ...cutOff.map(({ message = "A write was cut off." }) => paint.yellow(message)),
    ...underTitle("Not generated, and in the way:", first(blocking), paint),
    ...Array.from(hints).map((hint) => `    ${paint.cyan("hint:")} ${hint}`),
    ...underTitle(title, first(others), paint),
  ];
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

import { subjectOf } from "./describe-place.js";
import type { CallSite, Change } from "../contract/change.js";
import type { Unverified } from "../contract/diagnostic.js";
import { printable } from "../contract/printable.js";
import type { AppliedWaiver, WaiverNotice } from "../contract/waivers.js";
import type { CassetteFinding } from "../contract/cassette-finding.js";
import { MENTION_RULE, type MentionFinding } from "../contract/mention.js";
import type { BudgetExcess, ImpactSummary, PhpNotes, StaleFile } from "../pipeline/reports.js";
import type { Note } from "./describe-change.js";
import { placeOf } from "./group-changes.js";
import { count, formatNumber, type Paint } from "./layout.js";
import { printStderr } from "./print-error.js";

/** How many places are named for one change; `--json` has all of them. */
const SHOWN_SITES = 20;

/** The affected places in the user's code: "src/agent.ts:42 passes `limit`, removed". */
export function describeCallSites(callSites: readonly CallSite[]): readonly Note[] {
  const rest = callSites.length - SHOWN_SITES;
  return [
    ...callSites.slice(0, SHOWN_SITES).map(({ file, line, says, effect }): Note => {
      const note = NOTES[effect];
      return {
        quote: `${printable(file)}:${line}`,
        text: `${printable(says, 300)}${note === "" ? "" : ` (${note})`}`,
      };
    }),
    ...(rest > 0 ? [{ text: `and ${count(rest, "more place")} in your code` }] : []),
  ];
}

/** Added after the description of a place. */
const NOTES = {
  "stops-compiling": "",
  unchecked: "nothing checks it",
  rejected: "it compiles",
  "may-be-rejected": "it compiles",
  "names-it": "",
} as const satisfies Record<CallSite["effect"], string>;

/** Prints a summary of the search: the number of places, unused tools, and what could not be searched. */
export function printImpact(
  impact: ImpactSummary | undefined,
  changes: readonly Change[],
  paint: Paint,
): readonly string[] {
  if (impact === undefined || changes.length === 0) return [];
  const where = impact.projects.map((path) => printable(path)).join(", ");
  if (impact.problem !== undefined)
    return [`${paint.yellow("Call sites were not searched:")} ${printable(impact.problem, 400)}`];
  const sites = changes
    .flatMap(({ callSites = [] }) => callSites)
    .filter(({ effect }) => effect !== "names-it");
  const tools = impact.unused.map(({ server, tool }) => `${printable(server)} ${printable(tool, 80)}`);
  return [
    `Your code (${where}): ${describeExtent(sites, impact.files)}.`,
    ...(tools.length === 0 ? [] : [`Changed, but not used in your code: ${tools.join(", ")}.`]),
  ];
}

/** `3 lines affected, in 2 of the 5 files that use generated code` */
function describeExtent(sites: readonly CallSite[], users: number): string {
  if (users === 0) return "no file uses generated code";
  const lines = new Set(sites.map(({ file, line }) => `${file}:${line}`)).size;
  const files = new Set(sites.map(({ file }) => file)).size;
  const all =
    users === 1
      ? "the only file that uses generated code"
      : `the ${count(users, "file")} that use generated code`;
  if (lines === 0) return `no lines affected in ${all}`;
  return `${count(lines, "line")} affected, in ${users === 1 ? "" : `${formatNumber(files)} of `}${all}`;
}

/** How many names of each kind are shown; `--json` has all of them. */
const SHOWN_NAMES = 10;

/** The place in the user's PHP that defines the changed value. */
export function describePhp({ php, rule }: Change): readonly Note[] {
  if (php === undefined) return [];
  const place = `${printable(php.file)}${php.line === undefined ? "" : `:${php.line}`}`;
  const text = rule === "tool-removed" ? "registered it" : php.isRegistration ? "registers it" : "defines it";
  return [{ quote: place, text }];
}

/**
 * Prints notes about reading PHP: abilities that were not compared or that WordPress would refuse, and placeholders.
 */
export function printPhp(notes: readonly PhpNotes[], paint: Paint): readonly string[] {
  return notes.flatMap(({ server, by, abilities, hidden, others, refused, madeUp }) => [
    `${paint.bold(printable(server))}: ${abilities === 1 ? "1 ability" : `${formatNumber(abilities)} abilities`} read with ${printable(by)}.`,
    ...(hidden === undefined
      ? []
      : [`  not listed as tools, since ${hidden.key} is not true: ${listOf(hidden.abilities)}`]),
    ...(others.length === 0
      ? []
      : [
          `  ${count(others.length, "tool")} not registered by this PHP, and not compared: ${listOf(others)}`,
        ]),
    ...refused.map(({ kind, name, reason, file, line }) =>
      paint.yellow(
        `  WordPress would not register the ${kind} ${printable(JSON.stringify(name), 120)} (${printable(file)}:${line}): ${printable(reason, 300)}`,
      ),
    ),
    ...(madeUp.length === 0
      ? []
      : [paint.dim(`  not defined in this PHP, replaced by placeholders: ${listOf(madeUp)}`)]),
  ]);
}

function listOf(names: readonly string[]): string {
  const rest = names.length - SHOWN_NAMES;
  const shown = names.slice(0, SHOWN_NAMES).map((name) => printable(name, 80));
  return `${shown.join(", ")}${rest > 0 ? ` and ${rest} more` : ""}`;
}

/** Prints the servers whose tools exceed their token budget. */
export function printOverBudget(overBudget: readonly BudgetExcess[], paint: Paint): readonly string[] {
  if (overBudget.length === 0) return [];
  return [
    paint.bold("Over budget:"),
    ...overBudget.flatMap((excess) => [
      paint.red(`  ${printable(placeOf(excess), 160)}`),
      `    ${describeExcess(excess)}`,
    ]),
  ];
}

/** What is wrong in a file of the project: a recorded call, or a name. */
type FileFinding = CassetteFinding | MentionFinding;

/** Prints what the lock contradicts in files, each with its place. */
export function printRecorded(
  title: string,
  findings: readonly FileFinding[],
  paint: Paint,
): readonly string[] {
  if (findings.length === 0) return [];
  return [
    paint.bold(title),
    ...findings.flatMap((finding) => {
      const place = printable(`${finding.path}:${finding.line}:${finding.column}`, 300);
      return [
        `  ${isWaived(finding) ? paint.dim(place) : paint.red(place)} ${paint.dim(`(${finding.rule})`)}`,
        `    ${describeFileFinding(finding)}`,
      ];
    }),
  ];
}

/** Whether a waiver covers the finding, which then does not fail. */
export function isWaived(finding: FileFinding): boolean {
  return finding.rule === MENTION_RULE && finding.waiver !== undefined;
}

/** Returns one line with the tool and what is wrong. */
export function describeFileFinding(finding: FileFinding): string {
  const { message } = finding;
  if (finding.rule === MENTION_RULE) {
    const waived = finding.waiver === undefined ? "" : ` (${describeWaiver(finding.waiver)})`;
    return `${printable(message, 700)}${waived}`;
  }
  const { server, tool, calls } = finding;
  const subject = server === undefined || tool === undefined ? [] : [printable(`${server} ${tool}`, 160)];
  const number = calls > 1 ? [count(calls, "call")] : [];
  const lead = [...subject, ...number].join(", ");
  return `${lead === "" ? "" : `${lead}: `}${printable(message, 700)}`;
}

/** Returns one line with the cost of a server's tools, the budget, and the most expensive tools. */
export function describeExcess({ of, tokens, budget, isEstimate, largest }: BudgetExcess): string {
  const whose = of === "lock" ? "The locked tools" : "The server's current tools";
  const most = largest.map((one) => `${printable(one.tool, 80)} ${formatNumber(one.tokens)}`).join(", ");
  return (
    `${whose} cost ${isEstimate ? "about " : ""}${formatNumber(tokens)} tokens, and check.tokenBudget is ${formatNumber(budget)}. ` +
    `Largest: ${most}. Exclude tools with tools.exclude, or raise the budget.`
  );
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
  const rest = files.length - SHOWN_FILES;
  return [
    paint.bold(title),
    ...files.slice(0, SHOWN_FILES).map(print),
    ...(rest > 0 ? [paint.dim(`  … and ${formatNumber(rest)} more: "--json" lists them all`)] : []),
  ];
}

/** Prints the generated files that were edited by hand. */
export function printEdited(paths: readonly string[], paint: Paint): readonly string[] {
  if (paths.length === 0) return [];
  return [paint.bold("Edited by hand:"), ...paths.map((path) => paint.yellow(`  ${printable(path)}`))];
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

const SAYS = {
  expired: "has expired, so its finding fails again",
  void: "waives nothing: its finding was changed again",
  unused: "matches nothing here; remove it if no other check needs it, such as check --against",
} as const satisfies Record<WaiverNotice["state"], string>;

/** Prints the waivers without effect, a line each. */
export function printWaivers(notices: readonly WaiverNotice[], paint: Paint): readonly string[] {
  if (notices.length === 0) return [];
  return [paint.bold("Waivers:"), ...notices.map((notice) => paint.yellow(`  ${describeNotice(notice)}`))];
}

/** Describes a waiver and its problem. */
export function describeNotice({ state, waiver }: WaiverNotice): string {
  const { rule, server, path, expires } = waiver;
  const tool = subjectOf(waiver) ?? "(the server itself)";
  const place = [server, tool, ...(path === "" ? [] : [path])].map((part) => printable(part)).join(" ");
  const until = expires === undefined ? "" : `, until ${expires},`;
  return `The waiver of ${printable(rule)} for ${place}${until} ${SAYS[state]}.`;
}

/** The reason of a waiver, and its expiry date. */
export function describeWaiver({ reason, expires }: AppliedWaiver): string {
  return `waived${expires === undefined ? "" : ` until ${expires}`}: ${printable(reason, 120)}`;
}

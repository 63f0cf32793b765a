import type { Change, Span } from "../core/change.js";
import { findingId } from "../core/finding-id.js";
import { groupBy } from "../core/collections.js";
import { canonicalJson } from "../core/json.js";
import { formatNumber, printable, widthOf } from "../core/printable.js";
import { explain } from "../drift/rules.js";
import type { ContractVersion, LogReport } from "../pipeline/log/log.js";
import { describeChanges, joinWords } from "./describe-change.js";
import { describeEdit, describeSubject } from "./describe-edit.js";
import { joinNote, type Note } from "./describe-findings.js";
import {
  countClasses,
  countFindings,
  type Fold,
  foldChanges,
  groupByServer,
  joinToolNames,
  nameClass,
  nameOwner,
  rulesOf,
  type ServerGroup,
  type ToolGroup,
  toolsOf,
  worstFirst,
} from "./fold-changes.js";
import { COLOUR_OF_CLASS, count, firstOf, type Layout, type Paint, present } from "./layout.js";

/** How many findings of a server are shown, worst first; `--json` has all of them. */
const SHOWN = 500;

/** How many tools of one finding are named; more where the tools are the finding. */
const NAMED_IN_TITLE = 8;
const NAMED_WHOLE = 60;

/** Prints the changes of each server under a heading with their number. */
export function printServerChanges(changes: readonly Change[], layout: Layout): readonly string[] {
  return groupByServer(foldChanges(worstFirst(changes))).flatMap((group) => [
    `${layout.paint.bold(printable(nameOwner(group.owner), 160))}: ${countFindings(group.rows)} (${countClasses(group.rows)})`,
    ...printServer(group, layout),
  ]);
}

/**
 * Prints the changes of one server: a heading for each tool or group of tools, and a line for each finding, worst
 * first.
 */
export function printChanges(changes: readonly Change[], layout: Layout): readonly string[] {
  return groupByServer(foldChanges(worstFirst(changes))).flatMap((group) => printServer(group, layout));
}

function printServer({ rows: all, groups }: ServerGroup<Fold>, layout: Layout): readonly string[] {
  let left = SHOWN;
  const lines = groups.flatMap(({ tools, rows }) => {
    const shown = rows.slice(0, left);
    left -= shown.length;
    return shown.length === 0 ? [] : printGroup({ tools, rows: shown }, layout);
  });
  const rest = all.length - SHOWN;
  const more = `  … and ${formatNumber(rest)} more changes: "--json" lists them all`;
  return [...lines, ...(rest > 0 ? [layout.paint.dim(more)] : [])];
}

/** Prints the explanation of each rule once for all servers. */
export function printGlossary(changes: readonly Change[], paint: Paint): readonly string[] {
  const meanings = changes.flatMap(({ rule, explanation }) =>
    explanation === undefined ? [] : [`  ${rule}: ${explanation}`],
  );
  const lines = [...new Set(meanings)].map((line) => paint.dim(line));
  return lines.length === 0 ? [] : [paint.bold("Rules:"), ...lines];
}

function printGroup({ tools, rows }: ToolGroup<Fold>, layout: Layout): readonly string[] {
  const { paint, width } = layout;
  const [finding, ...others] = rows;
  const [first] = finding?.findings ?? [];
  const isWhole = /^(?:tool|prompt|resource|skill)-(?:added|removed)$/.test(first?.rule ?? "");
  if (finding === undefined || first === undefined || others.length > 0 || !isWhole)
    return [
      `  ${paint.bold(joinToolNames(tools, NAMED_IN_TITLE))}`,
      ...rows.flatMap((each) => printToolFinding(each, layout)),
    ];
  // An added or removed tool or entry needs no heading: it is the change.
  const { sign, notes } = describeChanges(finding.findings, { value: width, line: width - INDENT });
  const name = joinToolNames(tools, NAMED_WHOLE);
  const head = `  ${paint[COLOUR_OF_CLASS[first.class]](`${sign} ${name}`)} ${printClass(first, paint)}`;
  return [`${head} ${printRule(finding, paint)}`, ...notes.map((note) => printNote(note, paint))];
}

/** Columns before a note. */
const INDENT = 8;

function printToolFinding(finding: Fold, { paint, width }: Layout): readonly string[] {
  const [first] = finding.findings;
  const measured = describeChanges(finding.findings, { value: 24, line: width - INDENT });
  const labels = `    ~ ${nameClass(first)}  ${measured.place}: … → … [${suffixOf(finding)}]`;
  const value = Math.max(24, Math.floor((width - labels.length) / 2));
  const words = describeChanges(finding.findings, { value, line: width - INDENT });
  const { after: text, marks } = first;
  const evidence =
    typeof text === "string" && marks !== undefined ? printEvidence(text, marks, { paint, width }) : [];
  const what = evidence.length > 0 ? words.place : joinWords(words);
  return [
    `    ${words.sign} ${present(printClass(first, paint), what).join("  ")} ${printRule(finding, paint)}`,
    ...evidence,
    ...words.notes.map((note) => printNote(note, paint)),
  ];
}

function printNote({ quote, text }: Note, paint: Paint): string {
  return " ".repeat(INDENT) + joinNote({ text, quote: quote === undefined ? undefined : paint.cyan(quote) });
}

function printClass(change: Change, paint: Paint): string {
  const text = nameClass(change);
  return change.fails === false ? paint.dim(text) : paint[COLOUR_OF_CLASS[change.class]](text);
}

function printRule(finding: Fold, paint: Paint): string {
  return paint.dim(`[${suffixOf(finding)}]`);
}

/** How many security findings are named in one line; the command that accepts them names all of them. */
const MOST_IDS = 3;

function suffixOf(finding: Fold): string {
  const { findings } = finding;
  const [{ security, foundClass, fails, waiver }] = findings;
  const rules = rulesOf(finding);
  const ids = security && waiver === undefined ? [...new Set(findings.map(findingId))] : [];
  const named = ids.length > MOST_IDS ? `${rules}, ${ids.length} findings` : [rules, ...ids].join(" ");
  return present(
    named,
    findings.length > toolsOf(finding).length && `${formatNumber(findings.length)} places`,
    foundClass && `found ${foundClass}`,
    waiver === undefined ? fails === false && "does not fail" : "waived",
  ).join(", ");
}

/** Prints the versions of a server's contract, newest first: version, date, commit, and the changes. */
export function printLog(
  { server, versions, isComplete, unreadable }: LogReport,
  layout: Layout,
): readonly string[] {
  const { paint } = layout;
  return [
    ...versions.flatMap((version, index) => [
      printHead(version, paint),
      ...printChanges(version.changes, layout),
      ...(version.changes.length > 0 || version.contract === null
        ? []
        : [`  ${describeUnchanged(version, isComplete && index === versions.length - 1)}`]),
    ]),
    ...unreadable.map((commit) => paint.yellow(`The lock of ${commit.slice(0, 9)} does not parse.`)),
    ...(isComplete
      ? []
      : [
          `The history of ${server} goes back further: raise --limit, or run "git fetch --unshallow" in a shallow clone.`,
        ]),
  ];
}

function printHead({ contract, date, commit, subject }: ContractVersion, paint: Paint): string {
  const version = contract === null ? paint.red("removed") : paint.bold(contract);
  return `${version}  ${date.slice(0, 10)}  ${paint.dim(commit.slice(0, 9))}  ${printable(subject, 80)}`;
}

function describeUnchanged({ tools }: ContractVersion, isFirst: boolean): string {
  return isFirst ? `locked, ${count(tools, "tool")}` : count(tools, "tool");
}

/** How many tools with the same finding are named. */
const NAMED = 20;

/** Groups findings that are accepted together: same rule, same server, same evidence. */
export function groupFindings(findings: readonly Change[]): readonly Fold["findings"][] {
  const groups = groupBy(findings, ({ rule, server, before = null, after = null }) =>
    canonicalJson([rule, server, before, after]),
  );
  return [...groups.values()];
}

/**
 * Prints a security finding for the person who decides about it: the rule, every place, and the complete evidence.
 */
export function printFinding(findings: Fold["findings"], layout: Layout): readonly string[] {
  const [first] = findings;
  return [
    ...printFindingPlaces(findings, layout),
    ...present(first.reason).map((reason) => layout.paint.dim(`    ${printable(reason, 400)}`)),
    ...printValues(first, layout),
  ];
}

/** As {@link printFinding}, without the evidence, for reports that have shown it. */
export function printFindingPlaces(findings: Fold["findings"], { paint }: Layout): readonly string[] {
  const [first] = findings;
  const places = findings.map(
    (finding) => `  ${printPlace(finding)} ${paint.dim(`[${findingId(finding)}]`)}`,
  );
  return [
    `  ${paint.yellow(`${first.class}, security`)}  ${paint.bold(first.rule)}`,
    ...firstOf(places, NAMED, (rest) => `  … and ${count(rest, "more tool")}`),
    paint.dim(`    ${explain(first)}`),
  ];
}

function printPlace(change: Change): string {
  const owner = printable(describeSubject(change) ?? "the server itself", 80);
  const place = describeEdit(change).place;
  return present(`${printable(change.server, 80)}:`, owner, place && `at ${place}`).join(" ");
}

function printValues({ rule, before, after, marks = [] }: Change, layout: Layout): readonly string[] {
  if (typeof after === "string" && marks.length > 0) {
    const hidden = rule === "poison-tag-characters" ? readTags(after) : "";
    return [
      ...printEvidence(after, marks, layout),
      ...(hidden === "" ? [] : ["    The tag characters spell:", ...printEvidence(hidden, [], layout)]),
    ];
  }
  const sides = [["before", before] as const, ["now", after] as const];
  return sides.flatMap(([side, value]) =>
    value === undefined ? [] : [`    ${side}:`, ...printEvidence(JSON.stringify(value), [], layout)],
  );
}

/** Decodes tag characters to the ASCII that they represent. */
function readTags(text: string): string {
  return Array.from(text.matchAll(/[\u{e0020}-\u{e007e}]/gu), ([tag]) =>
    String.fromCodePoint((tag.codePointAt(0) ?? 0xe0020) - 0xe0000),
  ).join("");
}

/** Longer evidence is cut, since a server may send megabytes. */
const MOST_LINES = 40;
const BAR = "    │ ";

/**
 * Prints text from a server, wrapped to the terminal, with the matches of a rule between `»` and `«`. Control and
 * invisible characters are escaped.
 */
function printEvidence(text: string, marks: readonly Span[], { paint, width }: Layout): readonly string[] {
  const room = Math.max(20, width - BAR.length);
  const lines = [""];
  let used = 0;
  for (const piece of splitAtMarks(text, marks)) {
    for (const word of splitWords(piece.text, room)) {
      if (used > 0 && used + widthOf(word.trimEnd()) > room) {
        lines.push("");
        used = 0;
      }
      lines.push(`${lines.pop() ?? ""}${piece.isMarked ? paint.red(word) : word}`);
      used += widthOf(word);
    }
  }
  return firstOf(
    lines.map((line) => `${paint.dim(BAR)}${line.trimEnd()}`),
    MOST_LINES,
    (rest) => paint.dim(`${BAR}… and ${rest} more lines: "--json" has all of them`),
  );
}

interface MarkedText {
  readonly text: string;
  readonly isMarked: boolean;
}

function splitAtMarks(text: string, marks: readonly Span[]): readonly MarkedText[] {
  const show = (from: number, to: number): string => printable(text.slice(from, to), to - from + 1);
  const pieces: MarkedText[] = [];
  let end = 0;
  for (const [from, to] of [...marks].sort(([a], [b]) => a - b)) {
    // Matches of two rules may overlap.
    const start = Math.max(from, end);
    if (start >= to) continue;
    pieces.push({ text: show(end, start), isMarked: false });
    pieces.push({ text: `»${show(start, to)}«`, isMarked: true });
    end = to;
  }
  return [...pieces, { text: show(end, text.length), isMarked: false }];
}

/** Words with the space after them. Those that are longer than a line are split. */
function splitWords(text: string, room: number): readonly string[] {
  // Half as many characters, since each may be two columns wide.
  const part = new RegExp(`[^]{1,${Math.max(1, Math.floor(room / 2))}}`, "gu");
  const words: readonly string[] = text.match(/\S+\s*|\s+/gu) ?? [];
  return words.flatMap((word) => (widthOf(word.trimEnd()) <= room ? [word] : (word.match(part) ?? [])));
}

/** The security findings of a pull, with the text of the server as evidence. */
import type { Change, Span } from "../core/change.js";
import { findingId } from "../core/finding-id.js";
import { groupBy } from "../core/collections.js";
import { canonicalJson } from "../core/json.js";
import { printable, widthOf } from "../core/printable.js";
import { explain } from "../drift/rules.js";
import { describeEdit, nameSubject } from "./describe-edit.js";
import type { Fold } from "./fold-changes.js";
import { count, firstOf, type Layout, present, splitAtSpaces } from "./layout.js";

/** How many tools with the same finding are named. */
const NAMED = 20;

/** Groups findings that are accepted together: same rule, same server, same evidence. */
export function groupFindings(findings: readonly Change[]): readonly Fold[] {
  const groups = groupBy(findings, ({ rule, server, before = null, after = null }) =>
    canonicalJson([rule, server, before, after]),
  );
  return [...groups.values()];
}

/**
 * Prints a security finding for the person who decides about it: the rule, every place, and the complete evidence.
 */
export function printFinding(findings: Fold, layout: Layout): readonly string[] {
  const [first] = findings;
  return [
    ...printFindingPlaces(findings, layout),
    ...present(first.reason).map((reason) => layout.paint.dim(`    ${printable(reason, 400)}`)),
    ...printValues(first, layout),
  ];
}

/** As {@link printFinding}, without the evidence, for reports that have shown it. */
export function printFindingPlaces(findings: Fold, { paint }: Layout): readonly string[] {
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
  const place = describeEdit(change).place;
  return present(`${printable(change.server, 80)}:`, nameSubject(change), place && `at ${place}`).join(" ");
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
export function printEvidence(
  text: string,
  marks: readonly Span[],
  { paint, width }: Layout,
): readonly string[] {
  const room = Math.max(20, width - BAR.length);
  const lines = [""];
  let used = 0;
  for (const piece of splitAtMarks(text, marks)) {
    for (const word of splitAtSpaces(piece.text, room)) {
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

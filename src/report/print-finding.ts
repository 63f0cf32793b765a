import { groupBy } from "../core/collections.js";
import { canonicalJson } from "../core/json.js";
import { type Change, findingId, NAME_TAKEN, type Span } from "../core/change.js";
import { printable, widthOf } from "../core/printable.js";
import { explain } from "../drift/rules.js";
import { describeTaken } from "./describe-change.js";
import { describeEdit, describeSubject } from "./describe-edit.js";
import { count, firstOf, type Layout, present } from "./layout.js";

/** How many tools with the same finding are named. */
const NAMED = 20;

/** Groups findings that are accepted together: same rule, same server, same evidence. Taken names are one decision. */
export function groupFindings(findings: readonly Change[]): readonly (readonly Change[])[] {
  const groups = groupBy(findings, ({ rule, server, before = null, after = null }) =>
    canonicalJson([rule, server, ...(rule === NAME_TAKEN ? [] : [before, after])]),
  );
  return [...groups.values()];
}

/**
 * Prints a security finding for the person who decides about it: the rule, every place, and the complete evidence.
 */
export function printFinding(findings: readonly Change[], layout: Layout): readonly string[] {
  const [first] = findings;
  if (first === undefined) return [];
  return [
    ...printFindingPlaces(findings, layout),
    ...present(first.reason).map((reason) => layout.paint.dim(`    ${printable(reason, 400)}`)),
    ...printValues(first, layout),
  ];
}

/** As {@link printFinding}, without the evidence, for reports that have shown it. */
export function printFindingPlaces(findings: readonly Change[], { paint }: Layout): readonly string[] {
  const [first] = findings;
  if (first === undefined) return [];
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
  const where = present(`${printable(change.server, 80)}:`, owner, place && `at ${place}`).join(" ");
  return change.rule === NAME_TAKEN ? `${where}, ${describeTaken(change)}` : where;
}

function printValues({ rule, before, after, marks = [] }: Change, layout: Layout): readonly string[] {
  // The place has the other tool.
  if (rule === NAME_TAKEN) return [];
  if (typeof after === "string" && marks.length > 0) {
    const hidden = rule === "poison-tag-characters" ? readTags(after) : "";
    return [
      ...printEvidence(after, marks, layout),
      ...(hidden === "" ? [] : ["    The tag characters spell:", ...printEvidence(hidden, [], layout)]),
    ];
  }
  return [
    ...(before === undefined ? [] : ["    before:", ...printEvidence(JSON.stringify(before), [], layout)]),
    ...(after === undefined ? [] : ["    now:", ...printEvidence(JSON.stringify(after), [], layout)]),
  ];
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

/** A word with the space after it, or a part of a word that is longer than a line. */
interface Piece {
  readonly text: string;
  readonly isMarked: boolean;
}

/**
 * Prints text from a server, wrapped to the terminal, with the matches of a rule between `»` and `«`. Control and
 * invisible characters are escaped.
 */
export function printEvidence(text: string, marks: readonly Span[], layout: Layout): readonly string[] {
  const room = Math.max(20, layout.width - BAR.length);
  const lines = wrap(splitAtMarks(text, marks), room);
  return firstOf(
    lines.map((pieces) => `${layout.paint.dim(BAR)}${paintLine(pieces, layout)}`),
    MOST_LINES,
    (rest) => layout.paint.dim(`${BAR}… and ${rest} more lines: "--json" has all of them`),
  );
}

function splitAtMarks(text: string, marks: readonly Span[]): readonly Piece[] {
  const pieces: Piece[] = [];
  let end = 0;
  for (const [from, to] of [...marks].sort(([a], [b]) => a - b)) {
    // Matches of two rules may overlap.
    const start = Math.max(from, end);
    if (start >= to) continue;
    pieces.push({ text: text.slice(end, start), isMarked: false });
    pieces.push({ text: `»${show(text.slice(start, to))}«`, isMarked: true });
    end = to;
  }
  pieces.push({ text: text.slice(end), isMarked: false });
  return pieces.map((piece) => (piece.isMarked ? piece : { ...piece, text: show(piece.text) }));
}

function show(text: string): string {
  return printable(text, text.length + 1);
}

function wrap(pieces: readonly Piece[], room: number): readonly (readonly Piece[])[] {
  const lines: Piece[][] = [[]];
  let used = 0;
  for (const { text, isMarked } of pieces) {
    for (const word of text.match(/\S+\s*|\s+/gu) ?? []) {
      for (const part of splitLong(word, room)) {
        const width = widthOf(part.trimEnd());
        if (used > 0 && used + width > room) {
          lines.push([]);
          used = 0;
        }
        lines.at(-1)?.push({ text: part, isMarked });
        used += widthOf(part);
      }
    }
  }
  return lines;
}

function splitLong(word: string, room: number): readonly string[] {
  const characters = Array.from(word);
  // Half as many characters, since each may be two columns wide.
  const size = Math.max(1, Math.floor(room / 2));
  if (widthOf(word.trimEnd()) <= room) return [word];
  return Array.from({ length: Math.ceil(characters.length / size) }, (_, index) =>
    characters.slice(index * size, (index + 1) * size).join(""),
  );
}

function paintLine(pieces: readonly Piece[], { paint }: Layout): string {
  return pieces
    .map(({ text, isMarked }) => (isMarked ? paint.red(text) : text))
    .join("")
    .trimEnd();
}

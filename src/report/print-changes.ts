/**
 * The changes of a report on a terminal: a row for each finding, the class first and the worst on top. The security findings of a
 * pull, with the text of the server as evidence.
 */
import type { Change, Span } from "../core/change.js";
import { groupBy } from "../core/collections.js";
import { ENTRY_LISTS, findEntry } from "../core/entries.js";
import { findingId } from "../core/waivers.js";
import { clip, printable, widthOf } from "../core/printable.js";
import { type ChangeWords, describeChanges, joinWords } from "./describe-change.js";
import { describeSubject, nameSubject, describeEdit } from "./describe-edit.js";
import { joinNote, type Note } from "./describe-findings.js";
import {
  type Fold,
  foldChanges,
  levelOf,
  nameOwner,
  qualify,
  rulesOf,
  subjectsOf,
  worstFirst,
} from "./fold-changes.js";
import {
  COLOUR_OF_CLASS,
  count,
  joinWithin,
  type Layout,
  present,
  wrap,
  firstOf,
  splitAtSpaces,
} from "./layout.js";
import { canonicalJson } from "../core/json.js";
import { explain } from "../drift/rules.js";

/** Lines of a report that may not have room for everything. */
export interface FittedLines {
  readonly lines: readonly string[];
  readonly isWhole: boolean;
}

/**
 * Prints the findings in changes in about `most` lines. Details give way first, then the findings of mild classes, of which
 * each rule keeps a line.
 */
export function printChanges(changes: readonly Change[], layout: Layout, most = Infinity): FittedLines {
  const hasOwners = new Set(changes.map(nameOwner)).size > 1;
  const levels = groupBy(foldChanges(worstFirst(changes)), ([first]) => levelOf(first));
  const groups = [...levels.values()].map((folds) => ({
    folds,
    rules: [...groupBy(folds, rulesOf).values()],
  }));
  let left = most;
  let isWhole = true;
  const lines = groups.flatMap(({ folds, rules }, at) => {
    const reserve = groups.slice(at + 1).reduce((sum, group) => sum + group.rules.length, 0);
    const room = left - reserve;
    const fitted =
      folds.length > room
        ? { lines: rules.map((alike) => printAlike(alike, layout, hasOwners)), isWhole: false }
        : printRows(folds, layout, { room, hasOwners });
    left -= fitted.lines.length;
    isWhole &&= fitted.isWhole;
    return fitted.lines;
  });
  return { lines, isWhole };
}

function printRows(
  folds: readonly Fold[],
  layout: Layout,
  { room, hasOwners }: { readonly room: number; readonly hasOwners: boolean },
): FittedLines {
  let spare = room - folds.length;
  let isWhole = true;
  const lines = folds.flatMap((fold) => {
    const [head, ...details] = printRow(fold, layout, {
      detail: room === Infinity ? "all" : "some",
      hasOwners,
    });
    if (details.length > spare) {
      isWhole = false;
      return printRow(fold, layout, { detail: "none", hasOwners });
    }
    spare -= details.length;
    return [head, ...details];
  });
  return { lines, isWhole };
}

function printAlike(folds: readonly [Fold, ...Fold[]], layout: Layout, hasOwners: boolean): string {
  const { paint, width } = layout;
  const [first, ...others] = folds;
  if (others.length === 0) return printRow(first, layout, { detail: "none", hasOwners })[0];
  const { sign } = describeChanges(first, { value: 24, line: width });
  const [change] = first;
  const { tool, path } = change;
  const subjects = groupBy(folds.flat(), (change) =>
    JSON.stringify([change.server, describeSubject(change)]),
  );
  const entry = findEntry(path);
  const noun = tool !== undefined ? "tool" : entry === undefined ? "server" : ENTRY_LISTS[entry.list].noun;
  const subject = subjects.size === 1 ? nameSubject(change) : count(subjects.size, noun);
  const changes = folds.length === subjects.size ? undefined : count(folds.length, "change");
  const suffix = `[${rulesOf(first)}]`;
  const room = Math.max(LEAST_NAMES, width - CLASS - widthOf(`${sign}   ${suffix}`));
  const head = clip(present(subject, changes).join("  "), room);
  const left = room - widthOf(head) - 2;
  const names = [...subjects.values()].map(([each]) => nameSubject(each));
  const text = present(head, names.length > 1 && left >= LEAST_NAMES && joinWithin(names, left)).join("  ");
  return `  ${printClass(change, { paint })} ${sign} ${text}  ${suffix}`;
}

/** The least room for names. */
const LEAST_NAMES = 28;

/** Columns before the sign of a row, and before its subject. */
const CLASS = "  dangerous ".length;
const LEAD = CLASS + 2;

/** The longest value that "--all" prints, and the least of one beside its rule. */
const LONGEST_VALUE = 2_000;
const LEAST_VALUE = 12;

function printRow(
  fold: Fold,
  layout: Layout,
  { detail, hasOwners }: { readonly detail: "all" | "some" | "none"; readonly hasOwners: boolean },
): readonly [head: string, ...details: string[]] {
  const { paint, width } = layout;
  const [first] = fold;
  const isAll = detail === "all";
  const room = width - LEAD;
  const names = subjectsOf(fold);
  const [only = "", ...others] = names;
  const named = others.length === 0 ? only : count(names.length, "tool");
  const owner = hasOwners && printable(nameOwner(first), 80);
  const subject = clip(present(owner, named).join(" "), isAll ? room : Math.max(24, Math.floor(room / 2)));
  const suffix = `[${suffixOf(fold)}]`;
  const space = room - widthOf(subject) - 2;
  const words = isAll
    ? describeChanges(fold, { value: LONGEST_VALUE, line: room, mostPlaces: Infinity })
    : describeWithin(fold, { line: room, space, suffix: suffix.length + 1 });
  const { after, marks } = first;
  const evidence =
    typeof after === "string" && marks !== undefined ? printEvidence(after, marks, layout) : [];
  const says = evidence.length > 0 ? words.place : joinWords(words);
  // A value gives way to the width, a sentence does not.
  const isSentence = words.says !== undefined;
  const isBelow = detail !== "none" && widthOf(says) > space && (isAll || isSentence);
  // Without its details, a row keeps its rule rather than the end of a value.
  const beside = space - suffix.length - 1;
  const isBeside = detail === "none" && !isSentence && beside >= LEAST_VALUE;
  const what = isBelow ? "" : clip(says, isBeside ? beside : space);
  const text = present(paint.bold(subject), what).join("  ");
  const isWide = widthOf(`${subject}  ${what} ${suffix}`) > room;
  const inside = " ".repeat(LEAD);
  const shown = isAll ? wrap(names.join(", "), room) : [joinWithin(names, room)];
  const listed = others.length === 0 ? [] : shown;
  const more = [
    ...(isBelow ? wrap(says, room) : []),
    ...(isWide ? [paint.dim(clip(suffix, room))] : []),
    ...listed.map((line) => paint.dim(line)),
    ...words.notes.flatMap((note) => printNote(note, layout, room)),
  ];
  const head = `  ${printClass(first, layout)} ${words.sign} ${text}${isWide ? "" : ` ${paint.dim(suffix)}`}`;
  if (detail === "none") return [head];
  return [head, ...evidence, ...more.map((line) => inside + line)];
}

/** The words for a finding with `space` columns on its line, and preferably those of the suffix left. */
function describeWithin(
  fold: Fold,
  { line, space, suffix }: { readonly line: number; readonly space: number; readonly suffix: number },
): ChangeWords {
  const within = (mostPlaces?: number): ChangeWords => {
    const { place } = describeChanges(fold, { value: 24, line, mostPlaces });
    const value = Math.max(24, Math.floor((space - suffix - `${place}:  → `.length) / 2));
    return describeChanges(fold, { value, line, mostPlaces });
  };
  const words = within();
  return widthOf(joinWords(words)) > space ? within(1) : words;
}

function printNote(note: Note, { paint }: Layout, room: number): readonly string[] {
  const plain = joinNote(note);
  if (widthOf(plain) > room) return wrap(plain, room);
  return [joinNote({ ...note, quote: note.quote === undefined ? undefined : paint.cyan(note.quote) })];
}

function printClass(change: Change, { paint }: Pick<Layout, "paint">): string {
  const text = change.class.padEnd(CLASS - 3);
  return change.fails === false ? paint.dim(text) : paint[COLOUR_OF_CLASS[change.class]](text);
}

/** How many security findings are named in one line; the command that accepts them names all of them. */
const MOST_IDS = 3;

function suffixOf(fold: Fold): string {
  const [{ security, waiver }] = fold;
  const ids = security && waiver === undefined ? [...new Set(fold.map(findingId))] : [];
  const named = ids.length > MOST_IDS ? `${ids.length} ids` : ids.join(" ");
  return present(rulesOf(fold), security && "security", security && named, ...qualify(fold)).join(", ");
}

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
export function printFindingPlaces(findings: Fold, { paint }: Layout, most = NAMED): readonly string[] {
  const [first] = findings;
  const places = findings.map(
    (finding) => `  ${printPlace(finding)} ${paint.dim(`[${findingId(finding)}]`)}`,
  );
  return [
    `  ${paint.yellow(`${first.class}, security`)}  ${paint.bold(first.rule)}`,
    ...firstOf(places, most, (rest) => `  … and ${count(rest, "more tool")}`),
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
function printEvidence(text: string, marks: readonly Span[], { paint, width }: Layout): readonly string[] {
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

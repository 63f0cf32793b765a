/** The lines of a schema before and after, side by side. */
import { groupBy } from "../../../core/collections.js";
import type { JsonValue } from "../../../core/json.js";
import { followReferences } from "../../../core/subschemas.js";
import { commonEnds } from "../../show-witness.js";
import { expand, type LineTexts, lineTexts, type Member } from "./schema-rows.js";

/** An edit of a schema. */
export interface SchemaEdit {
  /** JSON Pointer into the schema. */
  readonly pointer: string;
  /** The old name of a renamed property. */
  readonly renamedFrom?: string | undefined;
}

/** A schema before and after; an absent one does not exist. */
export interface SchemaPair {
  readonly before?: JsonValue | undefined;
  readonly after?: JsonValue | undefined;
}

/** One side of a line. */
export interface LineSide {
  readonly member: Member;
  readonly texts: LineTexts;
}

export interface PairedLine<E extends SchemaEdit> {
  /** Absent where only the other schema has the line. */
  readonly before?: LineSide | undefined;
  readonly after?: LineSide | undefined;
  /** The edits of this line, without those of the lines below it. */
  readonly edits: readonly E[];
  readonly below: readonly PairedLine<E>[];
  /** Whether this line or one below it differs. */
  readonly isChanged: boolean;
  /** An earlier line shows the lines below. */
  readonly isRepeated: boolean;
}

/**
 * Returns the lines of two schemas: one for the schemas themselves, with those of their properties below it. A line that
 * only one schema has, and one that repeats an earlier one, has nothing below. Each edit is at the innermost line that
 * holds it.
 */
export function pairSchemas<E extends SchemaEdit>(
  { before, after }: SchemaPair,
  edits: readonly E[],
): PairedLine<E> {
  const left = new Set(edits);
  const shown = new Map<JsonValue, Map<JsonValue, PairedLine<E> | "unfinished">>();
  const claim = (pointers: readonly string[]): readonly E[] => {
    const own = [...left].filter(({ pointer }) => pointers.some((outer) => isWithin(pointer, outer)));
    for (const edit of own) left.delete(edit);
    return own;
  };
  const pair = (old: Member | undefined, now: Member | undefined): PairedLine<E> => {
    const was = sideOf(old, before);
    const is = sideOf(now, after);
    const sides = { before: was?.side, after: is?.side };
    const isEdited = JSON.stringify(was?.shown) !== JSON.stringify(is?.shown);
    if (was === undefined || is === undefined) {
      const own = claim([...(was?.from ?? []), ...(is?.from ?? [])]);
      return { ...sides, edits: own, below: [], isChanged: isEdited, isRepeated: false };
    }
    const earlier = shown.get(was.schema)?.get(is.schema);
    if (earlier !== undefined) {
      const own = claim([was.side.member.pointer, is.side.member.pointer]);
      const isSame = earlier === "unfinished" || !earlier.isChanged;
      const known = earlier === "unfinished" ? [] : earlier.edits;
      return {
        ...sides,
        edits: own.length > 0 ? own : known,
        below: [],
        isChanged: isEdited || own.length > 0 || !isSame,
        isRepeated: is.members.length > 0,
      };
    }
    const lines = new Map(shown.get(was.schema));
    const remember = (line: PairedLine<E> | "unfinished"): void => {
      // Equal primitive schemas are at many places.
      if (typeof was.schema === "object") shown.set(was.schema, lines.set(is.schema, line));
    };
    remember("unfinished");
    const below = zip(was.members, is.members, edits).map(([a, b]) => pair(a, b));
    const own = claim([...was.from, ...is.from]);
    const isChanged = isEdited || own.length > 0 || below.some((line) => line.isChanged);
    const line = { ...sides, edits: own, below, isChanged, isRepeated: false };
    remember(line);
    return line;
  };
  return pair(rootOf(before), rootOf(after));
}

function rootOf(schema: JsonValue | undefined): Member | undefined {
  return schema === undefined
    ? undefined
    : { name: "", isNote: true, isRequired: false, schema, pointer: "" };
}

function isWithin(pointer: string, outer: string): boolean {
  return pointer === outer || pointer.startsWith(`${outer}/`);
}

function sideOf(member: Member | undefined, root: JsonValue | undefined) {
  if (member === undefined || root === undefined) return undefined;
  const { members, from } = expand(member, root);
  const texts = lineTexts(member, root);
  return {
    side: { member, texts },
    schema: followReferences(member.schema, root) ?? {},
    members,
    from: [member.pointer, ...from],
    // The number of alternatives is not a change of each.
    shown: [member.isChoice === true ? "" : member.name, texts],
  };
}

/** Pairs lines by name, renamed ones with their old name, and alternatives by schema or else in order. */
function zip(
  old: readonly Member[],
  now: readonly Member[],
  edits: readonly SchemaEdit[],
): readonly (readonly [Member | undefined, Member | undefined])[] {
  const unpaired = new Map(old.map((member) => [keyOf(member), member]));
  const take = (key: string | undefined): Member | undefined => {
    const found = key === undefined ? undefined : unpaired.get(key);
    if (key !== undefined) unpaired.delete(key);
    return found;
  };
  const renamed = new Map(edits.map(({ pointer, renamedFrom }) => [pointer, renamedFrom]));
  const partners = new Map(now.map((member) => [member, take(keyOf(member))]));
  for (const [member, partner] of partners) {
    if (partner !== undefined) continue;
    const from = renamed.get(member.pointer);
    const choice = [...unpaired].find(([, each]) => member.isChoice === true && each.isChoice === true);
    partners.set(member, take(from === undefined ? choice?.[0] : nameKey(from)));
  }
  const removed = new Set(unpaired.values());
  const isKept = (member: Member): boolean => !removed.has(member);
  const followers = groupBy(removed, (member) => old.slice(0, old.indexOf(member)).findLast(isKept));
  const alone = (before: Member | undefined) =>
    (followers.get(before) ?? []).map((member) => [member, undefined] as const);
  return [
    ...alone(undefined),
    ...[...partners].flatMap(([member, partner]) => [
      [partner, member] as const,
      ...(partner === undefined ? [] : alone(partner)),
    ]),
  ];
}

function keyOf({ name, isNote, isChoice, schema }: Member): string {
  if (isChoice === true) return `choice ${JSON.stringify(schema)}`;
  return isNote ? `note ${name}` : nameKey(name);
}

function nameKey(name: string): string {
  return `name ${name}`;
}

/** A line of a difference; `mark` is the part that differs from the line it replaces. */
export interface DiffLine {
  readonly sign: " " | "-" | "+";
  readonly text: string;
  readonly mark?: readonly [from: number, to: number];
}

/** Longer texts are not compared line by line: the table would be too large. */
const MOST_LINES = 600;
const WORD = /[\p{L}\p{N}_]/u;
/** Kept lines around a change. */
const AROUND = 3;

/** Returns the lines of two texts as one list, by their longest common subsequence, with long kept parts left out. */
export function diffLines(before: string | undefined, after: string | undefined): readonly DiffLine[] {
  const old = before?.split("\n") ?? [];
  const now = after?.split("\n") ?? [];
  const isLarge = old.length > MOST_LINES || now.length > MOST_LINES;
  const width = now.length + 1;
  const longest = new Uint16Array(isLarge ? 0 : (old.length + 1) * width);
  const at = (i: number, j: number): number => longest[i * width + j] ?? 0;
  for (let i = old.length - 1; i >= 0 && !isLarge; i -= 1)
    for (let j = now.length - 1; j >= 0; j -= 1)
      longest[i * width + j] =
        old[i] === now[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
  const lines: DiffLine[] = [];
  for (let [i, j] = [0, 0]; i < old.length || j < now.length;) {
    const left = old[i];
    const right = now[j];
    const isKept = left === right && !isLarge;
    const isRemoved = !isKept && left !== undefined && (right === undefined || at(i + 1, j) >= at(i, j + 1));
    lines.push({ sign: isKept ? " " : isRemoved ? "-" : "+", text: (isRemoved ? left : right) ?? "" });
    if (isKept || isRemoved) i += 1;
    if (!isRemoved) j += 1;
  }
  return markPairs(shorten(lines));
}

/** Leaves out kept lines that are far from every change. */
function shorten(lines: readonly DiffLine[]): readonly DiffLine[] {
  const near = new Set<number>();
  for (const [at, { sign }] of lines.entries())
    if (sign !== " ") for (let each = at - AROUND; each <= at + AROUND; each += 1) near.add(each);
  return lines.flatMap((line, at) => {
    if (near.has(at)) return [line];
    return at === 0 || near.has(at - 1) ? [{ sign: " ", text: "⋯" } as const] : [];
  });
}

/** Marks the difference between a removed line and the single added line after it. */
function markPairs(lines: readonly DiffLine[]): readonly DiffLine[] {
  const signAt = (at: number): string => lines[at]?.sign ?? " ";
  return lines.map((line, at) => {
    const isFirst =
      line.sign === "-" && signAt(at - 1) !== "-" && signAt(at + 1) === "+" && signAt(at + 2) !== "+";
    const isSecond =
      line.sign === "+" && signAt(at + 1) !== "+" && signAt(at - 1) === "-" && signAt(at - 2) !== "-";
    const other = isFirst ? lines[at + 1] : isSecond ? lines[at - 1] : undefined;
    return other === undefined ? line : { ...line, mark: differenceOf(line.text, other.text) };
  });
}

function differenceOf(text: string, other: string): readonly [number, number] {
  const { start, end } = commonEnds(text, other);
  let from = start;
  let to = text.length - end;
  // Whole words are easier to compare than single letters.
  const isInWord = [text, other].some((each) => WORD.test(each.charAt(from)));
  while (isInWord && from > 0 && WORD.test(text.charAt(from - 1))) from -= 1;
  while (to < text.length && WORD.test(text.charAt(to)) && WORD.test(text.charAt(to - 1))) to += 1;
  return [from, to];
}

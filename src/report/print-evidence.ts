import type { Span } from "../contract/change.js";
import type { Layout } from "./paint.js";
import { printable } from "../contract/printable.js";

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
  const shown = lines.slice(0, MOST_LINES);
  const rest = lines.length - shown.length;
  return [
    ...shown.map((pieces) => `${layout.paint.dim(BAR)}${paintLine(pieces, layout)}`),
    ...(rest > 0 ? [layout.paint.dim(`${BAR}… and ${rest} more lines: "--json" has all of them`)] : []),
  ];
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

const WIDE =
  /[\p{Script=Han}\p{Script=Hangul}\p{Script=Hiragana}\p{Script=Katakana}\p{Emoji_Presentation}\uff01-\uff60]/gu;

/** The approximate number of columns of a text, for wrapping. */
function widthOf(text: string): number {
  return Array.from(text).length + (text.match(WIDE)?.length ?? 0);
}

function paintLine(pieces: readonly Piece[], { paint }: Layout): string {
  return pieces
    .map(({ text, isMarked }) => (isMarked ? paint.red(text) : text))
    .join("")
    .trimEnd();
}

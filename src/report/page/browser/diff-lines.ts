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

/** Returns the lines of two texts as one list, with long kept parts left out. */
export function diffLines(before: string | undefined, after: string | undefined): readonly DiffLine[] {
  const [a, b] = [before?.split("\n") ?? [], after?.split("\n") ?? []];
  const isLarge = a.length > MOST_LINES || b.length > MOST_LINES;
  return markPairs(shorten(isLarge ? replaceAll(a, b) : compare(a, b)));
}

function replaceAll(a: readonly string[], b: readonly string[]): readonly DiffLine[] {
  return [
    ...a.map((text) => ({ sign: "-", text }) as const),
    ...b.map((text) => ({ sign: "+", text }) as const),
  ];
}

/** By the longest common subsequence. */
function compare(a: readonly string[], b: readonly string[]): readonly DiffLine[] {
  const width = b.length + 1;
  const longest = new Uint16Array((a.length + 1) * width);
  const at = (i: number, j: number): number => longest[i * width + j] ?? 0;
  for (let i = a.length - 1; i >= 0; i -= 1) {
    for (let j = b.length - 1; j >= 0; j -= 1) {
      longest[i * width + j] = a[i] === b[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  const lines: DiffLine[] = [];
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    const [left, right] = [a[i], b[j]];
    if (left !== undefined && left === right) {
      lines.push({ sign: " ", text: left });
      i += 1;
      j += 1;
    } else if (left !== undefined && (right === undefined || at(i + 1, j) >= at(i, j + 1))) {
      lines.push({ sign: "-", text: left });
      i += 1;
    } else if (right !== undefined) {
      lines.push({ sign: "+", text: right });
      j += 1;
    }
  }
  return lines;
}

/** Leaves out kept lines that are far from every change. */
function shorten(lines: readonly DiffLine[]): readonly DiffLine[] {
  const near = new Set<number>();
  lines.forEach(({ sign }, at) => {
    if (sign === " ") return;
    for (let each = at - AROUND; each <= at + AROUND; each += 1) near.add(each);
  });
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
  const most = Math.min(text.length, other.length);
  let from = 0;
  while (from < most && text[from] === other[from]) from += 1;
  let tail = 0;
  while (tail < most - from && text.at(-1 - tail) === other.at(-1 - tail)) tail += 1;
  let to = text.length - tail;
  // Whole words are easier to compare than single letters.
  const isInWord = [text, other].some((each) => WORD.test(each.charAt(from)));
  while (isInWord && from > 0 && WORD.test(text.charAt(from - 1))) from -= 1;
  while (to < text.length && WORD.test(text.charAt(to)) && WORD.test(text.charAt(to - 1))) to += 1;
  return [from, to];
}

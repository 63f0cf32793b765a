/** Longer names are not misspelt, and comparing them takes the product of their lengths. */
const LONGEST_COMPARED = 200;

/**
 * Returns the number of letters added, left out, replaced or swapped with their neighbour; `most + 1` for more than `most`, and for
 * names that are too long to compare.
 */
export function editDistance(a: string, b: string, most: number): number {
  if (a === b) return 0;
  if (Math.abs(a.length - b.length) > most || a.length > LONGEST_COMPARED) return most + 1;
  let before: number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    let least = i;
    for (let j = 1; j <= b.length; j += 1) {
      const cost = a[i - 1] === b[j - 1] ? 0 : 1;
      let value = Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, (row[j - 1] ?? 0) + cost);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        value = Math.min(value, (before[j - 2] ?? 0) + 1);
      next.push(value);
      least = Math.min(least, value);
    }
    if (least > most) return most + 1;
    before = row;
    row = next;
  }
  return row[b.length] ?? most + 1;
}

/** The known name closest to a misspelt one; undefined when none is close: a third of the name may differ. */
export function nearestName(name: string, names: Iterable<string>): string | undefined {
  let nearest: string | undefined;
  let most = Math.max(2, Math.floor(name.length / 3));
  for (const each of names) {
    const distance = editDistance(name, each, most);
    if (distance > most || (distance === most && nearest !== undefined)) continue;
    [nearest, most] = [each, distance];
  }
  return nearest;
}

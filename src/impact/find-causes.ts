import type { ts } from "ts-morph";
import type { Change } from "../contract/change.js";
import { compareDiagnostics, type Mismatch } from "./find-mismatches.js";

interface Compiler {
  readonly old: ts.Program;
  /** Compiles the code after these changes and no others. */
  readonly compile: (changes: readonly Change[]) => Promise<ts.Program>;
}

/**
 * Returns the errors with only those candidates that cause them. Where several changes are possible, the changes are
 * split in two groups, and the code is compiled after each group alone: the group with the error has its cause. Each
 * split is by another bit of the number of a change, so 16 changes need four splits.
 */
export async function findCauses(
  mismatches: readonly Mismatch[],
  { old, compile }: Compiler,
): Promise<readonly Mismatch[]> {
  const changes = [...new Set(mismatches.filter(isTied).flatMap(({ candidates }) => candidates))];
  let found = mismatches;
  for (let bit = 1; bit < changes.length && found.some(isTied); bit *= 2) {
    const groups: Group[] = [];
    for (const side of [0, bit]) {
      const group = changes.filter((_change, index) => (index & bit) === side);
      groups.push({ changes: new Set(group), old, program: await compile(group) });
    }
    found = found.map((mismatch) => (isTied(mismatch) ? narrow(mismatch, groups) : mismatch));
  }
  return found;
}

interface Group {
  readonly changes: ReadonlySet<Change>;
  readonly old: ts.Program;
  readonly program: ts.Program;
}

function isTied({ candidates }: Mismatch): boolean {
  return candidates.length > 1;
}

/** Keeps all candidates if both groups have the error, or if it needs changes of both. */
function narrow(mismatch: Mismatch, groups: readonly Group[]): Mismatch {
  const exact = groups.filter((group) => hasError(mismatch, group, isSamePlace));
  const [group, ...others] =
    exact.length > 0 ? exact : groups.filter((one) => hasError(mismatch, one, overlaps));
  if (group === undefined || others.length > 0) return mismatch;
  const candidates = mismatch.candidates.filter((change) => group.changes.has(change));
  return candidates.length === 0 ? mismatch : { ...mismatch, candidates };
}

/** A part of a file, as the compiler marks it. */
type Marked = Pick<Mismatch["error"], "start" | "length">;

function hasError(
  { file, error }: Mismatch,
  { old, program }: Group,
  isSame: (a: Marked, b: Marked) => boolean,
): boolean {
  return compareDiagnostics(file.fileName, old, program).some((other) => isSame(other, error));
}

function isSamePlace(a: Marked, b: Marked): boolean {
  return a.start === b.start && a.length === b.length;
}

/** With other changes, the compiler may mark a smaller or larger part of the same code. */
function overlaps(a: Marked, b: Marked): boolean {
  return a.start < b.start + b.length && b.start < a.start + a.length;
}

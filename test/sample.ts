/**
 * `npm run check` runs samples of large grids, of properties, and of what repeats a table of a unit through the whole program,
 * so that it ends in minutes. `npm test` runs all of them, as the other jobs of CI do.
 */
export const isSample: boolean = ["check", "stand-in"].includes(process.env["MODE"] ?? "");

/** Returns the first of every `step` cases in a sample, else all of them. */
export function sample<T>(cases: readonly T[], step: number): readonly T[] {
  return isSample ? cases.filter((_, at) => at % step === 0) : cases;
}

/** Returns the number of runs of a property, or one in `step` of them in a sample. */
export function runs(whole: number, step: number): number {
  return isSample ? Math.ceil(whole / step) : whole;
}

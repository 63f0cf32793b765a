import { closest, distance } from "fastest-levenshtein";

/** Returns a suggestion for an unknown name: `, did you mean "…"?`, else the known names, else an empty string. */
export function didYouMean(name: string, known: readonly string[] = []): string {
  const nearest = nearestName(name, known);
  if (nearest !== undefined) return `, did you mean "${nearest}"?`;
  return known.length === 0 ? "" : `; known keys: ${known.map((key) => `"${key}"`).join(", ")}`;
}

/** The known name closest to a misspelt one; undefined when none is close. */
export function nearestName(name: string, known: readonly string[]): string | undefined {
  if (known.length === 0) return undefined;
  const nearest = closest(name, known);
  return distance(name, nearest) <= Math.max(2, Math.floor(name.length / 3)) ? nearest : undefined;
}

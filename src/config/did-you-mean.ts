import { closest, distance } from "fastest-levenshtein";

/** What to say after a name that is not known: `, did you mean "…"?`, else the known names, else nothing. */
export function didYouMean(name: string, known: readonly string[] = []): string {
  const nearest = nearestName(name, known);
  if (nearest !== undefined) return `, did you mean "${nearest}"?`;
  return known.length === 0 ? "" : `; known keys: ${known.map((key) => `"${key}"`).join(", ")}`;
}

/** The known name that a misspelt one stands for; undefined when none is near. */
export function nearestName(name: string, known: readonly string[]): string | undefined {
  if (known.length === 0) return undefined;
  const nearest = closest(name, known);
  return distance(name, nearest) <= Math.max(2, Math.floor(name.length / 3)) ? nearest : undefined;
}

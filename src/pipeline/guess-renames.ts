import type { Change } from "../contract/change.js";
import { nameOfRename, possibleRenames, type Rename } from "../contract/rename.js";
import { editDistance } from "../vocabulary/edit-distance.js";

/** How sure a guess is whose names differ in a letter or two, such as `cancelled` and `canceled`. */
const ALIKE = 0.8;
const SHORTEST_ALIKE = 5;

/**
 * Returns the properties and values that may have been renamed since one was removed and one was added at the same place.
 * Those that are spelled alike are guesses with a confidence; the others are only possible.
 *
 * @param known renames that are certain or guessed already
 */
export function guessRenames(changes: readonly Change[], known: readonly Rename[]): readonly Rename[] {
  const names = new Set(known.map(nameOfRename));
  const places = new Map<string, Rename | undefined>();
  for (const rename of possibleRenames(changes)) {
    if (rename.kind === "tool") continue;
    const key = placeOf(rename);
    // Undefined if there are several pairs.
    places.set(key, places.has(key) ? undefined : rename);
  }
  return [...places.values()].flatMap((rename): readonly Rename[] => {
    if (rename === undefined || names.has(nameOfRename(rename))) return [];
    const { before, after } = rename;
    const isAlike = before.length >= SHORTEST_ALIKE && editDistance(before, after, 2) <= 2;
    return [isAlike ? { ...rename, confidence: ALIKE } : rename];
  });
}

function placeOf({ kind, server, tool, property = "", change: { path } }: Rename): string {
  return JSON.stringify([
    ...[kind, server, tool, property],
    kind === "value" ? path : path.slice(0, path.lastIndexOf("/")),
  ]);
}

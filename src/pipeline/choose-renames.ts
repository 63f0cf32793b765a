import type { Change } from "../contract/change.js";
import { McpCodegenError } from "../contract/errors.js";
import { nameOfRename, possibleRenames, type Rename, renamesIn } from "../contract/rename.js";

/** What a person says about renames. */
export interface RenameChoice {
  /** Renames that a person names, as {@link nameOfRename} does. */
  readonly named: readonly string[];
  /** Asks a person about a guess. */
  readonly confirm?: (rename: Rename) => Promise<boolean>;
}

/**
 * Returns the renames to apply, which the server declared or a person named or confirmed, and those that are only guessed.
 *
 * @throws McpCodegenError `USAGE` for a named rename of what was not removed, or to what was not added
 */
export async function chooseRenames(
  changes: readonly Change[],
  { named, confirm }: RenameChoice,
): Promise<{ readonly applied: readonly Rename[]; readonly guessed: readonly Rename[] }> {
  const renames = renamesIn(changes);
  const others = findNamed(
    changes,
    named.filter((name) => !renames.some((rename) => nameOfRename(rename) === name)),
    renames,
  );
  const applied: Rename[] = [];
  const guessed = new Map<string, Rename>();
  const confirmed = new Set(named);
  for (const rename of renames) {
    // Arguments and results may have the same rename, which a person answers once.
    const name = nameOfRename(rename);
    const isNew = !confirmed.has(name) && !guessed.has(name) && rename.because === undefined;
    if (isNew && (await confirm?.(rename)) === true) confirmed.add(name);
    if (rename.because !== undefined) applied.push(rename);
    else if (confirmed.has(name)) applied.push({ ...rename, because: "confirmed" });
    else if (isNew) guessed.set(name, rename);
  }
  return { applied: [...applied, ...others], guessed: [...guessed.values()] };
}

/** The renames that only a person sees: of what was removed, to what was added. Throws `USAGE` for an unknown one. */
function findNamed(
  changes: readonly Change[],
  names: readonly string[],
  known: readonly Rename[],
): readonly Rename[] {
  if (names.length === 0) return [];
  const wanted = new Set(names);
  const found: Rename[] = [];
  for (const rename of possibleRenames(changes))
    if (wanted.has(nameOfRename(rename))) found.push({ ...rename, because: "confirmed" });
  const missing = names.find((name) => !found.some((rename) => nameOfRename(rename) === name));
  if (missing === undefined) return found;
  const shown = known.slice(0, 10).map((rename) => `"${nameOfRename(rename)}"`);
  throw new McpCodegenError("USAGE", `The locks do not show the rename ${JSON.stringify(missing)}.`, {
    hint:
      shown.length === 0
        ? 'A rename is "server/old=new" of a removed and an added tool, "server/tool.old=new" of a property, or "server/tool.property:old=new" of a value.'
        : `They show ${shown.join(", ")}.`,
  });
}

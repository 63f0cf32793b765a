import type { Change } from "../contract/change.js";
import { McpCodegenError } from "../contract/errors.js";
import type { Lockfile } from "../contract/lockfile.js";
import { nameOfRename, possibleRenames, type Rename, renamesIn } from "../contract/rename.js";

/** The renames between two locks. */
export interface ListedRenames {
  /** Those that the server declared, or a person named. */
  readonly certain: readonly Rename[];
  readonly guessed: readonly Rename[];
}

/**
 * Returns the renames among changes, and those that a person names.
 *
 * @param named as {@link nameOfRename} writes them
 * @param before the lock before the changes
 * @throws McpCodegenError `USAGE` for a named rename of what was not removed, or to what was not added
 */
export function listRenames(
  changes: readonly Change[],
  named: readonly string[],
  before: Pick<Lockfile<unknown>, "servers">,
): ListedRenames {
  const renames = renamesIn(changes);
  const wanted = new Set(named);
  const isNamed = (rename: Rename): boolean => wanted.has(nameOfRename(rename));
  const certain = renames.filter((rename) => rename.because !== undefined || isNamed(rename));
  const known = new Set(renames.map(nameOfRename));
  const unknown = new Set(named.filter((name) => !known.has(name)));
  const others: Rename[] = [];
  if (unknown.size > 0)
    for (const rename of possibleRenames(changes)) if (unknown.has(nameOfRename(rename))) others.push(rename);
  for (const name of unknown)
    if (!others.some((rename) => nameOfRename(rename) === name)) throw notFound(name, renames, before);
  return {
    certain: [...certain, ...others].map((rename) => ({ ...rename, because: rename.because ?? "confirmed" })),
    guessed: renames.filter((rename) => rename.because === undefined && !isNamed(rename)),
  };
}

/** Renames without those of the same name: arguments and results may have the same rename. */
export function uniqueRenames(renames: readonly Rename[]): readonly Rename[] {
  return [
    ...new Map(renames.toReversed().map((rename) => [nameOfRename(rename), rename])).values(),
  ].toReversed();
}

function notFound(
  name: string,
  known: readonly Rename[],
  { servers }: Pick<Lockfile<unknown>, "servers">,
): McpCodegenError {
  const [, server = "", tool = ""] = /^([^/]+)\/([^.=]*)/.exec(name) ?? [];
  const tools = servers[server]?.tools;
  const shown = uniqueRenames(known)
    .slice(0, 10)
    .map((rename) => `"${nameOfRename(rename)}"`);
  const forms =
    'Name a tool "server/old=new", a property "server/tool.old=new" by its own name wherever it is nested, or a value "server/tool.property:old=new".';
  const why =
    tools === undefined
      ? `there is no locked server ${JSON.stringify(server)}`
      : !Object.hasOwn(tools, tool) && !known.some((rename) => rename.tool === tool)
        ? `server ${JSON.stringify(server)} had no tool ${JSON.stringify(tool)}`
        : "the changes of the lock do not include it";
  return new McpCodegenError("USAGE", `Unknown rename ${JSON.stringify(name)}: ${why}.`, {
    hint: shown.length === 0 ? forms : `Renames that were found: ${shown.join(", ")}. ${forms}`,
  });
}

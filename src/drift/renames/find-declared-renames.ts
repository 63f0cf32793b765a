import { deprecationOf, toolNameOf, type LockedAbility } from "../../contract/ability.js";
import { getOwn } from "../../contract/json.js";
import type { ToolSnapshot } from "../../contract/snapshot.js";
import type { ToolRename } from "./find-tool-renames.js";

/** The ability behind each tool. */
export type Abilities = { readonly [tool: string]: LockedAbility | undefined };

interface ToolList {
  readonly tools: readonly ToolSnapshot[];
  readonly abilities: Abilities;
}

/** The evidence that reports show for a declared rename. */
const DECLARED = "declared by the server";

/**
 * Returns the removed tools whose abilities declared an existing tool in `meta.deprecated.replacement`. If the replacement
 * was removed as well, its own replacement counts. `unchanged` lists existing tools that both lists leave out.
 */
export function findDeclaredRenames(
  before: ToolList,
  after: ToolList & { readonly unchanged: readonly string[] },
): readonly ToolRename[] {
  const now = new Set([...after.tools.map(({ name }) => name), ...after.unchanged]);
  const toolOf = indexByAbility(before.abilities, after.abilities);
  const replacementOf = (tool: string): string | undefined => {
    const ability = getOwn(before.abilities, tool);
    const replacement = ability && deprecationOf(ability.definition)?.replacement;
    return replacement === undefined ? undefined : (toolOf.get(replacement) ?? toolNameOf(replacement));
  };
  return before.tools.flatMap(({ name }): readonly ToolRename[] => {
    if (now.has(name)) return [];
    const found = follow(name, replacementOf, (tool) => now.has(tool));
    return found === undefined ? [] : [{ before: name, after: found, reason: DECLARED }];
  });
}

/** The tools by ability: a server may give a tool another name than the adapter derives from the ability. */
function indexByAbility(...sides: readonly Abilities[]): ReadonlyMap<string, string> {
  return new Map(
    sides.flatMap((side) =>
      Object.entries(side).flatMap(([tool, ability]) =>
        ability === undefined ? [] : [[ability.definition.name, tool] as const],
      ),
    ),
  );
}

/** Returns the first existing tool of a chain of replacements; undefined if there is none or the chain is a cycle. */
function follow(
  tool: string,
  next: (tool: string) => string | undefined,
  exists: (tool: string) => boolean,
): string | undefined {
  const seen = new Set([tool]);
  for (let at = next(tool); at !== undefined && !seen.has(at); at = next(at)) {
    if (exists(at)) return at;
    seen.add(at);
  }
  return undefined;
}

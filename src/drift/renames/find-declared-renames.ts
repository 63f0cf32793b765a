import { deprecationOf, toolNameOf, type LockedAbility } from "../../contract/ability.js";
import { getOwn } from "../../contract/json.js";
import type { ToolSnapshot } from "../../contract/snapshot.js";
import type { ToolRename } from "./find-tool-renames.js";

/** By tool, the ability behind it. */
export type Abilities = { readonly [tool: string]: LockedAbility | undefined };

interface Side {
  readonly tools: readonly ToolSnapshot[];
  readonly abilities: Abilities;
}

/** What reports show as the evidence of a rename that was not guessed. */
const DECLARED = "declared by the server";

/**
 * The tools that are gone and whose abilities declared, in `meta.deprecated.replacement`, a tool that exists now. A
 * replacement that is gone too leads on to the one that it declared. `unchanged` names tools that exist now and are left
 * out of both lists.
 */
export function findDeclaredRenames(
  before: Side,
  after: Side & { readonly unchanged: readonly string[] },
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

/** A server may give a tool another name than the adapter makes from that of the ability. */
function indexByAbility(...sides: readonly Abilities[]): ReadonlyMap<string, string> {
  return new Map(
    sides.flatMap((side) =>
      Object.entries(side).flatMap(([tool, ability]) =>
        ability === undefined ? [] : [[ability.definition.name, tool] as const],
      ),
    ),
  );
}

/** The first tool of a chain that is there; undefined where the chain ends or comes back to where it was. */
function follow(
  tool: string,
  next: (tool: string) => string | undefined,
  isThere: (tool: string) => boolean,
): string | undefined {
  const seen = new Set([tool]);
  for (let at = next(tool); at !== undefined && !seen.has(at); at = next(at)) {
    if (isThere(at)) return at;
    seen.add(at);
  }
  return undefined;
}

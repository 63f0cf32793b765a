import { digestOf } from "./digest.js";
import type { LockedTool } from "./lockfile.js";

/**
 * The digest of a locked tool: of its definition, or of that and the ability where there is one. What is derived from
 * them, and which PHP file registers the ability, is no part of it.
 */
export function digestOfTool({ definition, ability }: Pick<LockedTool, "definition" | "ability">): string {
  return digestOf(ability === undefined ? definition : { ability: ability.definition, definition });
}

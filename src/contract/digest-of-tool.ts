import { digestOf } from "./digest.js";
import type { LockedTool } from "./lockfile.js";

/**
 * Returns the digest of a locked tool: of its definition, and of its ability and repeated definitions if it
 * has them. Excludes derived values and the PHP file of the ability.
 */
export function digestOfTool({
  definition,
  ability,
  repeated,
}: Pick<LockedTool, "definition" | "ability" | "repeated">): string {
  if (ability === undefined && repeated === undefined) return digestOf(definition);
  return digestOf({
    ...(ability !== undefined && { ability: ability.definition }),
    definition,
    ...(repeated !== undefined && { repeated }),
  });
}

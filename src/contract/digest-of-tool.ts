import { digestOf } from "./digest.js";
import type { LockedTool } from "./lockfile.js";

/**
 * The digest of a locked tool: of its definition, or of that with the ability and the further definitions of its name,
 * where there are any. It does not cover what is derived from them, nor the PHP file that registers the ability.
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

import type { PhpSpot } from "../contract/change.js";
import { readPhp } from "../sources/php/read-php.js";
import { isPublicTool } from "../listing/read-ability.js";

export { findAbilityPlugins } from "../sources/wordpress/find-plugins.js";

/** An ability that MCP is not told of. */
export interface HiddenAbility extends PhpSpot {
  readonly ability: string;
}

/**
 * Runs plugins in the stub of WordPress, and tells which of their abilities the adapter's default server does not show.
 *
 * @throws McpCodegenError as {@link readPhp} does
 */
export async function findHidden(
  server: string,
  paths: readonly string[],
  dir: string,
): Promise<{ readonly abilities: number; readonly hidden: readonly HiddenAbility[] }> {
  const { abilities } = await readPhp(server, { paths }, { dir });
  const hidden = abilities.filter(({ ability }) => !isPublicTool(ability));
  return {
    abilities: abilities.length,
    hidden: hidden.map(({ ability, file, line }) => ({
      ability: ability.name,
      file,
      ...(line > 0 && { line }),
    })),
  };
}

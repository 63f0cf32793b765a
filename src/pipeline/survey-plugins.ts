import type { AdapterProfile } from "../contract/ability.js";
import type { PhpSpot } from "../contract/change.js";
import { readPhp } from "../sources/php/read-php.js";
import { isPublicTool } from "../listing/read-ability.js";

export { findAbilityPlugins } from "../sources/wordpress/find-plugins.js";

/** An ability that the adapter's default server does not list. */
export interface HiddenAbility extends PhpSpot {
  readonly ability: string;
}

/**
 * Runs plugins in the stub of WordPress, and returns which of their abilities the adapter's default server does not list.
 *
 * @throws McpCodegenError as {@link readPhp} does
 */
export async function findHidden(
  server: string,
  paths: readonly string[],
  { dir, profile }: { readonly dir: string; readonly profile: AdapterProfile },
): Promise<{ readonly abilities: number; readonly hidden: readonly HiddenAbility[] }> {
  const { abilities } = await readPhp(server, { paths }, { dir });
  const hidden = abilities.filter(({ ability }) => !isPublicTool(ability, profile));
  return {
    abilities: abilities.length,
    hidden: hidden.map(({ ability, file, line }) => ({
      ability: ability.name,
      file,
      ...(line > 0 && { line }),
    })),
  };
}

import type { AdapterProfile } from "../contract/ability.js";
import type { PhpSpot } from "../contract/change.js";
import { type PhpFailure, readPhp } from "../sources/php/php-reading.js";
import { isPublicTool } from "../listing/wordpress/ability.js";

export { findAbilityPlugins } from "../sources/php/plugin-files.js";

/** An ability that the adapter's default server does not list. */
export interface HiddenAbility extends PhpSpot {
  readonly ability: string;
}

/** The result of running the plugins. */
export interface PluginSurvey {
  /** How many abilities the plugins register. */
  readonly abilities: number;
  /** Abilities that the adapter's default server does not list. */
  readonly hidden: readonly HiddenAbility[];
  /** Plugins that could not be run, and abilities that WordPress would not register. */
  readonly failures: readonly Pick<PhpFailure, "reason" | "hint">[];
}

/**
 * Runs plugins in the stub of WordPress, and returns the abilities that the adapter's default server does not list.
 *
 * @throws McpCodegenError as {@link readPhp}
 */
export async function findHidden(
  server: string,
  paths: readonly string[],
  { dir, profile }: { readonly dir: string; readonly profile: AdapterProfile },
): Promise<PluginSurvey> {
  const { abilities, failures, gaps, refused } = await readPhp(server, { paths }, { dir });
  const hidden = abilities.filter(({ ability }) => !isPublicTool(ability, profile));
  return {
    abilities: abilities.length,
    failures: [
      ...failures,
      ...gaps,
      ...refused.map(({ kind, name, reason, file, line: at }) => ({
        reason: `WordPress would not register the ${kind} ${JSON.stringify(name)} (${file}:${at}): ${reason}`,
      })),
    ],
    hidden: hidden.map(({ ability, file, line }) => ({
      ability: ability.name,
      file,
      ...(line > 0 && { line }),
    })),
  };
}

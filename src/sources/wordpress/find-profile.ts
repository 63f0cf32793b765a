import { ADAPTER_PROFILES, type AbilitySnapshot, type AdapterProfile } from "../../contract/ability.js";
import { canonicalJson } from "../../contract/canonical-json.js";
import { getOwn } from "../../contract/json.js";
import type { ToolSnapshot } from "../../contract/snapshot.js";
import { projectAbility } from "../../listing/project-ability.js";

/**
 * Returns the profile whose projections equal most tools; the earliest when several do. Without known
 * abilities, a `type` on every tool means an older adapter.
 */
export function findProfile(
  tools: readonly ToolSnapshot[],
  abilities: ReadonlyMap<string, AbilitySnapshot>,
): AdapterProfile {
  const fits = ADAPTER_PROFILES.map((profile) => ({ profile, fit: countEqual(tools, abilities, profile) }));
  const best = Math.max(...fits.map(({ fit }) => fit));
  if (best > 0) return fits.find(({ fit }) => fit === best)?.profile ?? "0.5";
  return tools.length > 0 && tools.every((tool) => getOwn(tool, "type") === "action") ? "0.4" : "0.5";
}

function countEqual(
  tools: readonly ToolSnapshot[],
  abilities: ReadonlyMap<string, AbilitySnapshot>,
  profile: AdapterProfile,
): number {
  return tools.filter((tool) => {
    const ability = abilities.get(tool.name);
    const projection = ability && projectAbility(ability, profile);
    return (
      projection !== undefined &&
      "tool" in projection &&
      canonicalJson(projection.tool) === canonicalJson(tool)
    );
  }).length;
}

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { AbilitySnapshot } from "../../../../src/core/ability.js";
import type { ToolSnapshot } from "../../../../src/core/snapshot.js";
import { readAbility } from "../../../../src/client/listing/wordpress/read-abilities.js";

/** Answers of a real WordPress, not part of the repository. */
export const WORDPRESS: string = fileURLToPath(
  new URL("../../../../shared/data/wordpress/", import.meta.url),
);
export const hasData: boolean = existsSync(WORDPRESS);
export const skipNote: string = hasData ? "" : " (skipped: no ../shared/data)";

/** Returns the registered abilities of each plugin. */
export function readAbilitySets(): readonly (readonly AbilitySnapshot[])[] {
  const plugins = parse("abilities-raw-wp71.json") as Record<string, { abilities: AbilitySnapshot[] }>;
  return Object.values(plugins).map(({ abilities }) =>
    abilities.map(readAbility).filter((ability) => ability !== undefined),
  );
}

/** Returns the tools of a saved answer, by name. */
export function readServedTools(file: string): ReadonlyMap<string, ToolSnapshot> {
  const { result } = parse(file) as { result: { tools: ToolSnapshot[] } };
  return new Map(result.tools.map((tool) => [tool.name, tool]));
}

function parse(file: string): unknown {
  return JSON.parse(readFileSync(join(WORDPRESS, file), "utf8"));
}

import type { LockedAbility } from "./ability.js";
import { byCodeUnit } from "./json.js";
import type { LockedServer } from "./lockfile.js";
import type { ServerSnapshot } from "./snapshot.js";

/** A server's locked block as the snapshot that it was made from. */
export function snapshotOfLock(
  server: string,
  { identity, listing, wordpress, tools }: LockedServer,
): ServerSnapshot {
  const unusable = Object.entries(tools).flatMap(([name, tool]): [string, string][] =>
    tool.unusable === undefined ? [] : [[name, tool.unusable]],
  );
  const abilities = Object.entries(tools).flatMap(([name, { ability }]): [string, LockedAbility][] =>
    ability === undefined ? [] : [[name, ability]],
  );
  const repeated = Object.values(tools).flatMap((tool) => tool.repeated ?? []);
  return {
    server,
    identity,
    listing,
    ...(wordpress !== undefined && { wordpress }),
    ...(abilities.length > 0 && { abilities: Object.fromEntries(abilities) }),
    tools: Object.values(tools)
      .map(({ definition }) => definition)
      .sort((a, b) => byCodeUnit(a.name, b.name)),
    ...(repeated.length > 0 && { repeated }),
    unusable: Object.fromEntries(unusable),
    diagnostics: [],
  };
}

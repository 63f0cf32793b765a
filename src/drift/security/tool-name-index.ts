import { groupBy } from "../../core/collections.js";
import { canonicalJson, byCodeUnit, getOwn } from "../../core/json.js";
import type { LockedAbility } from "../../core/ability.js";
import type { ToolSnapshot } from "../../core/snapshot.js";
import { skeletonOf } from "./texts.js";

/** The tools of one server, to compare with those of other servers. */
export interface ServerTools {
  readonly server: string;
  readonly tools: readonly ToolSnapshot[];
  readonly abilities?: Abilities | undefined;
}

/** WordPress abilities by the name of their tool. */
type Abilities = { readonly [tool: string]: LockedAbility };

export interface ToolOfServer {
  readonly server: string;
  readonly tool: ToolSnapshot;
}

/** Finds tools of different servers with the same or similar names. */
export interface ToolNameIndex {
  /** The names of the tools of every other server. */
  readonly othersOf: (server: string) => ReadonlySet<string>;
  /**
   * Returns tools of other servers whose names look like a tool's name, ordered by server. Excludes the same tool on two
   * servers: the same name with the same definition, or with the same WordPress ability.
   */
  readonly alike: (server: string, tool: ToolSnapshot) => readonly ToolOfServer[];
  /** Returns an index with the current abilities of a server. */
  readonly withAbilities: (server: string, abilities: Abilities) => ToolNameIndex;
}

export const NO_OTHER_TOOLS: ToolNameIndex = {
  othersOf: () => new Set(),
  alike: () => [],
  withAbilities: () => NO_OTHER_TOOLS,
};

/** Returns the index of these servers. Compares names only when they are looked up. */
export function indexToolNames(neighbours: readonly ServerTools[]): ToolNameIndex {
  if (neighbours.length === 0) return NO_OTHER_TOOLS;
  const sorted = [...neighbours].sort((a, b) => byCodeUnit(a.server, b.server));
  const others = new Map<string, ReadonlySet<string>>();
  let bySkeleton: ReadonlyMap<string, readonly ToolOfServer[]> | undefined;
  const abilities = new Map(neighbours.map((each) => [each.server, each.abilities]));
  const abilityOf = (server: string, tool: string): string | undefined => {
    const ability = getOwn(abilities.get(server) ?? {}, tool);
    return ability && canonicalJson(ability.definition);
  };
  const isSame = (server: string, tool: ToolSnapshot, other: ToolOfServer): boolean => {
    if (other.tool.name !== tool.name) return false;
    const ability = abilityOf(server, tool.name);
    if (ability !== undefined && ability === abilityOf(other.server, tool.name)) return true;
    return canonicalJson(other.tool) === canonicalJson(tool);
  };
  return {
    othersOf: (server) => {
      const known = others.get(server);
      if (known !== undefined) return known;
      const tools = sorted.flatMap((each) => (each.server === server ? [] : each.tools));
      const names = new Set(tools.map(({ name }) => name));
      others.set(server, names);
      return names;
    },
    alike: (server, tool) => {
      bySkeleton ??= groupBySkeleton(sorted);
      const same = bySkeleton.get(skeletonOf(tool.name)) ?? [];
      return same.filter((other) => other.server !== server && !isSame(server, tool, other));
    },
    withAbilities: (server, now) => {
      const others = sorted.filter((each) => each.server !== server);
      const own = sorted.find((each) => each.server === server) ?? { server, tools: [] };
      return indexToolNames([...others, { ...own, abilities: { ...own.abilities, ...now } }]);
    },
  };
}

function groupBySkeleton(neighbours: readonly ServerTools[]): ReadonlyMap<string, readonly ToolOfServer[]> {
  const tools = neighbours.flatMap(({ server, tools: own }) => own.map((tool) => ({ server, tool })));
  return groupBy(tools, ({ tool }) => skeletonOf(tool.name));
}

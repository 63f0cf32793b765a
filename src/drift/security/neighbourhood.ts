import { canonicalJson } from "../../contract/canonical-json.js";
import { byCodeUnit } from "../../contract/json.js";
import type { ToolSnapshot } from "../../contract/snapshot.js";
import { skeletonOf } from "./fold-text.js";

/** One server's tools, as they are to be judged beside those of others. */
export interface Neighbour {
  readonly server: string;
  readonly tools: readonly ToolSnapshot[];
}

/** A tool of one server. */
export interface ToolOfServer {
  readonly server: string;
  readonly tool: ToolSnapshot;
}

/** What the servers that a model sees together have in common. */
export interface Neighbourhood {
  /** The names of the tools of every other server. */
  readonly othersOf: (server: string) => ReadonlySet<string>;
  /**
   * The tools of other servers that a tool is hard to tell from by its name, ordered by their servers. The same
   * definition under the same name is the same tool on two servers, and not among them.
   */
  readonly alike: (server: string, tool: ToolSnapshot) => readonly ToolOfServer[];
}

export const ALONE: Neighbourhood = { othersOf: () => new Set(), alike: () => [] };

/** The neighbourhood of these servers; looked up when somebody asks. */
export function meetNeighbours(neighbours: readonly Neighbour[]): Neighbourhood {
  if (neighbours.length === 0) return ALONE;
  const sorted = [...neighbours].sort((a, b) => byCodeUnit(a.server, b.server));
  const others = new Map<string, ReadonlySet<string>>();
  let bySkeleton: ReadonlyMap<string, readonly ToolOfServer[]> | undefined;
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
      return same.filter(
        (other) =>
          other.server !== server &&
          !(other.tool.name === tool.name && canonicalJson(other.tool) === canonicalJson(tool)),
      );
    },
  };
}

function groupBySkeleton(neighbours: readonly Neighbour[]): ReadonlyMap<string, readonly ToolOfServer[]> {
  const groups = new Map<string, ToolOfServer[]>();
  for (const { server, tools } of neighbours) {
    for (const tool of tools) {
      const skeleton = skeletonOf(tool.name);
      const group = groups.get(skeleton);
      if (group === undefined) groups.set(skeleton, [{ server, tool }]);
      else group.push({ server, tool });
    }
  }
  return groups;
}

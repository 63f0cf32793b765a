import type { RegisteredTool } from "../registry/registered-tool.js";
import { ownNameOf } from "../registry/tool-names.js";

/** By which names tools are shown and asked for. */
export interface ToolNames<T extends Pick<RegisteredTool, "name" | "server"> = RegisteredTool> {
  /** The name that a tool is shown by: its own where one server is served and no other tool could be meant, else `server__tool`. */
  nameOf(tool: T): string;
  /** The tools that a name may stand for: its own name or `server__tool`. One is meant where there is one. */
  find(name: string): readonly T[];
}

/** The names of some tools. Registered names are unique; where they are not, the first counts. */
export function createToolNames<T extends Pick<RegisteredTool, "name" | "server">>(
  tools: readonly T[],
): ToolNames<T> {
  const whole = new Map<string, T>();
  for (const tool of tools) if (!whole.has(tool.name)) whole.set(tool.name, tool);
  const bare = new Map<string, T[]>();
  for (const tool of whole.values()) {
    const own = ownNameOf(tool);
    const same = bare.get(own);
    if (same === undefined) bare.set(own, [tool]);
    else same.push(tool);
  }
  const find = (name: string): readonly T[] => {
    const exact = whole.get(name);
    return exact === undefined ? (bare.get(name) ?? []) : [exact];
  };
  const isOneServer = new Set(tools.flatMap(({ server }) => server ?? [])).size <= 1;
  return {
    nameOf: (tool) => {
      const own = ownNameOf(tool);
      const isMeant = isOneServer && bare.get(own)?.length === 1 && find(own)[0] === tool;
      return isMeant ? own : tool.name;
    },
    find,
  };
}

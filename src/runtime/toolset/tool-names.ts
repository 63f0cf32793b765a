import type { RegisteredTool } from "../registry/registered-tool.js";
import { ownNameOf } from "../registry/tool-names.js";

/** By which names tools are shown and asked for. */
export interface ToolNames {
  /** The name that a tool is shown by: its own where one server is served and no other tool could be meant, else `server__tool`. */
  nameOf(tool: RegisteredTool): string;
  /** The tools that a name may stand for: its own name or `server__tool`. One is meant where there is one. */
  find(name: string): readonly RegisteredTool[];
}

/** The names of some tools. Registered names are unique; where they are not, the first counts. */
export function createToolNames(tools: readonly RegisteredTool[]): ToolNames {
  const whole = new Map<string, RegisteredTool>();
  for (const tool of tools) if (!whole.has(tool.name)) whole.set(tool.name, tool);
  const bare = new Map<string, RegisteredTool[]>();
  for (const tool of whole.values()) {
    const own = ownNameOf(tool);
    const same = bare.get(own);
    if (same === undefined) bare.set(own, [tool]);
    else same.push(tool);
  }
  const find = (name: string): readonly RegisteredTool[] => {
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

import type { ServerConfig } from "../config/config.js";
import type { LockedServer } from "../contract/lockfile.js";
import { diagnoseTool } from "./tool-schemas.js";
import type { Diagnostic } from "../contract/diagnostic.js";

/** Returns how many of a server's locked tools have an exact generated schema, with the diagnostics of the others. */
export function measureFidelity(
  server: string,
  { tools }: LockedServer,
  config: ServerConfig = {},
): Fidelity {
  const judged = Object.entries(tools).map(([tool, { definition, unusable }]) =>
    unusable === undefined
      ? diagnoseTool({
          kind: "tool",
          server,
          definition,
          ...(config.formats !== undefined && { formats: config.formats }),
          ...(config.dialect !== undefined && { dialect: config.dialect }),
          // Names do not affect what a schema accepts.
          names: {
            tool,
            file: "tool",
            wrapper: "tool",
            callable: "ToolTool",
            schema: "toolSchema",
            input: "ToolInput",
            output: "ToolOutput",
          },
          importExtension: "js",
        })
      : [{ code: "TOOL_UNUSABLE", server, tool, path: "", message: unusable } as const],
  );
  // A part that is interpreted at run time is exact too.
  const isExact = judged.filter((found) => found.every(({ code }) => code === "SCHEMA_FALLBACK"));
  return { exact: isExact.length, of: judged.length, diagnostics: judged.flat() };
}

/** How exactly the schemas of a server are represented. */
export interface Fidelity {
  /** The number of tools whose generated schema accepts exactly what the original accepts. */
  readonly exact: number;
  readonly of: number;
  /** The reasons for the other tools, and the parts that are interpreted at run time. */
  readonly diagnostics: readonly Diagnostic[];
}

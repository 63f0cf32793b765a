import type { CompleteConfig, ServerConfig } from "../config/config.js";
import type { Diagnostic } from "../contract/diagnostic.js";
import { getOwn } from "../contract/json.js";
import type { LockedServer, Lockfile } from "../contract/lockfile.js";
import { diagnoseTool } from "../emit/tool-schemas.js";

/** How exactly the schemas of a server are represented. */
export interface Fidelity {
  /** The number of tools whose generated schema accepts exactly what the original accepts. */
  readonly exact: number;
  readonly of: number;
  /** The reasons for the other tools, and the parts that are interpreted at run time. */
  readonly diagnostics: readonly Diagnostic[];
}

/** Returns how exactly the schemas of each locked server are represented. Writes no file and connects to no server. */
export function measureFidelity(lock: Lockfile, config?: CompleteConfig): ReadonlyMap<string, Fidelity> {
  return new Map(
    Object.entries(lock.servers).map(([name, server]) => [
      name,
      measureServer(name, server, getOwn(config?.servers ?? {}, name)),
    ]),
  );
}

function measureServer(server: string, { tools }: LockedServer, config: ServerConfig = {}): Fidelity {
  const diagnosed = Object.entries(tools).map(([tool, { definition, unusable }]) =>
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
  const isExact = diagnosed.filter((found) => found.every(({ code }) => code === "SCHEMA_FALLBACK"));
  return { exact: isExact.length, of: diagnosed.length, diagnostics: diagnosed.flat() };
}

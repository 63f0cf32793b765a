import type { ServerConfig } from "../config/config.js";
import type { LockedServer } from "../contract/lockfile.js";
import { diagnoseTool } from "./tool-schemas.js";
import type { Diagnostic } from "../contract/diagnostic.js";

/** How many of a server's locked tools get a schema that accepts just what theirs accepts, and why others do not. */
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
          // Names change nothing in what is accepted.
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
  // What is interpreted at run time is exact as well.
  const isExact = judged.filter((found) => found.every(({ code }) => code === "SCHEMA_FALLBACK"));
  return { exact: isExact.length, of: judged.length, diagnostics: judged.flat() };
}

/** How exactly the tools of a server are known. */
export interface Fidelity {
  /** How many have a generated schema that accepts just what theirs accepts. */
  readonly exact: number;
  readonly of: number;
  /** Why the others have not, and where a part is interpreted at run time. */
  readonly diagnostics: readonly Diagnostic[];
}

import { defineCommand } from "../../command-spec.js";
import type { OptionTable } from "../../options.js";

export const INIT_FLAGS = {
  yes: { help: "accept the defaults without asking" },
  example: { help: "configure the example server that ships with mcp-codegen" },
} as const satisfies OptionTable;

export const initCommand = defineCommand({
  summary: "write a configuration from the MCP servers in your editor",
  description: [
    "Finds the MCP servers in your editors' configuration (.mcp.json, .cursor/mcp.json, .vscode/mcp.json,",
    "claude_desktop_config.json) and writes mcp-codegen.config.ts. Secrets become ${VARIABLES}. For a server that",
    "looks like your own, any drift fails check; for other servers (published packages, third-party services) only",
    "dangerous changes do. An existing configuration is never overwritten.",
  ],
  options: INIT_FLAGS,
  examples: [
    { line: "mcp-codegen init", does: "ask which of the servers found to add" },
    { line: "mcp-codegen init --yes", does: "add all of them without asking" },
    {
      line: "mcp-codegen init --example --yes",
      does: "add an example server to try mcp-codegen: no network, no account",
    },
  ],
  load: async () => (await import("./run.js")).runInit,
});

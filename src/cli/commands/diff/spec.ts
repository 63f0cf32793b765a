import { defineCommand } from "../../command-spec.js";
import { type OptionTable, SHARED } from "../../options.js";

export const DIFF_FLAGS = {
  failOn: SHARED.failOn,
  consumers: SHARED.consumers,
  format: SHARED.format,
  report: SHARED.report,
} as const satisfies OptionTable;

export const diffCommand = defineCommand({
  summary: "compare two contracts: lockfile, saved list, git ref or server",
  description: [
    "Compares any two of: a lockfile or its folder, a saved tools/list result, a git ref (the lock at that ref),",
    "<ref>:<path>, a configured server, a URL, a command. Needs a configuration only for names of configured",
    "servers. The exit codes are those of check.",
  ],
  arguments: [
    { name: "<before>", help: "the old contract" },
    { name: "<after>", help: "the new contract" },
    { name: "[server...]", help: "names of servers in the locks (default: all)" },
  ],
  options: DIFF_FLAGS,
  examples: [
    { line: "mcp-codegen diff main .", does: "show what this branch changes in the lock" },
    { line: "mcp-codegen diff main . --format markdown", does: "the same as a comment for a pull request" },
    {
      line: "mcp-codegen diff v1.0.0 v2.0.0 wordpress",
      does: "compare one server's contract between two tags",
    },
    { line: "mcp-codegen diff old-tools.json new-tools.json", does: "compare two saved tools/list results" },
    { line: "mcp-codegen diff . https://example.com/mcp", does: "compare the lock with a server" },
  ],
  load: async () => (await import("./run.js")).runDiff,
});

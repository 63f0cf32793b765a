import { defineCommand } from "../../command-spec.js";
import type { OptionTable } from "../../options.js";

export const LOG_FLAGS = {
  limit: { value: "number", help: "maximum number of versions to print (default: 20)" },
} as const satisfies OptionTable;

export const logCommand = defineCommand({
  summary: "print the history of a server's contract from git",
  description: [
    "Prints the versions of a server's contract, newest first, with the commit date and the changes of each. Reads",
    "the commits of the current branch that touch the lock. Offline.",
  ],
  arguments: [{ name: "<server>", help: "name of a server in the lock" }],
  options: LOG_FLAGS,
  examples: [
    { line: "mcp-codegen log wordpress", does: "show what changed, and when" },
    { line: "mcp-codegen log wordpress --limit 1 --json", does: "print the newest version as JSON" },
  ],
  load: async () => (await import("./run.js")).runLog,
});

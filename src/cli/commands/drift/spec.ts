import { defineCommand } from "../../command-spec.js";
import { type OptionTable, REPORT_FLAGS } from "../../options.js";

export const diffCommand = defineCommand({
  summary: "compare two contracts: lockfile, saved list, git ref or server",
  description: [
    "Compares any two of: a lockfile or its folder, a saved tools/list result, a git ref (the lock at that ref),",
    "<ref>:<path>, a configured server, a URL, a command. Needs a configuration only for names of configured",
    "servers. The exit codes are those of check.",
  ],
  arguments: {
    "<before>": "the old contract",
    "<after>": "the new contract",
    "[server...]": "names of servers in the locks (default: all)",
  },
  options: REPORT_FLAGS,
  examples: {
    "mcp-codegen diff main .": "show what this branch changes in the lock",
  },
  load: async () => (await import("./diff.js")).runDiff,
});

export const LOG_FLAGS = {
  limit: {
    value: "number",
    range: { from: 1, to: 999_999 },
    help: "maximum number of versions to print (default: 20)",
  },
} as const satisfies OptionTable;

export const logCommand = defineCommand({
  summary: "print the history of a server's contract from git",
  description: [
    "Prints the versions of a server's contract, newest first, with the commit date and the changes of each. Reads",
    "the commits of the current branch that touch the lock. Offline.",
  ],
  arguments: { "[server]": "name of a server in the lock (default: the only one)" },
  options: LOG_FLAGS,
  examples: {
    "mcp-codegen log wordpress": "show what changed, and when",
  },
  load: async () => (await import("./diff.js")).runLog,
});

export const explainCommand = defineCommand({
  summary: "list the drift rules, or explain a rule of drift or about a host",
  description: [
    "Prints what a drift rule finds, its class for inputs and outputs, what it affects, and how to accept a finding",
    "or change its class. For a rule about a host: its effect, how to avoid it, the source and its date. Without a",
    "name, lists every drift rule with its class, as check uses them. Offline.",
  ],
  arguments: {
    "[rule]": "name of a rule, as printed in reports, or of a host (default: list the drift rules)",
  },
  options: {},
  examples: {
    "mcp-codegen explain input-bound-tightened": "show why a tighter limit is a breaking change",
  },
  load: async () => (await import("./rules.js")).runExplain,
});

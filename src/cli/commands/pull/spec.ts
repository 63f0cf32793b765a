import { defineCommand } from "../../command-spec.js";
import { type OptionTable, SERVER_FLAGS, SHARED } from "../../options.js";

export const PULL_FLAGS = {
  ...SERVER_FLAGS,
  php: { help: "read abilities from the PHP that registers them, and contact no server" },
  tools: {
    value: "pattern",
    repeatable: true,
    help: "take only these tools, as in get-* (repeatable); all else stays as it is locked",
  },
  dryRun: SHARED.dryRun,
  upgrade: {
    help: "show what the newest versions of the servers' packages change, and write them to the configuration",
  },
  frozen: {
    negatable: true,
    help: "write nothing, and exit 1 if anything would be written (default when CI is set, unless with --accept)",
  },
  accept: {
    value: "finding",
    repeatable: true,
    help: "accept one security finding by its id, or all findings of a rule (repeatable)",
  },
  reason: SHARED.reason,
  remove: {
    help: "remove servers that are no longer configured or list no tools any more, with their files (a terminal asks)",
  },
  prelude: {
    help: 'make the calls of "prelude" before a list, and remember the consent (a terminal asks)',
  },
  force: SHARED.force,
  allowUnresolved: SHARED.allowUnresolved,
  all: { help: "print every change of a server, and every new tool" },
} as const satisfies OptionTable;

export const pullCommand = defineCommand({
  summary: "read the servers' tools, show what changed, write the lock and the code",
  description: [
    "Lists the tools of the configured servers, prints how they differ from mcp-codegen.lock.json, and writes the",
    "lock and the generated files. If a server fails, its part stays unchanged, the other servers are written, and",
    "the exit code is 3. A tool with a security finding that was not accepted is held back, with exit code 1: the",
    "lock keeps its earlier definition, or leaves the tool out. On a terminal, pull asks about each finding;",
    "elsewhere, accept findings with --accept and --reason. A server that is no longer configured, or that lists no",
    "tools any more, stays in the lock, with exit code 1, until you confirm its removal or pass --remove.",
  ],
  arguments: { "[server...]": "names of configured servers (default: all)" },
  options: PULL_FLAGS,
  conflicts: [
    {
      option: "--server",
      excludes: [
        "--php",
        "--tools",
        "--upgrade",
        "--frozen",
        "--accept",
        "--reason",
        "--remove",
        "--force",
        "--allow-unresolved",
      ],
      because: ", since it writes nothing",
    },
    { option: "--upgrade", excludes: ["--php"], because: ", which starts no server" },
  ],
  examples: {
    "mcp-codegen pull wordpress --dry-run": "show what changed, write nothing",
  },
  load: async () => (await import("./run.js")).runPull,
});

export const WATCH_FLAGS = {
  interval: {
    value: "seconds",
    range: { from: 1, to: 86_400 },
    help: "read servers that send no notifications this often (default: as long as the server calls its list fresh, else 30)",
  },
  check: { help: "write nothing, and report drift as check does" },
} as const satisfies OptionTable;

export const watchCommand = defineCommand({
  summary: "pull again after every change, until Ctrl+C",
  description: [
    "Pulls all servers, and then each server again when its tools may have changed: when it sends a notification, or",
    "else as often as it says or every 30 seconds; when its PHP or its saved list is written; and all of them when the",
    "configuration or a .env file is written. Prints one line for a change and nothing otherwise. A server that is down",
    "is tried again, with pauses of up to 30 seconds. Asks about security findings as pull does. With --json, prints",
    "the document of pull (with --check, of check) on one line for each change. Ctrl+C ends the servers that were started",
    "and exits 130.",
  ],
  arguments: { "[server...]": "names of configured servers (default: all)" },
  options: WATCH_FLAGS,
  examples: {
    "mcp-codegen watch shop --interval 5": "watch one server, and read it every 5 seconds",
  },
  load: async () => (await import("./watch.js")).runWatch,
});

import { defineCommand } from "../../command-spec.js";
import type { OptionTable } from "../../options.js";

export const WATCH_FLAGS = {
  interval: {
    value: "seconds",
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
  arguments: [{ name: "[server...]", help: "names of configured servers (default: all)" }],
  options: WATCH_FLAGS,
  examples: [
    { line: "mcp-codegen watch", does: "keep the lock and the code up to date while you work on a server" },
    { line: "mcp-codegen watch shop --interval 5", does: "watch one server, and read it every 5 seconds" },
    { line: "mcp-codegen watch --check", does: "only report drift" },
  ],
  load: async () => (await import("./run.js")).runWatch,
});

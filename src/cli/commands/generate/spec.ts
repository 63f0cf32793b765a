import { defineCommand } from "../../command-spec.js";
import { type OptionTable, SHARED } from "../../options.js";

export const GENERATE_FLAGS = {
  force: SHARED.force,
  full: { negatable: true, help: "render every file, even if its header matches" },
} as const satisfies OptionTable;

export const generateCommand = defineCommand({
  summary: "write the code from the lock, offline",
  description: [
    "Writes one module for each locked tool, and the index files. Renders only files whose inputs changed, and",
    "touches only files with the mcp-codegen header. A file that was edited by hand is not overwritten without",
    "--force: the other files are written, and the exit code is 2.",
  ],
  options: GENERATE_FLAGS,
  examples: [
    { line: "mcp-codegen generate", does: "write the files whose inputs changed" },
    { line: "mcp-codegen generate --full", does: "write every file again" },
    { line: "mcp-codegen generate --force", does: "overwrite files that were edited by hand, too" },
  ],
  load: async () => (await import("./run.js")).runGenerate,
});

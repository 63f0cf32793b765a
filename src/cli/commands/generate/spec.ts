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

export const LEARN_FLAGS = {
  from: {
    value: "folder",
    repeatable: true,
    help: "read the cassettes below this folder instead of the configured ones (repeatable)",
  },
  fresh: { help: "forget what was learned, so that types can become narrower" },
} as const satisfies OptionTable;

export const learnCommand = defineCommand({
  summary: "learn output types from recorded answers, for tools that declare none",
  description: [
    "Reads the recorded calls in cassettes and infers a schema of the answers of each locked tool without an output",
    "schema: of its structured content, or of its text if every answer is JSON. Writes mcp-codegen.observed.json, which",
    "holds no values. generate then gives these tools a typed answer. More answers only widen a type; --fresh starts",
    "again. An answer that does not fit is handed over and reported to the logger, and never fails a call.",
  ],
  arguments: [{ name: "[server...]", help: "names of configured servers (default: all)" }],
  options: LEARN_FLAGS,
  examples: [
    { line: "mcp-codegen learn", does: "learn from all cassettes of the project" },
    { line: "mcp-codegen learn shop --from recordings", does: "learn from other cassettes, for one server" },
  ],
  load: async () => (await import("./run.js")).runLearn,
});

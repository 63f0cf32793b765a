import { defineCommand } from "../../command-spec.js";
import { type OptionTable, SHARED } from "../../options.js";

export const FIX_FLAGS = {
  against: { value: "git-ref", help: "the lock that your code was written for (default: HEAD)" },
  rename: {
    value: "server/old=new",
    repeatable: true,
    help: "apply this guess; of a property: server/tool.old=new (repeatable)",
  },
  yes: { help: "ask nothing: guesses are listed and not applied" },
  project: SHARED.project,
  write: { help: "edit the files" },
  force: { ...SHARED.force, help: "edit files with uncommitted changes, too" },
} as const satisfies OptionTable;

export const fixCommand = defineCommand({
  summary: "edit your code for renamed tools and properties",
  description: [
    "Compares the lock with the lock that your code was written for (the last commit, unless --against names another), and",
    "renames tools and properties in your TypeScript and JavaScript: imports, calls, types, keys of arguments, reads of",
    "results. Renames that the server declares are applied; a guess is applied only if you confirm it on a terminal or name",
    "it with --rename. Prints a diff, and with --write edits the files. Then compiles the result, and lists the new errors",
    "and the lines that still have an old name: texts, settings, files that agents read. Exits 1 if something is left, or",
    "would be edited without --write.",
  ],
  options: FIX_FLAGS,
  examples: {
    "mcp-codegen fix --rename shop/get_order=fetch_order --write": "apply a rename that was guessed",
  },
  load: async () => (await import("./fix.js")).runFix,
});

export const GENERATE_FLAGS = {
  force: SHARED.force,
  full: { help: "render every file, even if its header matches" },
  learn: { help: "write no code; learn output types from recorded answers, for tools that declare none" },
  from: {
    value: "folder",
    repeatable: true,
    help: "with --learn: read the cassettes below this folder instead of the configured ones (repeatable)",
  },
  fresh: { help: "with --learn: forget what was learned, so that types can become narrower" },
} as const satisfies OptionTable;

export const generateCommand = defineCommand({
  summary: "write the code from the lock, offline",
  description: [
    "Writes one module for each locked tool, and the index files. Renders only files whose inputs changed, and",
    "touches only files with the mcp-codegen header. A file that was edited by hand is not overwritten without",
    "--force: the other files are written, and the exit code is 2. With --learn, reads the recorded calls in cassettes,",
    "infers a schema of the answers of each locked tool without an output schema (of its structured content, or of its",
    "text if every answer is JSON), and writes mcp-codegen.observed.json, which holds no values. The next generate gives",
    "these tools a typed answer. More answers only widen a type; --fresh starts again. An answer that does not fit is",
    "handed over and reported to the logger, and never fails a call.",
  ],
  arguments: { "[server...]": "with --learn: names of configured servers (default: all)" },
  options: GENERATE_FLAGS,
  conflicts: [
    { option: "--learn", excludes: ["--force", "--full"], because: ", which writes code" },
    { option: "--from", requires: "--learn" },
    { option: "--fresh", requires: "--learn" },
  ],
  examples: {
    "mcp-codegen generate --force": "overwrite files that were edited by hand, too",
  },
  load: async () => (await import("./generate.js")).runGenerate,
});

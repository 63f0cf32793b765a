import { defineCommand } from "../../command-spec.js";
import { type OptionTable, SHARED } from "../../options.js";

export const FIX_FLAGS = {
  against: {
    value: "git-ref",
    help: "the git ref of the lock that your code was written for (default: HEAD)",
  },
  rename: {
    value: "server/old=new",
    repeatable: true,
    help: "apply this rename, which is a guess; of a property: server/tool.old=new; of a value: server/tool.property:old=new (repeatable)",
  },
  yes: { help: "ask nothing: guesses are listed and not applied" },
  project: {
    value: "tsconfig",
    help: "the TypeScript project to edit (default: the nearest to the output folder)",
  },
  write: { help: "edit the files" },
  force: { ...SHARED.force, help: "edit files with uncommitted changes, too" },
} as const satisfies OptionTable;

export const fixCommand = defineCommand({
  summary: "edit your code for renamed tools and properties",
  description: [
    "Compares the lock with the lock that your code was written for (the last commit, unless --against names another), and",
    "edits your TypeScript and JavaScript and the files that agents read for what was renamed: imports, calls, types, keys",
    "of arguments, reads of results. Renames that the server declares are applied; a guess is applied only if you confirm it on",
    "a terminal or name it with --rename. Prints a diff, and with --write edits the files. Then compiles the result, and lists",
    "what is left for a person. Exits 1 if something is left, or would be edited without --write.",
  ],
  options: FIX_FLAGS,
  examples: [
    { line: "mcp-codegen fix", does: "show what would be edited since the last commit of the lock" },
    {
      line: "mcp-codegen fix --rename shop/get_order=fetch_order --write",
      does: "apply a rename that was guessed",
    },
    {
      line: "mcp-codegen fix --rename shop/find_orders.limit=per_page",
      does: "show the edits for a renamed property",
    },
  ],
  load: async () => (await import("./run.js")).runFix,
});

import { defineCommand } from "../../command-spec.js";
import type { OptionTable } from "../../options.js";

export const EXPORT_FLAGS = {
  consumer: {
    value: "name",
    help: "the name that the providers' reports give to this project (default: the name in package.json)",
  },
  out: {
    value: "file",
    help: "the file to write (default: mcp-codegen.consumer.json beside the configuration)",
  },
  paths: { help: "also write the paths of the files that use each tool" },
  check: { help: "write nothing; exit 1 if the file is out of date" },
  project: {
    value: "tsconfig",
    help: "the TypeScript project to analyse (default: the nearest to the output folder)",
  },
} as const satisfies OptionTable;

export const exportCommand = defineCommand({
  summary: "write what your code uses of the tools, for the providers of the servers",
  description: [
    "Analyses the TypeScript that calls the generated tools, and writes mcp-codegen.consumer.json: the tools that it",
    "uses, the input properties that it passes (with their values where they are literals), the output properties that",
    "it reads and the values that it compares them with. The file has no code, and no paths without --paths. A provider",
    "keeps it and runs check --consumers, which reports whom a change breaks. What the analysis does not know is written",
    "as unknown. Needs ts-morph.",
  ],
  arguments: [{ name: "[server...]", help: "names of configured servers (default: all)" }],
  options: EXPORT_FLAGS,
  examples: [
    { line: "mcp-codegen export --consumer acme-web", does: "write mcp-codegen.consumer.json" },
    {
      line: "mcp-codegen export --consumer acme-web wordpress --out acme-web.json",
      does: "write what the code uses of one server",
    },
    {
      line: "mcp-codegen export --consumer acme-web --check",
      does: "exit 1 if the committed file is out of date",
    },
  ],
  load: async () => (await import("./run.js")).runExport,
});

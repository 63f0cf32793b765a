import { defineCommand } from "../../command-spec.js";
import type { OptionTable } from "../../options.js";

export const PAGE_FLAGS = {
  out: { value: "file", help: "the file to write (default: mcp-codegen.html beside the configuration)" },
  serve: { help: "write no file; show the page on a loopback port, and reload it when the lock changes" },
  port: { value: "port", help: "with --serve: the port (default: a free one)" },
  open: { help: "open the page in your browser" },
} as const satisfies OptionTable;

export const pageCommand = defineCommand({
  summary: "write the locked tools as one HTML page",
  description: [
    "Writes one file that shows each locked tool with its schemas, TypeScript signature, a call to copy, cost,",
    "annotations and history from git, with a search. The file holds its script, and requests nothing. For a page with",
    "the changes that a check found, run check --format html. Needs only the lock, no configuration. Offline.",
  ],
  options: PAGE_FLAGS,
  conflicts: [
    { option: "--out", excludes: ["--serve"], because: ", which writes no file" },
    { option: "--port", requires: "--serve" },
  ],
  examples: [
    { line: "mcp-codegen page --open", does: "write mcp-codegen.html and open it" },
    { line: "mcp-codegen page --out public/tools.html", does: "write another file" },
    { line: "mcp-codegen page --serve", does: "show a page that reloads when the lock changes" },
  ],
  load: async () => (await import("./run.js")).runPage,
});

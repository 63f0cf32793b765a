import { defineCommand } from "../../command-spec.js";
import { type OptionTable, SHARED } from "../../options.js";

export const DESCRIBE_FLAGS = {
  server: SHARED.server,
  header: SHARED.header,
  bearer: SHARED.bearer,
  format: {
    value: "format",
    choices: ["text", "schema", "typescript"],
    help: "text (default), the published schemas as JSON, or TypeScript signatures",
  },
} as const satisfies OptionTable;

export const describeCommand = defineCommand({
  summary: "show a tool's parameters and output",
  description: [
    "Prints the locked definition of tools: parameters as flags of call, output, annotations, and an example command",
    "line. Contacts no server, unless --server is a command or URL.",
  ],
  arguments: [
    { name: "<tool...>", help: "names of locked tools; write server__tool if several servers have the tool" },
  ],
  options: DESCRIBE_FLAGS,
  examples: [
    { line: "mcp-codegen describe create-post", does: "show parameters and output as text" },
    {
      line: "mcp-codegen describe create-post list-posts --format typescript",
      does: "show TypeScript signatures",
    },
    { line: "mcp-codegen describe example__create-post --json", does: "print the definition as JSON" },
  ],
  load: async () => (await import("./run.js")).runDescribe,
});

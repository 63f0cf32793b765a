import { defineCommand } from "../../command-spec.js";
import { type OptionTable, SHARED } from "../../options.js";

export const SEARCH_FLAGS = {
  category: { value: "name", help: "only tools of this category" },
  server: {
    value: "name",
    repeatable: true,
    help: "only tools of this configured server (repeatable), or of the server with this command or URL",
  },
  header: SHARED.header,
  bearer: SHARED.bearer,
  limit: {
    value: "number",
    help: "maximum number of tools to print (default: 10, or all tools of a category)",
  },
} as const satisfies OptionTable;

export const searchCommand = defineCommand({
  summary: "find tools by what they do",
  description: [
    "Searches the locked tools and the tools of serve.tools by name, title, description, parameters and category,",
    "and by meaning if the configuration sets an embedder. Contacts no server, unless --server is a command or URL.",
    "Tools that the policy hides are not found. A search without results exits 0; an unknown category or server",
    "exits 2.",
  ],
  arguments: [
    { name: "[query...]", help: "what the tool should do, in plain words; optional with --category" },
  ],
  options: SEARCH_FLAGS,
  examples: [
    { line: "mcp-codegen search write a new article", does: "find the best matching tools" },
    { line: "mcp-codegen search --category commerce", does: "list all tools of a category by name" },
    { line: "mcp-codegen search refund --server shop --json", does: "search one server, and print JSON" },
  ],
  load: async () => (await import("./run.js")).runSearch,
});

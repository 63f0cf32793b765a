/** Calls a tool that writes, for ever, and records each call in the file that it is given. Says on stdout which calls were made. */
import { once } from "node:events";
import process from "node:process";
import { connectTools, defineTool } from "mcp-codegen/codegen";
import { defineServer } from "mcp-codegen/runtime";
import { createChangeTracker } from "mcp-codegen/replay";
import { openChangeFile } from "mcp-codegen/node";

const anything = { "~standard": { version: 1, vendor: "test", validate: (value) => ({ value }) } };
const server = defineServer({ name: "site", contract: "1.0.0" });
const createPost = defineTool({ server, name: "create-post", input: anything, inputSchema: () => ({}) });

let calls = 0;
const client = {
  callTool: async () => {
    // What the server does, and all that it remembers. A busy test reads late.
    if (!process.stdout.write(`${calls++}\n`)) await once(process.stdout, "drain");
    return { content: [{ type: "text", text: "x".repeat(20_000) }] };
  },
};
const tracker = createChangeTracker({ store: openChangeFile(process.argv[2] ?? "") });
const site = connectTools(server, { createPost }, { client, changes: tracker });
for (let call = 0; ; call++) await site.createPost({ call });

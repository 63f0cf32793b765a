/** Records calls in a cassette: its folder, a name and how many. Prints the number of each call that has returned. */
import { writeSync } from "node:fs";
import process from "node:process";
import { connectTools, defineTool } from "mcp-codegen/codegen";
import { defineServer } from "mcp-codegen/runtime";

const [record = "", name = "", count = ""] = process.argv.slice(2);
const anything = { "~standard": { version: 1, vendor: "test", validate: (value) => ({ value }) } };
const server = defineServer({ name: "shop" });
const find = defineTool({ server, name: "find", input: anything, inputSchema: () => ({}) });
const client = { callTool: async () => ({ content: [{ type: "text", text: "x".repeat(2_000) }] }) };
const shop = connectTools(server, { find }, { client, record });
for (let call = 0; call < Number(count); call++) {
  await shop.find({ name, call });
  writeSync(1, `${call}\n`);
}

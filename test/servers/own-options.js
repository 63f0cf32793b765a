// A tool whose parameters are called as the options of the command line are, and which answers with them; one that says
// where it runs, one that answers never, and one with an image beside structured content.
import process from "node:process";
import { readOptions, serve, textResult } from "./raw-server.js";

const text = { type: "string" };
const flag = { type: "boolean" };
const TOOLS = [
  {
    name: "echo",
    inputSchema: {
      type: "object",
      properties: { json: flag, input: text, env: text, help: flag, yes: flag, config: text, server: text },
    },
    outputSchema: { type: "object" },
  },
  { name: "where", inputSchema: { type: "object" } },
  { name: "wait", inputSchema: { type: "object" } },
  { name: "pictured", inputSchema: { type: "object" }, outputSchema: { type: "object" } },
];

serve(
  {
    name: "own-options",
    list: () => ({ tools: TOOLS.map((tool) => ({ ...tool, annotations: { readOnlyHint: true } })) }),
    call: ({ name, arguments: args }) => {
      if (name === "echo") return { content: [], structuredContent: args };
      if (name === "pictured")
        return {
          content: [
            { type: "text", text: '{"title":"A"}' },
            { type: "image", data: "AAAA", mimeType: "image/png" },
          ],
          structuredContent: { title: "A" },
        };
      if (name === "wait") return new Promise(() => undefined);
      return textResult(process.env["WHERE"] ?? "nowhere");
    },
  },
  readOptions({}),
);

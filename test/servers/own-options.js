// A tool whose parameters have the names of command line options, and which returns them; one that returns its working
// folder, one that never answers, and one with an image and structured content.
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

// One tool per kind of answer.
import { readOptions, RpcError, serve } from "./raw-server.js";

const OUTPUT = {
  type: "object",
  properties: { celsius: { type: "number" }, note: { type: "string" } },
  required: ["celsius"],
};
const PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const text = (/** @type {string} */ value) => ({ type: "text", text: value });

/** @type {Record<string, { output?: object, answer: Record<string, unknown> }>} */
const TOOLS = {
  image: { answer: { content: [{ type: "image", data: PNG, mimeType: "image/png" }] } },
  audio: { answer: { content: [{ type: "audio", data: "UklGRg==", mimeType: "audio/wav" }] } },
  link: { answer: { content: [{ type: "resource_link", uri: "file:///report.pdf", name: "report.pdf" }] } },
  embedded: {
    answer: {
      content: [{ type: "resource", resource: { uri: "note://1", mimeType: "text/plain", text: "A note." } }],
    },
  },
  mixed: {
    answer: { content: [text("first"), { type: "image", data: PNG, mimeType: "image/png" }, text("second")] },
  },
  "text-that-looks-like-json": { answer: { content: [text('{"celsius":21}')] } },
  nothing: { answer: { content: [] } },
  "no-content-key": { answer: {} },
  "unknown-block": { answer: { content: [{ type: "hologram", data: [1, 2] }] } },
  "meta-kept": { answer: { content: [text("ok")], _meta: { cost: 3 } } },
  structured: {
    output: OUTPUT,
    answer: { content: [text('{"celsius":21}')], structuredContent: { celsius: 21, note: "mild" } },
  },
  "structured-alone": { output: OUTPUT, answer: { structuredContent: { celsius: 21 } } },
  "structured-undeclared": { answer: { content: [text("21")], structuredContent: { celsius: 21 } } },
  "structured-mismatch": {
    output: OUTPUT,
    answer: { content: [text('{"celsius":"warm"}')], structuredContent: { celsius: "warm" } },
  },
  "structured-unknown-key": {
    output: { ...OUTPUT, additionalProperties: false },
    answer: { content: [], structuredContent: { celsius: 21, wind: "mild", "rain\u001b[2J": 0 } },
  },
  // PHP prints an empty object as an empty array.
  "structured-empty-array": { output: { type: "object" }, answer: { content: [], structuredContent: [] } },
  "structured-missing": { output: OUTPUT, answer: { content: [text("It is 21 degrees.")] } },
  "json-text-only": { output: OUTPUT, answer: { content: [text('{"celsius":21}')] } },
  error: { answer: { isError: true, content: [text("The station is offline.")] } },
  "error-with-output-schema": {
    output: OUTPUT,
    answer: { isError: true, content: [text("The station is offline.")] },
  },
  "error-structured": {
    output: OUTPUT,
    answer: { isError: true, content: [text("Offline.")], structuredContent: { code: "offline" } },
  },
  "error-without-content": { answer: { isError: true } },
};

serve(
  {
    name: "rich-content",
    list: () => ({
      tools: Object.entries(TOOLS).map(([name, { output }]) => ({
        name,
        description: `Answers with: ${name}.`,
        inputSchema: { type: "object" },
        ...(output && { outputSchema: output }),
      })),
    }),
    call: ({ name }) => {
      const tool = Object.hasOwn(TOOLS, String(name)) ? TOOLS[String(name)] : undefined;
      if (!tool) throw new RpcError(-32602, `Unknown tool: ${String(name)}`);
      return tool.answer;
    },
  },
  readOptions({}),
);

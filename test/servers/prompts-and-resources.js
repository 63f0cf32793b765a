// Prompts, resources and templates, with answers that name what was requested.
//   --broken yes    answers with neither messages nor contents
import process from "node:process";
import { plainTool, readOptions, RpcError, serve, textResult } from "./raw-server.js";

const options = readOptions({ broken: "" });

const PROMPTS = [
  {
    name: "code_review",
    title: "Code review",
    description: "Reviews code.",
    arguments: [
      { name: "code", description: "The code to review.", required: true },
      { name: "style", description: "Which style guide to follow." },
    ],
  },
  { name: "greeting" },
  { name: "asks", description: "Asks a question first." },
];

const RESOURCES = [
  { uri: "demo://readme", name: "readme", title: "The readme", mimeType: "text/markdown" },
  { uri: "demo://logo", name: "logo", mimeType: "image/png" },
];

const TEMPLATES = [
  { uriTemplate: "demo://files/{+path}", name: "file", title: "A file", mimeType: "text/plain" },
  { uriTemplate: "demo://issues/{id}{?labels*,page}", name: "issue", description: "One issue." },
];

const QUESTION = {
  message: "Whom?",
  requestedSchema: { type: "object", properties: { name: { type: "string" } }, required: ["name"] },
};

/** @type {Map<string, (answer: any) => void>} */
const waiting = new Map();

/** @param {any} params @param {import("./raw-server.js").Connection} connection */
async function getPrompt({ name, arguments: given = {}, inputResponses }, { isLegacy, send }) {
  if (options.broken) return { messages: process.env["DEMO_TOKEN"] ?? "none" };
  if (!PROMPTS.some((prompt) => prompt.name === name)) throw new RpcError(-32602, `Prompt ${name} not found`);
  if (name === "asks" && isLegacy) {
    send({ jsonrpc: "2.0", id: "question", method: "elicitation/create", params: QUESTION });
    const answer = await new Promise((resolve) => waiting.set("question", resolve));
    return promptOf(`Hello, ${answer?.content?.name ?? "stranger"}`);
  }
  if (name === "asks" && inputResponses === undefined)
    return {
      resultType: "input_required",
      inputRequests: { who: { method: "elicitation/create", params: QUESTION } },
    };
  if (name === "asks") return promptOf(`Hello, ${inputResponses.who.content?.name}`);
  return { description: `It is ${name}.`, ...promptOf(JSON.stringify(given)) };
}

/** @param {string} text */
function promptOf(text) {
  return { messages: [{ role: "user", content: { type: "text", text } }] };
}

/** @param {any} params */
function readResource({ uri }) {
  if (options.broken) return { contents: [{ uri }] };
  if (uri === "demo://logo") return { contents: [{ uri, mimeType: "image/png", blob: "iVBORw0KGgo=" }] };
  if (uri === "demo://readme") return { contents: [{ uri, mimeType: "text/markdown", text: "# Demo" }] };
  if (/^demo:\/\/(?:files|issues)\/(?!missing)/.test(uri)) return { contents: [{ uri, text: `At ${uri}` }] };
  if (uri.includes("secret")) throw new RpcError(-32603, `No ${process.env["DEMO_TOKEN"]} here`);
  throw new RpcError(-32602, "Resource not found", { uri });
}

serve(
  {
    name: "prompts-and-resources",
    capabilities: { tools: {}, prompts: {}, resources: {} },
    list: () => ({ tools: [plainTool("ping", { inputSchema: { type: "object" } })] }),
    call: () => textResult("pong"),
    receive: ({ id, result }) => waiting.get(id)?.(result),
    methods: {
      "prompts/list": () => ({ prompts: PROMPTS }),
      "prompts/get": getPrompt,
      "resources/list": () => ({ resources: RESOURCES }),
      "resources/templates/list": () => ({ resourceTemplates: TEMPLATES }),
      "resources/read": readResource,
    },
  },
  options,
);

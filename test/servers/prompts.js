// Servers with prompts and resources.
import { plainTool, RpcError, textResult } from "./raw-server.js";

/** @param {string} path @param {string} digit */
const file = (path, digit) => ({
  uri: `skill://refunds/${path}`,
  digest: `sha256:${digit.repeat(64)}`,
  size: 120,
});
/** @param {string} text */
const promptOf = (text) => ({ messages: [{ role: "user", content: { type: "text", text } }] });

/** @type {Record<string, Record<string, unknown>[]>} */
const LISTS = {
  prompts: [
    {
      name: "review",
      title: "Review a book",
      description: "Asks for a review of one book.",
      arguments: [
        { name: "book", description: "Title of the book.", required: true },
        { name: "tone", description: "Such as polite." },
      ],
    },
    { name: "greet" },
  ],
  resources: [
    { uri: "library://catalogue", name: "catalogue", mimeType: "text/csv", size: 4000 },
    { uri: "library://rules", name: "rules", description: "The rules of the house.", mimeType: "text/plain" },
  ],
  resourceTemplates: [
    { uriTemplate: "library://books/{isbn}{?pages*}", name: "book", mimeType: "application/json" },
  ],
  skills: [
    {
      uri: "skill://refunds/SKILL.md",
      frontmatter: { name: "refunds", description: "Refunds a late fee.", "allowed-tools": "lend Read" },
      resources: [file("SKILL.md", "a"), file("scripts/refund.py", "b")],
    },
  ],
};

/**
 * One tool, prompts, resources, a template of resources and skills, each list in pages of one entry. `--prompts`, `--resources`,
 * `--resourceTemplates` and `--skills` replace a list: the JSON of its entries.
 * @param {Record<string, string>} options
 */
export function library(options) {
  /** @param {string} list @returns {any[]} */
  const entriesOf = (list) => JSON.parse(options[list] || JSON.stringify(LISTS[list]));
  /** @param {string} list @returns {import("./raw-server.js").Handler} */
  const listing =
    (list) =>
    ({ cursor = "0" }) => {
      const entries = entriesOf(list);
      const next = Number(cursor) + 1;
      return {
        [list]: entries.slice(next - 1, next),
        ...(next < entries.length && { nextCursor: String(next) }),
      };
    };
  const extensions = { "io.modelcontextprotocol/skills": {} };
  return {
    version: "2.1.0",
    capabilities: { tools: {}, prompts: {}, resources: {}, extensions },
    tools: ["lend"],
    call: () => textResult("lent"),
    methods: {
      "prompts/list": listing("prompts"),
      "resources/list": listing("resources"),
      "resources/templates/list": listing("resourceTemplates"),
      "skills/list": listing("skills"),
      "prompts/get": (/** @type {any} */ { name, arguments: given = {} }) => {
        const prompt = entriesOf("prompts").find((each) => each.name === name);
        if (prompt === undefined) throw new RpcError(-32602, `Unknown prompt: ${name}`);
        return { description: prompt.description, ...promptOf(`${name}: ${JSON.stringify(given)}`) };
      },
      "resources/read": (/** @type {any} */ { uri }) => ({
        contents: [{ uri, mimeType: "text/plain", text: `The text of ${uri}.` }],
      }),
    },
  };
}

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

/**
 * Prompts, resources and templates, with answers that name what was requested; --broken yes: with neither messages nor contents.
 * @param {Record<string, string>} options @param {import("./raw-server.js").Host} host
 */
export function promptsAndResources({ broken }, { env }) {
  /** @type {(result: any) => void} */
  let answer;

  /** @type {import("./raw-server.js").Handler} */
  async function getPrompt({ name, arguments: given = {}, inputResponses }, { isLegacy, send }) {
    if (broken) return { messages: env["DEMO_TOKEN"] ?? "none" };
    if (!PROMPTS.some((prompt) => prompt.name === name))
      throw new RpcError(-32602, `Prompt ${name} not found`);
    const request = { method: "elicitation/create", params: QUESTION };
    if (name === "asks" && isLegacy) {
      const answered = new Promise((resolve) => (answer = resolve));
      send({ jsonrpc: "2.0", id: "question", ...request });
      return promptOf(`Hello, ${(await answered)?.content?.name ?? "stranger"}`);
    }
    if (name === "asks" && inputResponses === undefined)
      return { resultType: "input_required", inputRequests: { who: request } };
    if (name === "asks") return promptOf(`Hello, ${inputResponses.who.content?.name}`);
    return { description: `It is ${name}.`, ...promptOf(JSON.stringify(given)) };
  }

  /** @type {import("./raw-server.js").Handler} */
  function readResource({ uri }) {
    if (broken) return { contents: [{ uri }] };
    if (uri === "demo://logo") return { contents: [{ uri, mimeType: "image/png", blob: "iVBORw0KGgo=" }] };
    if (uri === "demo://readme") return { contents: [{ uri, mimeType: "text/markdown", text: "# Demo" }] };
    if (/^demo:\/\/(?:files|issues)\/(?!missing)/.test(uri))
      return { contents: [{ uri, text: `At ${uri}` }] };
    if (uri.includes("secret")) throw new RpcError(-32603, `No ${env["DEMO_TOKEN"]} here`);
    throw new RpcError(-32602, "Resource not found", { uri });
  }

  return {
    capabilities: { tools: {}, prompts: {}, resources: {} },
    tools: [plainTool("ping", { inputSchema: { type: "object" } })],
    call: () => textResult("pong"),
    receive: (/** @type {any} */ { result }) => answer?.(result),
    methods: {
      "prompts/list": () => ({ prompts: PROMPTS }),
      "prompts/get": getPrompt,
      "resources/list": () => ({ resources: RESOURCES }),
      "resources/templates/list": () => ({ resourceTemplates: TEMPLATES }),
      "resources/read": readResource,
    },
  };
}

// A server with one tool, prompts, resources, a template of resources and skills, each list in pages of one entry.
// `--prompts`, `--resources`, `--resourceTemplates` and `--skills` replace a list: the JSON of its entries.
import { plainTool, readOptions, RpcError, serve, textResult } from "./raw-server.js";

/** @param {string} path @param {string} digit */
const file = (path, digit) => ({
  uri: `skill://refunds/${path}`,
  digest: `sha256:${digit.repeat(64)}`,
  size: 120,
});

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

const options = readOptions({
  ...{ prompts: "", resources: "", resourceTemplates: "", skills: "" },
  era: "both",
});

/** @param {keyof typeof options} list @returns {Record<string, unknown>[]} */
const entriesOf = (list) => JSON.parse(options[list] || JSON.stringify(LISTS[list]));

/**
 * Lists one entry at a time.
 * @param {keyof typeof options} list @returns {import("./raw-server.js").Handler}
 */
const listing =
  (list) =>
  ({ cursor }) => {
    const entries = entriesOf(list);
    const at = Number(cursor ?? 0);
    return {
      [list]: entries.slice(at, at + 1),
      ...(at + 1 < entries.length && { nextCursor: String(at + 1) }),
    };
  };

serve(
  {
    name: "library",
    version: "2.1.0",
    capabilities: {
      tools: {},
      prompts: {},
      resources: {},
      extensions: { "io.modelcontextprotocol/skills": {} },
    },
    list: () => ({ tools: [plainTool("lend")] }),
    call: () => textResult("lent"),
    methods: {
      "prompts/list": listing("prompts"),
      "resources/list": listing("resources"),
      "resources/templates/list": listing("resourceTemplates"),
      "skills/list": listing("skills"),
      "prompts/get": ({ name, arguments: given = {} }) => {
        const prompt = entriesOf("prompts").find((each) => each.name === name);
        if (prompt === undefined) throw new RpcError(-32602, `Unknown prompt: ${name}`);
        const text = `${name}: ${JSON.stringify(given)}`;
        return {
          description: prompt.description,
          messages: [{ role: "user", content: { type: "text", text } }],
        };
      },
      "resources/read": ({ uri }) => ({
        contents: [{ uri, mimeType: "text/plain", text: `The text of ${uri}.` }],
      }),
    },
  },
  options,
);

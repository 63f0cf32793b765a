import { expect, it } from "vitest";
import type { LockedServer, LockedTool } from "../../src/core/lockfile.js";
import { type ListedServer, listServerTools } from "../../src/report/list-tools.js";
import { printList, printTokenList } from "../../src/report/print-list.js";
import { plain } from "./fixtures.js";

function locked(definition: LockedTool["definition"], rest: Partial<LockedTool> = {}): LockedTool {
  return { digest: "sha256-0", definition, ...rest };
}

const description = "Returns\none\u001b[31m post";
const inputSchema = { type: "object", required: ["id", 3] };
const site: LockedServer = {
  contract: "1.0.0",
  identity: { serverInfo: {}, protocolVersion: "2025-11-25", capabilities: {} },
  listing: { clientCapabilities: {}, pages: 1 },
  tools: {
    ping: locked({ name: "ping", inputSchema: { type: "object" } }),
    "get-post": locked({ name: "get-post", description, inputSchema }, { category: "content" }),
    odd: locked(
      { name: "odd", inputSchema: false },
      { category: "content", unusable: "its input schema is not an object schema" },
    ),
  },
};

function listLockedTools(
  block: LockedServer,
  options: Parameters<typeof listServerTools>[1] = {},
  fidelity?: ListedServer["fidelity"],
): readonly ListedServer[] {
  return [listServerTools({ server: "site", block, isLocked: true, fidelity }, options)];
}

it("lists by server and category, tools without a category last", () => {
  expect(printList(listLockedTools(site), plain)).toEqual([
    "site contract 1.0.0, 3 tools, ≈ 65 tokens",
    "  content",
    "    get-post(id) effect not stated, ≈ 33 tokens",
    "      Returns one\\u{1B}[31m post",
    "    odd() effect not stated, ≈ 16 tokens",
    "      unusable: its input schema is not an object schema",
    "  (no category)",
    "    ping() effect not stated, ≈ 16 tokens",
    "",
    "≈ tokens: bytes / 4 of name, description and input schema as JSON. To count them: npm install -D gpt-tokenizer@4, then npx mcp-codegen pull",
  ]);
});

it("marks a category that only the name suggests, also beside the same category when it is stated", () => {
  const named = locked({ name: "list-posts", inputSchema: { type: "object" } });
  const guessed = { ...site, tools: { ...site.tools, "list-posts": named } };
  const categories = listLockedTools(guessed)[0]?.categories.map(({ category, isGuess, tools }) => [
    category,
    isGuess,
    tools.map(({ name }) => name),
  ]);
  expect(categories).toEqual([
    ["content", undefined, ["get-post", "odd"]],
    ["content", true, ["list-posts"]],
    [null, undefined, ["ping"]],
  ]);
  const heads = [printList(listLockedTools(guessed), plain), printTokenList(listLockedTools(guessed), plain)];
  for (const lines of heads)
    expect(lines.join("\n")).toMatch(
      /^ {2}content\b(?! \(guess)[^]*^ {2}content \(guessed from the names\)/m,
    );
});

it("takes tokens from the lock, and sorts by tokens on request", () => {
  const tokens: Readonly<Record<string, number>> = { ping: 2_000, "get-post": 15, odd: 1 };
  const tools = Object.entries(site.tools).map(([name, tool]): [string, LockedTool] => [
    name,
    { ...tool, tokens: tokens[name] ?? 0 },
  ]);
  const counted = { ...site, tokenizer: "o200k_base", tools: Object.fromEntries(tools) };
  expect(printTokenList(listLockedTools(counted, { byTokens: true }), plain)).toEqual([
    "site contract 1.0.0, 3 tools, 2,016 tokens",
    "  (no category) 1 tool, 2,000 tokens",
    "    ping 2,000 tokens",
    "  content 2 tools, 16 tokens",
    "    get-post 15 tokens",
    "    odd 1 token",
    "",
    "Total: 2,016 tokens in every turn that lists all tools.",
    "tokens: name, description and input schema as JSON, counted with o200k_base.",
  ]);
  expect(listLockedTools(counted)[0]).toMatchObject({ tokens: 2_016, tokenizer: "o200k_base" });
  // One uncounted tool makes the sum an estimate.
  const mixed = { ...site.tools, ping: locked({ name: "ping" }, { tokens: 1 }) };
  const [server] = listLockedTools({ ...site, tokenizer: "o200k_base", tools: mixed });
  expect(server?.tokenizer).toBeUndefined();
});

it("prints the share of exact tools, rounded down", () => {
  const loosened = { code: "KEYWORD_LOOSENED", server: "site", tool: "odd", path: "/a" } as const;
  const found = { ...loosened, message: "It is odd." };
  const print = (exact: number, of: number): readonly string[] =>
    printList(listLockedTools(site, {}, { exact, of, diagnostics: [found] }), plain);
  expect(print(2, 3).slice(-4)).toEqual([
    "  exact: 2 of 3 tools, 66.6 %",
    "note: site odd at /a: It is odd. [KEYWORD_LOOSENED]",
    "",
    expect.stringContaining("≈ tokens") as string,
  ]);
  expect(print(9_999, 10_000)).toContain("  exact: 9,999 of 10,000 tools, 99.9 %");
  expect(print(0, 0)).toContain("  exact: 0 of 0 tools, 100 %");
});

it("has the parameters of an ability that are required in the form of draft 3", () => {
  const schema = { type: "object", properties: { id: { required: true }, note: { required: false } } };
  const listed = (rest: Partial<LockedTool>): unknown =>
    listLockedTools({ ...site, tools: { get: locked({ name: "get", inputSchema: schema }, rest) } })[0]
      ?.categories[0]?.tools[0];
  const ability = { definition: { name: "acme/get", input_schema: schema } };
  expect(listed({ ability })).toMatchObject({ required: ["id"], optional: ["note"] });
  expect(listed({})).toMatchObject({ required: [], optional: ["id", "note"] });
});

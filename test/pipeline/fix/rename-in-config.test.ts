import { describe, expect, it } from "vitest";
import { applyEdits } from "../../../src/core/rename.js";
import { findToolNames } from "../../../src/config/match-tools.js";
import { renameInConfig } from "../../../src/pipeline/fix/other-files.js";

const RENAME = { server: "shop", before: "get_order", after: "fetch-order" };

async function rename(
  path: string,
  text: string,
  after = RENAME.after,
): Promise<readonly [text: string, found: number]> {
  const config = { servers: { shop: {} } };
  const found = await renameInConfig(path, text, findToolNames(config, { ...RENAME, after }));
  return [applyEdits(text, found.flat()), found.flat().length];
}

describe("renameInConfig", () => {
  it("edits lists and keys of the server in JSON with comments, and nothing else", async () => {
    const text = `{
  // get_order stays in a comment
  "servers": {
    "shop": {
      "command": "get_order",
      "tools": { "include": ["get_order", "get_*"], "exclude": [], "rename": { "get_order": "get_order" }, },
      "outputs": { "get_order": { "type": "object" } }
    },
    "mail": { "tools": { "include": ["get_order"] } }
  }
}
`;
    const expected = text
      .replace('["get_order", "get_*"]', '["fetch-order", "get_*"]')
      .replace('"rename": { "get_order"', '"rename": { "fetch-order"')
      .replace('"outputs": { "get_order"', '"outputs": { "fetch-order"');
    expect(await rename("mcp-codegen.config.jsonc", text)).toEqual([expected, 3]);
  });

  it("edits TypeScript through a call, constants, shorthands and assertions, and keeps quotes", async () => {
    const text = `import { defineConfig } from "mcp-codegen";

const include = ['get_order', \`get_order\`];
const shop = { url: "https://example.com", tools: { include, annotations: { get_order: {} } } } as const;

export default defineConfig({ servers: { shop } } satisfies object);
`;
    const expected = text
      .replace("['get_order', `get_order`]", "['fetch-order', `fetch-order`]")
      .replace("annotations: { get_order", 'annotations: { "fetch-order"');
    expect(await rename("mcp-codegen.config.ts", text)).toEqual([expected, 3]);
  });

  it("edits policies, categories and the calls of a prelude", async () => {
    const text = `export default {
  servers: {
    shop: {
      categories: { get_order: "get_order" },
      prelude: [{ tool: "get_order", arguments: { tool: "get_order" } }],
      variants: { admin: { prelude: [{ tool: "get_order" }] } },
    },
  },
  policy: { roles: { guest: { deny: [{ names: ["shop__get_order", "get_order", "get_order_*", "mail__get_order"] }] } } },
};
`;
    const expected = text
      .replace("{ get_order:", '{ "fetch-order":')
      .replaceAll('{ tool: "get_order"', '{ tool: "fetch-order"')
      .replace('arguments: { tool: "fetch-order"', 'arguments: { tool: "get_order"')
      .replace('"shop__get_order", "get_order"', '"shop__fetch-order", "fetch-order"');
    expect(await rename("mcp-codegen.config.ts", text)).toEqual([expected, 5]);
  });

  it("writes no pattern that a server calls a name", async () => {
    const text = '{ "servers": { "shop": { "tools": { "include": ["get_order"] } } } }';
    expect(await rename("mcp-codegen.config.json", text, "*")).toEqual([text, 0]);
  });

  it("edits the configuration in package.json", async () => {
    const text = `{ "servers": 1, "mcp-codegen": { "servers": { "shop": { "tools": { "exclude": ["get_order"] } } } } }`;
    expect(await rename("package.json", text)).toEqual([text.replace("get_order", "fetch-order"), 1]);
  });

  it.each([
    ["a name that another file has", 'import c from "./c.js";\nexport default c;\n'],
    ["a computed list", 'export default { servers: { shop: { tools: { include: list("get_order") } } } };\n'],
    ["a spread", "export default { servers: { ...all } };\n"],
    ["no export", "const a = 1;\n"],
    ["a constant that is itself", "const a = a;\nexport default a;\n"],
  ])("leaves %s", async (_, text) => {
    expect(await rename("mcp-codegen.config.ts", text)).toEqual([text, 0]);
  });

  it("a name from a server cannot end a literal", async () => {
    const text = `export default { servers: { shop: { tools: { include: ['get_order', "get_order", \`get_order\`] } } } };`;
    const after = "a'b\"c`d${e}\\\nf";
    const [edits = []] = await renameInConfig("c.ts", text, [
      { path: ["servers", "shop", "tools", "include", "[]"], before: "get_order", after },
    ]);
    const url = `data:text/javascript,${encodeURIComponent(applyEdits(text, edits))}`;
    const { default: value } = (await import(url)) as {
      default: { servers: { shop: { tools: { include: readonly string[] } } } };
    };
    expect(value.servers.shop.tools.include).toEqual([after, after, after]);
  });
});

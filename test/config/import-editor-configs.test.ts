import { expect, it } from "vitest";
import { importEditorConfigs, type ImportedServers } from "../../src/config/import-editor-configs.js";
import { validateConfig } from "../../src/config/validate-config.js";
import { makeFolder } from "../temporary-folder.js";

const textsOf = ({ notes }: ImportedServers): readonly string[] => notes.map(({ text }) => text);

async function importFrom(files: { readonly [name: string]: unknown }): Promise<ImportedServers> {
  const textOf = (content: unknown) => (typeof content === "string" ? content : JSON.stringify(content));
  const texts = Object.entries(files).map(([name, content]) => [name, textOf(content)] as const);
  const imported = await importEditorConfigs(await makeFolder(Object.fromEntries(texts)));
  // The result is always a valid configuration, without the secrets of these tests.
  await validateConfig({ servers: imported.servers }, "imported");
  expect(JSON.stringify(imported)).not.toContain("sesame");
  return imported;
}

it("returns nothing without files", async () => {
  expect(await importFrom({})).toMatchObject({ files: [], servers: {}, notes: [] });
});

it("reads .mcp.json and replaces secrets with variables", async () => {
  const imported = await importFrom({
    ".mcp.json": {
      mcpServers: {
        "GitHub Copilot": {
          type: "http",
          url: "https://api.example/mcp/",
          headers: { Authorization: "Bearer sesame" },
        },
        shop: {
          type: "sse",
          url: "https://me:sesame@shop.example/sse?site=1&api_key=sesame",
          headers: { "X-Key": "sesame", Accept: "text/plain" },
        },
        git: {
          command: "docker",
          args: ["run", "-e", "GITHUB_TOKEN=sesame", "git", "--api-key", "sesame", "--token=sesame"],
          env: { GITHUB_TOKEN: "sesame", LOG: "debug", PORT: 80, OWN: "${OWN_TOKEN:-}" },
        },
      },
    },
  });
  expect(imported.servers).toEqual({
    git_hub_copilot: { url: "https://api.example/mcp/", auth: { bearer: "${GIT_HUB_COPILOT_TOKEN}" } },
    shop: {
      url: "https://shop.example/sse?site=1&api_key=${SHOP_API_KEY}",
      transport: "sse",
      auth: { basic: { username: "${SHOP_USERNAME}", password: "${SHOP_PASSWORD}" } },
      headers: { "X-Key": "${SHOP_X_KEY}", Accept: { value: "text/plain", public: true } },
    },
    git: {
      command: "docker",
      args: ["run", "-e", "GITHUB_TOKEN=${GITHUB_TOKEN}", "git", "--api-key", "${GIT_API_KEY}", "--token=${GIT_TOKEN}"], // prettier-ignore
      env: { GITHUB_TOKEN: "${GITHUB_TOKEN}", LOG: "debug", PORT: "80", OWN: "${OWN_TOKEN:-}" },
    },
  });
  expect(textsOf(imported)).toContain('Set GITHUB_TOKEN: it replaces a literal of "git" in ".mcp.json".');
  expect(imported.notes).toHaveLength(8);
  expect(imported.notes.filter(({ server }) => server === "git")).not.toEqual([]);
});

it("reads the file of VS Code with comments and inputs", async () => {
  const imported = await importFrom({
    ".vscode/mcp.json": `// servers
      { "inputs": [{ "id": "api-token", "type": "promptString", "password": true }],
        "servers": { /* one */ "shop": {
          "command": "node", "args": ["\${workspaceFolder}/server.js", "//no comment, }"],
          "env": { "API_TOKEN": "\${input:api-token}", "HOST": "\${env:HOST}" }, } } }`,
  });
  expect(imported.servers).toEqual({
    shop: {
      command: "node",
      args: ["./server.js", "//no comment, }"],
      env: { API_TOKEN: "${API_TOKEN}", HOST: "${HOST}" },
    },
  });
  expect(textsOf(imported)).toEqual(['Set API_TOKEN: "shop" in ".vscode/mcp.json" uses it.']);
});

it("imports a server once, from the first file, and omits what it cannot read", async () => {
  const imported = await importFrom({
    ".mcp.json": { mcpServers: { shop: { command: "first" }, Shop: { command: "second" } } },
    ".cursor/mcp.json": {
      mcpServers: { shop: { command: "third" }, odd: {}, other: { serverUrl: "https://x.example" } },
    },
    "claude_desktop_config.json": "{ nonsense",
  });
  expect(imported.files).toEqual([".mcp.json", ".cursor/mcp.json"]);
  expect(imported.servers).toEqual({
    shop: { command: "first" },
    shop_2: { command: "second" },
    other: { url: "https://x.example" },
  });
  expect(textsOf(imported)).toEqual([
    '"odd" in ".cursor/mcp.json" has neither a command nor a URL, so it was left out.',
    '"claude_desktop_config.json" is not JSON with servers, so it was left out.',
  ]);
});

import ts from "typescript";
import { expect, it } from "vitest";
import type { Config } from "../../src/config/config.js";
import { formatConfig } from "../../src/config/format-config.js";
import { loadConfig } from "../../src/config/load-config.js";
import { makeFolder } from "../temporary-folder.js";

const CONFIG: Config = {
  servers: {
    files: {
      cwd: ".",
      env: { DEBUG: "" },
      args: ["-y", "@scope/server-files", "`${x}`", '*/\u2028\\"'],
      command: "npx",
    },
    shop: {
      categories: { "*": "all" },
      url: "${SHOP_URL}/mcp",
      auth: { basic: { username: { value: "x", public: true }, password: "${P}" } },
      headers: Object.fromEntries([["X-Key", "${KEY}"]]),
      tools: { rename: JSON.parse('{"__proto__":"proto","get-post":"read"}') as Record<string, string> },
    },
  },
  output: "src/generated",
};

it("writes readable TypeScript", () => {
  expect(formatConfig(CONFIG, "ts")).toBe(
    String.raw`import { defineConfig, type Config } from "mcp-codegen";

const config: Config = defineConfig({
  output: "src/generated",
  servers: {
    files: {
      command: "npx",
      args: ["-y", "@scope/server-files", "` +
      "`${x}`" +
      String.raw`", "*/\u2028\\\""],
      env: { DEBUG: "" },
      cwd: ".",
    },
    shop: {
      url: "` +
      "${SHOP_URL}" +
      String.raw`/mcp",
      auth: { basic: { username: { value: "x", public: true }, password: "` +
      "${P}" +
      String.raw`" } },
      headers: { "X-Key": "` +
      "${KEY}" +
      String.raw`" },
      tools: { rename: { ["__proto__"]: "proto", "get-post": "read" } },
      categories: { "*": "all" },
    },
  },
});

export default config;
`,
  );
});

it("exports a value that isolatedDeclarations accepts", () => {
  const { diagnostics } = ts.transpileDeclaration(formatConfig(CONFIG, "ts"), {
    reportDiagnostics: true,
    compilerOptions: { isolatedDeclarations: true, declaration: true },
  });
  expect(diagnostics).toEqual([]);
});

it.each(["ts", "json"] as const)("survives a round trip in %s", async (language) => {
  const path = `mcp-codegen.config.${language}`;
  const cwd = await makeFolder({ [path]: formatConfig(CONFIG, language) });
  expect((await loadConfig({ cwd, path }))?.config).toMatchObject(CONFIG);
});

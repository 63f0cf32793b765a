import { expect, it, onTestFinished, vi } from "vitest";
import type { ServerConfig } from "../../../src/config/config.js";
import { defineStaticTool } from "../../../src/agent/define-static-tool.js";
import { connectServer, findOwnTools, openLockedTools } from "../../../src/project/tools/locked-tools.js";
import type { Lockfile } from "../../../src/core/lockfile.js";

const lock: Lockfile = {
  lockfileVersion: 1,
  servers: {
    bakery: {
      contract: "1.0.0",
      identity: { serverInfo: {}, protocolVersion: "2025-06-18", capabilities: {} },
      listing: { clientCapabilities: {}, pages: 1 },
      tools: { bake: { digest: "", definition: { name: "bake", inputSchema: { type: "object" } } } },
    },
  },
};

it("a locked tool has the connection settings of its server", () => {
  const settings: ServerConfig = {
    ...{ url: "https://bakery.example/mcp", transport: "http", protocol: "2025-06-18" },
    ...{ auth: { bearer: "${TOKEN}" }, headers: { "x-shop": "1" }, timeouts: { call: 5 } },
    ...{ capabilities: { sampling: {} }, environments: { local: { url: "http://localhost/mcp" } } },
  };
  const project = { config: { servers: { bakery: settings }, output: "out" }, dir: "/", path: "/c.json" };
  const tools = connectServer(
    project,
    lock.servers["bakery"],
    { server: "bakery" },
    { lookup: () => undefined },
  );
  const [bake] = Object.values(tools ?? {});
  expect(bake?.definition.server).toMatchObject({ name: "bakery", contract: "1.0.0", ...settings });
});

it("a tool of the program replaces a locked one without a warning, and no variable switches the server off", () => {
  vi.stubEnv("BAKERY_MCP_ENABLED", "false");
  onTestFinished(() => {
    vi.unstubAllEnvs();
  });
  const project = {
    config: { servers: { bakery: { url: "https://bakery.example/mcp" } }, output: "out" },
    dir: "/",
    path: "/c.json",
  };
  const own = defineStaticTool({ name: "bakery__bake", inputSchema: { type: "object" }, execute: () => 1 });
  const warnings: string[] = [];
  const open = (statics: readonly (typeof own)[]): readonly (string | undefined)[] =>
    openLockedTools(project, lock, {
      lookup: () => undefined,
      static: statics,
      onWarning: (message) => warnings.push(message),
    }).registry.tools.map(({ name, server }) => `${name} of ${server ?? "the program"}`);
  expect(open([])).toEqual(["bakery__bake of bakery"]);
  expect(open([own])).toEqual(["bakery__bake of the program"]);
  expect(warnings).toEqual([]);
});

it("a server without environments is named where another is used in one", () => {
  const url = "https://bakery.example/mcp";
  const warningsIn = (environment: string | undefined, bakery: ServerConfig): readonly string[] => {
    const project = { config: { servers: { bakery }, output: "out" }, dir: "/", path: "/c.json" };
    const warnings: string[] = [];
    openLockedTools(project, lock, {
      environment,
      lookup: () => undefined,
      onWarning: (message) => warnings.push(message),
    });
    return warnings;
  };
  expect(warningsIn("sandbox", { url })).toEqual([
    'Server "bakery" has no environment "sandbox", so its calls go to its own settings.',
  ]);
  expect(warningsIn("sandbox", { url, environments: { sandbox: { url } } })).toEqual([]);
  expect(warningsIn(undefined, { url })).toEqual([]);
});

it("an error of the tools of the program names the key of the configuration", async () => {
  const config = { servers: {}, output: "out", serve: { tools: ["nothing/*.js"] } };
  const project = { config, dir: import.meta.dirname, path: "/c.json" };
  await expect(findOwnTools(project, () => undefined)).rejects.toMatchObject({
    code: "TOOL_MODULE_FAILED",
    message: expect.stringMatching(
      /^serve\.tools: Root ".*" was refused: it has no modules at nothing\/\*\.js\.$/,
    ) as string,
  });
});

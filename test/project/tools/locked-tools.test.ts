import { expect, it } from "vitest";
import type { ServerConfig } from "../../../src/config/config.js";
import { connectServer } from "../../../src/project/tools/locked-tools.js";
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

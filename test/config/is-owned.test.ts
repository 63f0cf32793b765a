import { expect, it } from "vitest";
import type { ServerConfig } from "../../src/config/config.js";
import { isOwned } from "../../src/config/is-owned.js";

it.each<[ServerConfig, boolean]>([
  [{ command: "node", args: ["server.js"] }, true],
  [{ command: "php", args: ["artisan", "mcp"] }, true],
  [{ command: "/usr/local/bin/my-server" }, true],
  [{ command: "npx", args: ["mcp-codegen", "example-server"] }, true],
  [{ command: "npx", args: ["-y", "./packages/server"] }, true],
  [{ command: "npm", args: ["run", "mcp"] }, true],
  [{ command: "uv", args: ["run", "server.py"] }, true],
  [{ command: "npx", args: ["-y", "@modelcontextprotocol/server-filesystem", "."] }, false],
  [{ command: "C:\\Program Files\\nodejs\\npx.cmd", args: ["some-server"] }, false],
  [{ command: "cmd", args: ["/c", "npx", "-y", "some-server"] }, false],
  [{ command: "pnpm", args: ["dlx", "some-server"] }, false],
  [{ command: "uvx", args: ["mcp-server-git"] }, false],
  [{ command: "docker", args: ["run", "-i", "mcp/fetch"] }, false],
  [{ url: "http://localhost:3000/mcp" }, true],
  [{ url: "http://127.0.0.1:3000/mcp" }, true],
  [{ url: "http://[::1]:3000/mcp" }, true],
  [{ url: "http://172.20.0.4/mcp" }, true],
  [{ url: "http://shop:8080/mcp" }, true],
  [{ url: "https://tools.internal/mcp" }, true],
  [{ url: "${SHOP_URL}/mcp" }, true],
  [{ url: "https://example.com/wp-json/my-plugin/mcp" }, true],
  [{ file: "tools.json" }, true],
  [{ url: "https://mcp.example.com/mcp" }, false],
  [{ url: "https://172.32.0.1/mcp" }, false],
  [{ url: "https://localhost.example.com/mcp" }, false],
])("whether %j is owned: %s", (server, owned) => {
  expect(isOwned(server)).toBe(owned);
});

import { expect, it } from "vitest";
import type { ServerConfig } from "../../src/config/config.js";
import {
  compareVersions,
  findStartedPackage,
  findUnpinned,
  isOwned,
  pinPackage,
} from "../../src/config/package-pins.js";
import { makeFolder } from "../temporary-folder.js";

it.each<[string, readonly string[], ReturnType<typeof findStartedPackage>]>([
  ["npx", ["-y", "@scope/server-git", "."], { name: "@scope/server-git", version: undefined }],
  ["npx", ["-y", "@scope/server-git@1.4.2"], { name: "@scope/server-git", version: "1.4.2" }],
  ["npx", ["server@1.4.2-beta.1"], { name: "server", version: "1.4.2-beta.1" }],
  ["npx", ["server@latest"], { name: "server", version: undefined }],
  ["npx", ["server@^1.4"], { name: "server", version: undefined }],
  ["npm", ["exec", "--yes", "server"], { name: "server", version: undefined }],
  ["bunx", ["server"], { name: "server", version: undefined }],
  ["npx", ["-y", "github:someone/server"], undefined],
  ["npx", ["-y", "./server"], undefined],
  ["npx", ["-y", "https://example.com/server.tgz"], undefined],
  ["uvx", ["server"], undefined],
  ["docker", ["run", "-i", "server"], undefined],
  ["node", ["server.js"], undefined],
])("finds what %s %j starts", (command, args, found) => {
  expect(findStartedPackage({ command, args: [...args] })).toEqual(found);
});

it("pins the package and no other argument", () => {
  const settings = { command: "npx", args: ["-y", "@scope/git@next", "--for", "@scope/gitea", "git"] };
  const pinned = pinPackage(settings, { name: "@scope/git", version: undefined }, "1.4.2");
  expect(pinned.args).toEqual(["-y", "@scope/git@1.4.2", "--for", "@scope/gitea", "git"]);
});

it.each([
  ["1.10.0", "1.9.9", 1],
  ["1.4.2", "1.4.2", 0],
  ["2.0.0-rc.1", "2.0.0", -1],
])("compares %s with %s", (one, other, sign) => {
  expect(Math.sign(compareVersions(one, other))).toBe(sign);
  expect(Math.sign(compareVersions(other, one))).toBe(0 - sign);
});

it("a package that the project has is pinned by the project", async () => {
  const dir = await makeFolder({ "node_modules/@scope/own/package.json": '{ "version": "3.2.1" }' });
  const servers = {
    own: { command: "npx", args: ["@scope/own"] },
    other: { command: "npx", args: ["-y", "@scope/never-published"] },
    pinned: { command: "npx", args: ["-y", "@scope/never-published@1.0.0"] },
  };
  expect(await findUnpinned(servers, dir)).toEqual([
    { server: "other", name: "@scope/never-published", installed: undefined },
  ]);
});

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

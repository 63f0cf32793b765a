/** What a report proposes besides taking all changes of a server. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import type { ServerConfig } from "../../src/config/config.js";
import type { Change } from "../../src/core/change.js";
import { findingId } from "../../src/core/waivers.js";
import { waysOut } from "../../src/report/report-head.js";
import { removed } from "./fixtures.js";

const dir = mkdtempSync(join(tmpdir(), "mcp-codegen-ways-"));
const path = join(dir, "mcp-codegen.config.json");
const npxCache = join(dir, "_npx");
const started = join(npxCache, "a1", "node_modules", "shop-mcp");
mkdirSync(started, { recursive: true });
writeFileSync(join(started, "package.json"), JSON.stringify({ name: "shop-mcp", version: "2.0.0" }));
afterAll(() => {
  rmSync(dir, { recursive: true });
});

const gone: Change = { ...removed, server: "shop", fails: true };
const released: Change = {
  ...{ rule: "server-version-changed", class: "safe", security: false, server: "shop" },
  ...{ path: "/serverInfo/version", before: "1.4.0", after: "2.0.0", impacts: [], fails: false },
};
const site = { file: "a.ts", line: 1, column: 1, says: "calls it", effect: "stops-compiling" as const };
const propose = async (
  changes: readonly Change[],
  settings: ServerConfig = {},
  isPullable = true,
  php: readonly string[] = [],
): Promise<readonly string[]> => {
  const config = { output: "generated", servers: { shop: settings } };
  writeFileSync(path, JSON.stringify(config, undefined, 2));
  const ways = await waysOut(
    changes,
    { config, dir, path },
    { check: "npx mcp-codegen check", until: "2027-06-30", isPullable, npxCache, php },
  );
  return ways.map(({ does, command }) => `${does}: ${command}`);
};
const PASS =
  'let it pass: npx mcp-codegen check --waive tool-removed old-post --until 2027-06-30 --reason "…"';

// With other failing changes, the check fails as before.
const PASS_ONE = PASS.replace("it", "one");

it("lets the worst failing change pass, and of equally bad ones the one that hits code", async () => {
  const hit = { ...gone, tool: "hit", callSites: [site] };
  const mild: Change = { ...gone, class: "dangerous", security: true };
  expect(await propose([mild, gone, hit], {}, false)).toEqual([PASS_ONE.replace("old-post", "hit")]);
  expect(
    await propose([
      { ...gone, waiver: { reason: "x" } },
      { ...gone, fails: false },
    ]),
  ).toEqual([]);
});

it("proposes one tool where several changed, and only where a pull takes changes", async () => {
  const edited: Change = { ...gone, rule: "input-type-changed", tool: "it's" };
  const used = { ...edited, tool: "used", class: "dangerous" as const, callSites: [site] };
  const ofTool = (name: string): string => `one tool of it: npx mcp-codegen pull shop --tools ${name}`;
  expect(await propose([gone, edited])).toEqual([ofTool("'it'\\''s'"), PASS_ONE]);
  expect(await propose([gone, edited, used])).toEqual([ofTool("used"), PASS_ONE]);
  // The same as to take all.
  const [moved] = await propose([
    { ...edited, rule: "tool-renamed", before: "it's", after: "new" },
    { ...edited, tool: "new" },
  ]);
  expect(moved).toContain("let one pass: ");
  expect(await propose([gone, edited], {}, false)).toEqual([PASS_ONE]);
  // To take the removal of a tool alone repairs nothing.
  expect(await propose([gone, { ...gone, tool: "other" }])).toEqual([PASS_ONE]);
});

it("accepts the open findings of that tool, also under its other name, from where they were read", async () => {
  const place = { ...gone, path: "", tool: "old" };
  const renamed: Change = { ...place, rule: "tool-renamed", before: "old", after: "new" };
  const held: Change = { ...place, rule: "annotation-changed", tool: "new", security: true };
  const waived: Change = { ...held, rule: "icons-changed", waiver: { reason: "Known." } };
  const others = [gone, { ...held, tool: "other" }];
  const [way] = await propose([renamed, held, waived, ...others], {}, true, ["shop"]);
  expect(way).toBe(
    `one tool of it: npx mcp-codegen pull --php shop --tools old --accept ${findingId(held)} --reason "…"`,
  );
});

it.each<[settings: ServerConfig, line: number | undefined]>([
  [{ command: "npx", args: ["-y", "shop-mcp@2.0.0"] }, 8],
  // The cache of npx shows which version was started.
  [{ command: "npx", args: ["-y", "shop-mcp"] }, 8],
  // The server reports another version than its package.
  [{ command: "npx", args: ["-y", "shop-mcp@9.0.0"] }, undefined],
  [{ command: "npx", args: ["-y", "unknown-mcp"] }, undefined],
  [{ command: "node", args: ["shop.js"] }, undefined],
  [{ url: "https://shop.example.com/mcp" }, undefined],
])("with %j, says where to write the locked version: line %s", async (settings, line) => {
  const place = `servers.shop of mcp-codegen.config.json:${line}`;
  const stay = line === undefined ? [] : [`stay: write "shop-mcp@1.4.0" into ${place}`];
  expect(await propose([gone, released], settings)).toEqual([...stay, PASS]);
});

it("says nothing of staying where the version did not change", async () => {
  const settings = { command: "npx", args: ["-y", "shop-mcp@2.0.0"] };
  expect(await propose([gone, { ...released, before: "2.0.0" }], settings)).toEqual([PASS]);
  expect(await propose([gone], settings)).toEqual([PASS]);
});

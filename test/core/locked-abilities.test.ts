import { Buffer } from "node:buffer";
import { readFileSync } from "node:fs";
import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, it } from "vitest";
import type { LockedAbility } from "../../src/core/ability.js";
import type { Change } from "../../src/core/change.js";
import { digestOf, digestOfTool } from "../../src/core/digest.js";
import { parseDifference } from "../../src/sources/lock-difference.js";
import { lockServer, snapshotOfLock } from "../../src/core/lock-server.js";
import type { Lockfile } from "../../src/core/lockfile.js";
import { formatLockfile, parseLockfile } from "../../src/core/lockfile-text.js";
import type { ServerSnapshot } from "../../src/core/snapshot.js";

const GET: LockedAbility = {
  file: "wp-content/mu-plugins/shop.php",
  definition: {
    name: "shop/get-item",
    label: "Get item",
    category: "shop",
    input_schema: { type: "object", properties: { definition: { type: "object", properties: { a: {} } } } },
    meta: { definition: { mcp: { public: true } } },
  },
};
const TOOL = { name: "shop-get-item", inputSchema: { type: "object" }, outputSchema: { type: "object" } };

const SNAPSHOT: ServerSnapshot = {
  server: "wordpress",
  identity: { serverInfo: { name: "WP" }, protocolVersion: "2025-11-25", capabilities: {} },
  listing: { clientCapabilities: {}, locale: "en_US", pages: 1 },
  wordpress: { profile: "0.5", route: "execute" },
  tools: [TOOL, { name: "shop-other", inputSchema: { type: "object" } }],
  abilities: { "shop-get-item": GET },
  unusable: {},
  diagnostics: [],
};

const OPTIONS = { contract: "1.0.0", categoryOf: () => undefined };
const BLOCK = lockServer(SNAPSHOT, undefined, OPTIONS);
const LOCK: Lockfile = { lockfileVersion: 1, servers: { wordpress: BLOCK } };
const TEXT = formatLockfile(LOCK);

describe("a lock of abilities", () => {
  it("is read back unchanged", () => {
    expect(parseLockfile(TEXT)).toEqual(LOCK);
    expect(formatLockfile(parseLockfile(TEXT))).toBe(TEXT);
    expect(snapshotOfLock("wordpress", BLOCK)).toEqual(SNAPSHOT);
  });

  it("matches the published schema", () => {
    const schema = JSON.parse(readFileSync("docs/schemas/lockfile.schema.json", "utf8")) as object;
    const validate = new Ajv2020({ strict: true }).compile(schema);
    expect(validate(JSON.parse(TEXT)), JSON.stringify(validate.errors)).toBe(true);
    const projected = TEXT.replace('"route": "execute"', '"route": "execute",\n        "projected": true');
    expect(validate(JSON.parse(projected)), JSON.stringify(validate.errors)).toBe(true);
    expect(parseLockfile(projected).servers["wordpress"]?.wordpress?.projected).toBe(true);
  });

  it("has digests of the ability without its file", () => {
    expect(BLOCK.tools["shop-other"]?.digest).toBe(
      digestOf({ name: "shop-other", inputSchema: { type: "object" } }),
    );
    expect(BLOCK.tools["shop-get-item"]?.digest).not.toBe(digestOf(TOOL));
    expect(() => parseLockfile(TEXT.replace('"label": "Get item"', '"label": "Drop item"'))).toThrow(
      /does not match its digest/,
    );
    const moved = parseLockfile(TEXT.replace("mu-plugins/shop.php", "plugins/shop/shop.php"));
    expect(moved.servers["wordpress"]?.tools["shop-get-item"]?.ability?.file).toMatch(/plugins\/shop/);
  });

  it.each([
    ['"profile": "0.5"', '"profile": "0.1"', /wordpress\.profile: expected "0\.4", "0\.5" or "0\.6"/],
    ['"route": "execute"', '"route": "post"', /wordpress\.route: expected "tools"/],
    ['"route": "execute"', '"route": "execute", "projected": false', /wordpress\.projected: expected true/],
    ['"name": "shop/get-item"', '"title": "x"', /ability\.definition\.name: expected a string/],
    ['"file": "', '"path": "', /ability\.path: unknown key/],
  ])("refuses %s → %s", (from, to, message) => {
    expect(TEXT).toContain(from);
    expect(() => parseLockfile(TEXT.replace(from, to))).toThrow(message);
  });

  it("returns the differences from another lock", () => {
    const other = { ...TOOL, description: "Now told." };
    const changed = lockServer({ ...SNAPSHOT, tools: [other] }, undefined, OPTIONS);
    const after = formatLockfile({ ...LOCK, servers: { wordpress: changed } });
    const difference = parseDifference(Buffer.from(TEXT), Buffer.from(after));
    expect(difference?.after.servers["wordpress"]?.tools["shop-get-item"]?.definition).toEqual(other);
    const broken = after.replace('"label": "Get item"', '"label": "Drop item"');
    expect(parseDifference(Buffer.from(TEXT), Buffer.from(broken))).toBeUndefined();
  });
});

describe("lockServer", () => {
  const CHANGE: Change = {
    rule: "tool-description-changed",
    class: "dangerous",
    security: false,
    server: "wordpress",
    tool: "shop-get-item",
    path: "",
    impacts: ["model"],
  };
  const told: LockedAbility = {
    definition: { name: "shop/get-item", label: "Artikel holen", category: "laden" },
  };

  it("uses the category of the ability unless the configuration sets one", () => {
    expect(BLOCK.tools["shop-get-item"]?.category).toBe("shop");
    expect(BLOCK.tools["shop-other"]?.category).toBeUndefined();
    const own = lockServer(SNAPSHOT, undefined, { ...OPTIONS, categoryOf: () => "mine" });
    expect(own.tools["shop-get-item"]?.category).toBe("mine");
  });

  it("keeps the ability of a tool without findings", () => {
    for (const abilities of [{ "shop-get-item": told }, {}]) {
      const block = lockServer({ ...SNAPSHOT, abilities }, BLOCK, { ...OPTIONS, changes: [] });
      expect(block).toEqual(BLOCK);
    }
  });

  it("updates the ability of a changed tool, and adds a missing one", () => {
    const snapshot = { ...SNAPSHOT, abilities: { "shop-get-item": told, "shop-other": told } };
    const block = lockServer(snapshot, BLOCK, { ...OPTIONS, changes: [CHANGE] });
    expect(block.tools["shop-get-item"]?.ability).toEqual(told);
    const tool = block.tools["shop-other"];
    expect(tool?.ability).toEqual(told);
    expect(tool && digestOfTool(tool)).toBe(tool?.digest);
  });

  it("updates the file that registers the ability", () => {
    const moved = { ...told, file: "plugins/shop.php" };
    const snapshot = { ...SNAPSHOT, abilities: { "shop-get-item": moved } };
    const block = lockServer(snapshot, BLOCK, { ...OPTIONS, changes: [] });
    expect(block.tools["shop-get-item"]?.ability).toEqual({ ...GET, file: "plugins/shop.php" });
  });
});

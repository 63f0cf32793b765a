import { Buffer } from "node:buffer";
import { readFileSync } from "node:fs";
import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, it } from "vitest";
import type { LockedAbility } from "../../src/core/ability.js";
import type { Change } from "../../src/core/change.js";
import { bumpContract } from "../../src/core/contract-version.js";
import { digestOf, digestOfTool, sha256 } from "../../src/core/digest.js";
import { lockServer, outlineOf, snapshotOfLock } from "../../src/core/lock-server.js";
import { formatLockfile, parseLockfile } from "../../src/core/lockfile-text.js";
import type { ServerSnapshot, ToolSnapshot } from "../../src/core/snapshot.js";
import { parseDifference } from "../../src/sources/lock-difference.js";
import { CHANGE, lockOf, OPTIONS, snapshotOf } from "./locks.js";

const versionOf = (version: string, ...tools: readonly ToolSnapshot[]): ServerSnapshot =>
  snapshotOf({ identity: { ...snapshotOf().identity, serverInfo: { name: "shop", version } }, tools });

describe("lockServer", () => {
  it("keeps the locked text of a difference without a finding", () => {
    const before = lockServer(versionOf("1", { name: "a", x: 1, y: 2 }, { name: "b" }), undefined, OPTIONS);
    const tools = [{ name: "a", y: 2, x: 1 }, { name: "b", description: "New" }, { name: "c" }];
    const changes = [
      { ...CHANGE, tool: "b" },
      { ...CHANGE, tool: "c", rule: "tool-added" },
    ];
    const locked = lockServer(versionOf("2", ...tools), before, { ...OPTIONS, contract: "1.1.0", changes });
    expect(JSON.stringify(locked.tools["a"]?.definition)).toBe('{"name":"a","x":1,"y":2}');
    expect(locked.tools["b"]?.definition).toEqual({ name: "b", description: "New" });
    expect(Object.keys(locked.tools)).toEqual(["a", "b", "c"]);
    expect([locked.identity.serverInfo["version"], locked.contract]).toEqual(["1", "1.1.0"]);
  });

  it("updates the identity if a change is about the server itself", () => {
    const before = lockServer(versionOf("1"), undefined, OPTIONS);
    const changes = [{ ...CHANGE, rule: "server-version-changed" }];
    const locked = lockServer(versionOf("2"), before, { ...OPTIONS, changes });
    expect(locked.identity.serverInfo["version"]).toBe("2");
  });

  it("keeps the number of pages, and updates the other conditions of the list", () => {
    const before = lockServer(snapshotOf(), undefined, OPTIONS);
    const listingOf = (clientCapabilities: object): unknown => {
      const listing = { clientCapabilities: { ...clientCapabilities }, pages: 3 };
      return lockServer(snapshotOf({ listing }), before, { ...OPTIONS, changes: [] }).listing;
    };
    expect(listingOf({})).toEqual({ clientCapabilities: {}, pages: 1 });
    expect(listingOf({ roots: {} })).toEqual({ clientCapabilities: { roots: {} }, pages: 3 });
  });

  it("records the category and the reason why a tool gets no code", () => {
    const snapshot = snapshotOf({ tools: [{ name: "a" }], unusable: { a: "no input schema" } });
    const locked = lockServer(snapshot, undefined, { ...OPTIONS, categoryOf: (tool) => `of ${tool}` });
    expect(locked.tools["a"]).toMatchObject({ category: "of a", unusable: "no input schema" });
  });
});

describe("bumpContract", () => {
  it.each<[string, string, Partial<Change>[]]>([
    ["nothing", "1.2.3", []],
    ["no impact", "1.2.3", [{ class: "safe", impacts: [] }]],
    ["other behaviour", "1.2.4", [{ class: "dangerous", impacts: ["behaviour", "wire"] }]],
    ["a safe change that no caller sees", "1.2.4", [{ class: "safe", impacts: ["model"] }]],
    ["an addition", "1.3.0", [{ class: "safe", impacts: ["types"] }, { class: "dangerous" }]],
    ["a break", "2.0.0", [{ class: "safe", impacts: ["types"] }, { class: "breaking" }]],
    ["not provable", "2.0.0", [{ class: "unknown" }]],
  ])("%s: 1.2.3 becomes %s", (_what, version, changes) => {
    const whole = changes.map((change) => ({ ...CHANGE, ...change }));
    expect(bumpContract("1.2.3", whole)).toBe(version);
  });
});

const GET: LockedAbility = {
  file: "wp-content/mu-plugins/shop.php",
  definition: {
    ...{ name: "shop/get-item", label: "Get item", category: "shop" },
    input_schema: { type: "object", properties: { definition: { type: "object", properties: { a: {} } } } },
    meta: { definition: { mcp: { public: true } } },
  },
};
const OBJECT = { type: "object" };
const TOOL = { name: "shop-get-item", inputSchema: OBJECT, outputSchema: OBJECT };
const OTHER = { name: "shop-other", inputSchema: OBJECT };
const ABILITIES = snapshotOf({
  listing: { clientCapabilities: {}, locale: "en_US", pages: 1 },
  wordpress: { profile: "0.5", route: "execute" },
  tools: [TOOL, OTHER],
  abilities: { "shop-get-item": GET },
});
const SHOP = lockServer(ABILITIES, undefined, OPTIONS);
const TEXT = formatLockfile(lockOf(SHOP));

const named = (name: string, title: string): ToolSnapshot => ({ name, definition: { title } });
const REPEATED = snapshotOf({
  tools: [named("a", "first"), named("b", "only")],
  repeated: [named("a", "second"), named("a", "third")],
});
const TWICE = lockServer(REPEATED, undefined, OPTIONS);

describe.each([
  ["abilities", ABILITIES, SHOP],
  ["abilities that PHP projected", { ...ABILITIES, wordpress: { profile: "0.5", route: "execute", projected: true } }, undefined],
  ["repeated definitions of a name", REPEATED, TWICE],
] as const)("a lock of %s", (_what, snapshot, block = lockServer(snapshot, undefined, OPTIONS)) => {
  const text = formatLockfile(lockOf(block));

  it("is read back unchanged", () => {
    expect(parseLockfile(text)).toEqual(lockOf(block));
    expect(formatLockfile(parseLockfile(text))).toBe(text);
    expect(snapshotOfLock("shop", block)).toEqual(snapshot);
  });

  it("matches the published schema", () => {
    const schema = JSON.parse(readFileSync("docs/schemas/lockfile.schema.json", "utf8")) as object;
    const validate = new Ajv2020({ strict: true }).compile(schema);
    expect(validate(JSON.parse(text)), JSON.stringify(validate.errors)).toBe(true);
  });
}); // prettier-ignore

describe("a lock of abilities", () => {
  it("has digests of the ability without its file", () => {
    expect(SHOP.tools["shop-other"]?.digest).toBe(digestOf(OTHER));
    expect(SHOP.tools["shop-get-item"]?.digest).not.toBe(digestOf(TOOL));
    const damaged = TEXT.replace('"label": "Get item"', '"label": "Drop item"');
    expect(() => parseLockfile(damaged)).toThrow(/does not match its digest/);
    const moved = parseLockfile(TEXT.replace("mu-plugins/shop.php", "plugins/shop/shop.php"));
    expect(moved.servers["shop"]?.tools["shop-get-item"]?.ability?.file).toMatch(/plugins\/shop/);
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
    const other = { ...TOOL, description: "Now said." };
    const after = formatLockfile(lockOf(lockServer({ ...ABILITIES, tools: [other] }, undefined, OPTIONS)));
    const difference = (text: string) => parseDifference(Buffer.from(TEXT), Buffer.from(text));
    expect(difference(after)?.after.servers["shop"]?.tools["shop-get-item"]?.definition).toEqual(other);
    expect(difference(after.replace('"label": "Get item"', '"label": "Drop item"'))).toBeUndefined();
  });

  const german: LockedAbility = {
    definition: { name: "shop/get-item", label: "Artikel holen", category: "laden" },
  };
  const relock = (abilities: NonNullable<ServerSnapshot["abilities"]>, ...changes: readonly Change[]) =>
    lockServer({ ...ABILITIES, abilities }, SHOP, { ...OPTIONS, changes });

  it("has the category of the ability unless the configuration sets one", () => {
    expect([SHOP.tools["shop-get-item"]?.category, SHOP.tools["shop-other"]?.category]).toEqual([
      "shop",
      undefined,
    ]);
    const mine = lockServer(ABILITIES, undefined, { ...OPTIONS, categoryOf: () => "mine" });
    expect(mine.tools["shop-get-item"]?.category).toBe("mine");
  });

  it("keeps the ability of a tool without findings, except for the file that registers it", () => {
    expect(relock({ "shop-get-item": german })).toEqual(SHOP);
    expect(relock({})).toEqual(SHOP);
    const moved = relock({ "shop-get-item": { ...german, file: "plugins/shop.php" } });
    expect(moved.tools["shop-get-item"]?.ability).toEqual({ ...GET, file: "plugins/shop.php" });
  });

  it("has the new ability of a changed tool, and a missing one", () => {
    const block = relock(
      { "shop-get-item": german, "shop-other": german },
      { ...CHANGE, tool: "shop-get-item" },
    );
    expect(block.tools["shop-get-item"]?.ability).toEqual(german);
    const tool = block.tools["shop-other"];
    expect([tool?.ability, tool && digestOfTool(tool)]).toEqual([german, tool?.digest]);
  });
});

describe("a lock of repeated definitions", () => {
  it("has them in the digest, in their order", () => {
    expect(TWICE.tools["b"]).toEqual({
      digest: digestOf(named("b", "only")),
      definition: named("b", "only"),
    });
    const damaged = formatLockfile(lockOf(TWICE)).replace("third", "forth");
    expect(() => parseLockfile(damaged)).toThrow(/does not match its digest/);
  });

  it.each([
    [[], /tools\.a\.repeated: expected a list that is not empty/],
    [{}, /tools\.a\.repeated: expected a list/],
    [[named("b", "other")], /repeated.*0.*name: expected "a"/],
  ])("refuses %j", (repeated, message) => {
    const tools = { ...TWICE.tools, a: { ...TWICE.tools["a"], repeated } };
    const lock = { lockfileVersion: 1, servers: { shop: { ...TWICE, tools } } };
    expect(() => parseLockfile(JSON.stringify(lock))).toThrow(message);
  });

  it("shows a difference between two locks", () => {
    const other = lockServer({ ...REPEATED, repeated: [named("a", "second")] }, undefined, OPTIONS);
    const [before, after] = [TWICE, other].map((block) => Buffer.from(formatLockfile(lockOf(block))));
    const difference = parseDifference(before ?? Buffer.alloc(0), after ?? Buffer.alloc(0));
    expect(Object.keys(difference?.after.servers["shop"]?.tools ?? {})).toEqual(["a"]);
    expect(difference?.unchanged).toEqual(new Map([["shop", ["b"]]]));
  });

  it("keeps them unchanged without a finding, and drops removed ones", () => {
    const relock = (repeated: readonly ToolSnapshot[]) =>
      lockServer({ ...REPEATED, repeated }, TWICE, { ...OPTIONS, changes: [] });
    const turned: ToolSnapshot = { definition: { title: "second" }, name: "a" };
    expect(JSON.stringify(relock([turned, named("a", "third")]))).toBe(JSON.stringify(TWICE));
    expect(relock([]).tools["a"]).not.toHaveProperty("repeated");
  });
});

describe("the outline of a lock", () => {
  const outline = (definition: ToolSnapshot) => {
    const lock = lockOf(lockServer(snapshotOf({ tools: [definition] }), undefined, OPTIONS));
    return Object.values(outlineOf(lock).servers["shop"]?.tools ?? {})[0]?.definition;
  };
  const outputSchema = { type: "object", required: ["a"] };
  const annotations = { readOnlyHint: true };

  it.each<[string, ToolSnapshot, boolean, boolean]>([
    ["a result, and only reads", { name: "get", outputSchema, annotations }, true, true],
    ["a result, and only reads, in another order", { annotations, outputSchema, name: "get" }, true, true],
    [
      "no result, and may write",
      { name: "add", inputSchema: { properties: { outputSchema } }, annotations: [] },
      false,
      false,
    ],
  ])("has the digest of a tool that states %s", (_, definition, hasOutput, isReadOnly) => {
    const digest = sha256(JSON.stringify(definition));
    expect(outline(definition)).toEqual({ digest, hasOutput, isReadOnly, isForApps: false });
  });
});

import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../src/contract/json.js";
import { lockServer } from "../../src/contract/lock-server.js";
import type { ServerIdentity, ServerSnapshot } from "../../src/contract/snapshot.js";
import { diffLiveServer, diffServer } from "../../src/drift/diff-server.js";

const IDENTITY: ServerIdentity = {
  serverInfo: { name: "shop", version: "1" },
  protocolVersion: "2025-11-25",
  capabilities: { tools: { listChanged: true }, logging: {} },
  instructions: "Be kind.",
};

function snapshotOf(identity: Partial<ServerIdentity>, ...names: readonly string[]): ServerSnapshot {
  return {
    server: "shop",
    identity: { ...IDENTITY, ...identity },
    listing: { clientCapabilities: {}, pages: 1 },
    tools: names.map((name) => ({ name })),
    unusable: {},
    diagnostics: [],
  };
}

const LOCKED = lockServer(snapshotOf({}, "a"), undefined, { contract: "1.0.0", categoryOf: () => undefined });

const found = (after: ServerSnapshot): readonly string[] =>
  diffServer("shop", LOCKED, after).map(
    ({ rule, class: kind, path, tool }) => `${rule} ${kind} ${tool ?? "-"} ${path}`,
  );

it("reports an unchanged version when tools changed, but not for additions or without a version", () => {
  const rules = (after: ServerSnapshot): readonly string[] =>
    diffLiveServer("shop", LOCKED, after).map(({ rule }) => rule);
  const described: ServerSnapshot = { ...snapshotOf({}), tools: [{ name: "a", description: "Other." }] };
  const [kept] = diffLiveServer("shop", LOCKED, described);
  expect(kept).toMatchObject({ rule: "server-version-kept", class: "dangerous", before: "1", after: "1" });
  expect(rules(snapshotOf({}))).toEqual(["server-version-kept", "tool-removed"]);
  expect(rules(snapshotOf({}, "a", "b"))).toEqual(["tool-added"]);
  expect(rules(snapshotOf({ instructions: "Be rude." }, "a"))).toEqual(["server-instructions-changed"]);
  const bumped = { ...described, identity: { ...IDENTITY, serverInfo: { name: "shop", version: "2" } } };
  expect(rules(bumped)).toEqual(["server-version-changed", "tool-description-changed"]);
  const unsaid = { ...described, identity: { ...IDENTITY, serverInfo: { name: "shop" } } };
  expect(rules(unsaid)).not.toContain("server-version-kept");
});

it("reports every tool of a new server as added", () => {
  expect(diffServer("shop", undefined, snapshotOf({}, "a", "b")).map(({ tool }) => tool)).toEqual(["a", "b"]);
});

it.each<[Partial<ServerIdentity>, string[]]>([
  [{}, []],
  [{ serverInfo: { version: "1", name: "shop" } }, []],
  [{ instructions: " Be kind.\n" }, []],
  [{ capabilities: { tools: { listChanged: true, subscribe: false }, logging: {} } }, []],
  [{ serverInfo: { name: "store", version: "1" } }, ["server-name-changed breaking - /serverInfo/name"]],
  [{ serverInfo: { name: "shop", version: "2" } }, ["server-version-changed safe - /serverInfo/version"]],
  [
    { serverInfo: { name: "shop", version: "1", title: "A" } },
    ["server-info-changed safe - /serverInfo/title"],
  ],
  [{ protocolVersion: "2024-11-05" }, ["server-protocol-changed safe - /protocolVersion"]],
  [
    // Between eras, capabilities of one era are not compared.
    { protocolVersion: "2026-07-28", capabilities: { tools: { listChanged: true }, extensions: {} } },
    ["server-protocol-changed safe - /protocolVersion"],
  ],
  [{ instructions: "Be quick." }, ["server-instructions-changed dangerous - /instructions"]],
  [
    { capabilities: { tools: { listChanged: true } } },
    ["server-capability-removed breaking - /capabilities/logging"],
  ],
  [
    { capabilities: { tools: {}, logging: {} } },
    ["server-capability-removed breaking - /capabilities/tools/listChanged"],
  ],
  [
    { capabilities: { ...IDENTITY.capabilities, tasks: {} } },
    ["server-capability-added safe - /capabilities/tasks"],
  ],
  [{ capabilities: { ...IDENTITY.capabilities, extensions: {} } }, []],
  [
    { capabilities: { ...IDENTITY.capabilities, extensions: { "io.modelcontextprotocol/ui": {} } } },
    ["server-extension-added safe - /capabilities/extensions/io.modelcontextprotocol~1ui"],
  ],
  [
    { capabilities: { ...IDENTITY.capabilities, extensions: [] } },
    ["server-capability-added safe - /capabilities/extensions"],
  ],
])("reports a changed identity: %j", (identity, expected) => {
  expect(found(snapshotOf(identity, "a"))).toEqual(expected);
});

it.each<[string, JsonObject, JsonObject, readonly string[]]>([
  ["the same settings", { a: { b: 1, c: 2 } }, { a: { c: 2, b: 1 } }, []],
  ["a removed extension", { a: {}, b: {} }, { a: {} }, ["server-extension-removed breaking"]],
  ["other settings", { a: { b: 1 } }, { a: { b: { c: 1 } } }, ["server-extension-changed unknown"]],
  [
    "an extension for another",
    { a: {} },
    { b: {} },
    ["server-extension-removed breaking", "server-extension-added safe"],
  ],
])("reports one change for each extension: %s", (_, before, after, expected) => {
  const [old, now] = [before, after].map((extensions) => snapshotOf({ capabilities: { extensions } }, "a"));
  if (old === undefined || now === undefined) throw new Error("missing");
  expect(diffServer("shop", old, now).map(({ rule, class: kind }) => `${rule} ${kind}`)).toEqual(expected);
});

it("reports the server before its tools", () => {
  expect(found(snapshotOf({ instructions: "" }, "b"))).toEqual([
    "server-instructions-changed dangerous - /instructions",
    "tool-removed breaking a ",
    "tool-added safe b ",
  ]);
});

describe("keywords that WordPress 7.1 does not publish", () => {
  const LISTED = { a: { type: "string" } };
  const REGISTERED = { a: { type: "string", const: "x" } };
  const OTHER = { a: { type: "string", const: "y" } };
  const listOf = (
    properties: JsonObject,
    wordpress: Partial<NonNullable<ServerSnapshot["wordpress"]>>,
  ): ServerSnapshot => ({
    ...snapshotOf({}),
    tools: [{ name: "a", inputSchema: { type: "object", properties } }],
    wordpress: { profile: "0.6", route: "execute", ...wordpress },
  });
  const PHP = { projected: true } as const;
  it.each([
    ["PHP and a site", listOf(REGISTERED, PHP), listOf(LISTED, {}), 0],
    ["a site and PHP", listOf(LISTED, {}), listOf(REGISTERED, PHP), 0],
    ["a lock that began with PHP and a site", listOf(REGISTERED, {}), listOf(LISTED, {}), 0],
    ["a site before 7.1 and PHP, with another value", listOf(REGISTERED, {}), listOf(OTHER, PHP), 1],
    ["PHP and PHP", listOf(LISTED, PHP), listOf(REGISTERED, PHP), 1],
    ["tools of the adapter and PHP", listOf(LISTED, { route: "tools" }), listOf(REGISTERED, PHP), 1],
  ])("between %s", (_, before, after, changes) => {
    expect(diffServer("shop", before, after)).toHaveLength(changes);
  });
});

import { describe, expect, it } from "vitest";
import type { Change } from "../../src/core/change.js";
import { bumpContract } from "../../src/core/contract-version.js";
import { lockServer } from "../../src/core/lock-server.js";
import type { ServerSnapshot, ToolSnapshot } from "../../src/core/snapshot.js";

function snapshotOf(version: string, ...tools: readonly ToolSnapshot[]): ServerSnapshot {
  return {
    server: "shop",
    identity: { serverInfo: { name: "shop", version }, protocolVersion: "2025-11-25", capabilities: {} },
    listing: { clientCapabilities: {}, pages: 1 },
    tools,
    unusable: {},
    diagnostics: [],
  };
}

const CHANGE: Change = {
  rule: "tool-description-changed",
  class: "dangerous",
  security: false,
  server: "shop",
  path: "",
  impacts: ["model"],
};

const options = { contract: "1.0.0", categoryOf: () => undefined };

describe("lockServer", () => {
  it("keeps the locked text of a difference without a finding", () => {
    const before = lockServer(snapshotOf("1", { name: "a", x: 1, y: 2 }, { name: "b" }), undefined, options);
    const after = snapshotOf(
      "2",
      { name: "a", y: 2, x: 1 },
      { name: "b", description: "New" },
      { name: "c" },
    );
    const locked = lockServer(after, before, {
      ...options,
      contract: "1.1.0",
      changes: [
        { ...CHANGE, tool: "b" },
        { ...CHANGE, tool: "c", rule: "tool-added" },
      ],
    });
    expect(JSON.stringify(locked.tools["a"]?.definition)).toBe('{"name":"a","x":1,"y":2}');
    expect(locked.tools["b"]?.definition).toEqual({ name: "b", description: "New" });
    expect(Object.keys(locked.tools)).toEqual(["a", "b", "c"]);
    expect(locked.identity.serverInfo["version"]).toBe("1");
    expect(locked.contract).toBe("1.1.0");
  });

  it("updates the identity if a change is about the server itself", () => {
    const before = lockServer(snapshotOf("1"), undefined, options);
    const locked = lockServer(snapshotOf("2"), before, {
      ...options,
      changes: [{ ...CHANGE, rule: "server-version-changed" }],
    });
    expect(locked.identity.serverInfo["version"]).toBe("2");
  });

  it("keeps the number of pages, and updates the other conditions of the list", () => {
    const before = lockServer(snapshotOf("1"), undefined, options);
    const paged = { ...snapshotOf("1"), listing: { clientCapabilities: {}, pages: 3 } };
    expect(lockServer(paged, before, { ...options, changes: [] }).listing.pages).toBe(1);
    const other = { ...snapshotOf("1"), listing: { clientCapabilities: { roots: {} }, pages: 3 } };
    expect(lockServer(other, before, { ...options, changes: [] }).listing).toEqual(other.listing);
  });

  it("records the category and the reason why a tool gets no code", () => {
    const snapshot: ServerSnapshot = {
      ...snapshotOf("1", { name: "a" }),
      unusable: { a: "no input schema" },
    };
    const locked = lockServer(snapshot, undefined, { ...options, categoryOf: (tool) => `of ${tool}` });
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
  ])("%s: 1.2.3 becomes %s", (_what, expected, changes) => {
    expect(
      bumpContract(
        "1.2.3",
        changes.map((change) => ({ ...CHANGE, ...change })),
      ),
    ).toBe(expected);
  });
});

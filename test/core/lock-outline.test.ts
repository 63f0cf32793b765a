import { expect, it } from "vitest";
import { digestOf, sha256 } from "../../src/core/digest.js";
import { outlineOf } from "../../src/core/lock-server.js";
import { formatLockfile } from "../../src/core/lockfile-text.js";
import type { Lockfile } from "../../src/core/lockfile.js";
import type { ToolSnapshot } from "../../src/core/snapshot.js";

function lockOf(definition: ToolSnapshot): Lockfile {
  const shop = {
    contract: "1.0.0",
    identity: { serverInfo: { name: "shop", version: "1" }, protocolVersion: "2025-11-25", capabilities: {} },
    listing: { clientCapabilities: {}, pages: 1 },
    tools: { [definition.name]: { digest: digestOf(definition), definition } },
  };
  return { lockfileVersion: 1, servers: { shop } };
}

it("has the digest of a definition's text in the lockfile, in which the order of keys counts", () => {
  const definition = {
    name: "get-cart",
    outputSchema: { type: "object", required: ["a"] },
    annotations: { readOnlyHint: true },
  };
  const text = /"definition": (\{\n[^]*?\n {10}\})/.exec(formatLockfile(lockOf(definition)))?.[1] ?? "";
  expect(outlineOf(lockOf(definition)).servers["shop"]?.tools["get-cart"]?.definition).toEqual({
    text: sha256(text),
    hasOutput: true,
    isReadOnly: true,
    isForApps: false,
  });
  const turned = Object.fromEntries(Object.entries(definition).reverse()) as typeof definition;
  const outline = outlineOf(lockOf(turned)).servers["shop"]?.tools["get-cart"]?.definition;
  expect(outline?.text).not.toBe(sha256(text));
});

it("knows a tool without an output schema, and one that may write", () => {
  const definition = { name: "add", inputSchema: { properties: { outputSchema: {} } }, annotations: [] };
  expect(outlineOf(lockOf(definition)).servers["shop"]?.tools["add"]?.definition).toMatchObject({
    hasOutput: false,
    isReadOnly: false,
    isForApps: false,
  });
});

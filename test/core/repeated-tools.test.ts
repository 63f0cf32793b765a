import { Buffer } from "node:buffer";
import { readFileSync } from "node:fs";
import { Ajv2020 } from "ajv/dist/2020.js";
import { expect, it } from "vitest";
import { digestOf } from "../../src/core/digest.js";
import { parseDifference } from "../../src/sources/lock-difference.js";
import { lockServer, snapshotOfLock } from "../../src/core/lock-server.js";
import type { Lockfile } from "../../src/core/lockfile.js";
import { formatLockfile, parseLockfile } from "../../src/core/lockfile-text.js";
import type { ServerSnapshot, ToolSnapshot } from "../../src/core/snapshot.js";

const named = (name: string, title: string): ToolSnapshot => ({ name, definition: { title } });

const SNAPSHOT: ServerSnapshot = {
  server: "shop",
  identity: { serverInfo: { name: "shop" }, protocolVersion: "2025-11-25", capabilities: {} },
  listing: { clientCapabilities: {}, pages: 1 },
  tools: [named("a", "first"), named("b", "only")],
  repeated: [named("a", "second"), named("a", "third")],
  unusable: {},
  diagnostics: [],
};
const OPTIONS = { contract: "1.0.0", categoryOf: () => undefined };
const BLOCK = lockServer(SNAPSHOT, undefined, OPTIONS);
const LOCK: Lockfile = { lockfileVersion: 1, servers: { shop: BLOCK } };
const TEXT = formatLockfile(LOCK);

it("locks repeated definitions of a name, and reads them back", () => {
  expect(BLOCK.tools["b"]).not.toHaveProperty("repeated");
  expect(parseLockfile(TEXT)).toEqual(LOCK);
  expect(formatLockfile(parseLockfile(TEXT))).toBe(TEXT);
  expect(snapshotOfLock("shop", BLOCK)).toEqual(SNAPSHOT);
  const schema = JSON.parse(readFileSync("docs/schemas/lockfile.schema.json", "utf8")) as object;
  const validate = new Ajv2020({ strict: true }).compile(schema);
  expect(validate(JSON.parse(TEXT)), JSON.stringify(validate.errors)).toBe(true);
});

it("includes them in the digest, in their order", () => {
  expect(BLOCK.tools["b"]?.digest).toBe(digestOf(named("b", "only")));
  expect(() => parseLockfile(TEXT.replace("third", "forth"))).toThrow(/does not match its digest/);
});

it.each([
  [[], /tools\.a\.repeated: expected a list that is not empty/],
  [{}, /tools\.a\.repeated: expected a list/],
  [[named("b", "other")], /repeated.*0.*name: expected "a"/],
])("refuses %j", (repeated, message) => {
  const tools = { ...BLOCK.tools, a: { ...BLOCK.tools["a"], repeated } };
  const lock = { ...LOCK, servers: { shop: { ...BLOCK, tools } } };
  expect(() => parseLockfile(JSON.stringify(lock))).toThrow(message);
});

it("shows a difference between two locks", () => {
  const other = lockServer({ ...SNAPSHOT, repeated: [named("a", "second")] }, undefined, OPTIONS);
  const after = formatLockfile({ ...LOCK, servers: { shop: other } });
  const difference = parseDifference(Buffer.from(TEXT), Buffer.from(after));
  expect(Object.keys(difference?.after.servers["shop"]?.tools ?? {})).toEqual(["a"]);
  expect(difference?.unchanged).toEqual(new Map([["shop", ["b"]]]));
});

it("keeps them unchanged without a finding, and drops removed ones", () => {
  const turned: ToolSnapshot = { definition: { title: "second" }, name: "a" };
  const noisy = { ...SNAPSHOT, repeated: [turned, named("a", "third")] };
  const relocked = lockServer(noisy, BLOCK, { ...OPTIONS, changes: [] });
  expect(JSON.stringify(relocked)).toBe(JSON.stringify(BLOCK));
  const once = lockServer({ ...SNAPSHOT, repeated: [] }, BLOCK, { ...OPTIONS, changes: [] });
  expect(once.tools["a"]).not.toHaveProperty("repeated");
});

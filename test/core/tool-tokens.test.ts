import { expect, test } from "vitest";
import { lockServer } from "../../src/core/lock-server.js";
import { formatLockfile, parseLockfile } from "../../src/core/lockfile-text.js";
import type { LockedServer } from "../../src/core/lockfile.js";
import type { ToolSnapshot } from "../../src/core/snapshot.js";
import { estimateTokens, sumTokens, tokenText } from "../../src/core/model-schema.js";
import { countTokens } from "../../src/pipeline/count-tokens.js";
import { lockOf, OPTIONS, snapshotOf } from "./locks.js";

const TOOL: ToolSnapshot = {
  annotations: { readOnlyHint: true },
  inputSchema: { type: "object", properties: { id: { type: "integer" } } },
  description: "Returns a post.",
  name: "get-post",
  outputSchema: { type: "object" },
};

const lockOfTools = (before: LockedServer | undefined, ...tools: readonly ToolSnapshot[]): LockedServer =>
  lockServer(snapshotOf({ tools }), before, OPTIONS);

const lock = lockOf(lockOfTools(undefined, TOOL));

test("a model reads the name, the description and the input schema", () => {
  expect(tokenText(TOOL)).toBe(
    '{"name":"get-post","description":"Returns a post.","inputSchema":{"type":"object","properties":{"id":{"type":"integer"}}}}',
  );
  expect(tokenText({ name: "a" })).toBe('{"name":"a","inputSchema":{"type":"object","properties":{}}}');
  expect(estimateTokens({ name: "ü".repeat(40) })).toBe(35);
});

test("tools are counted by the tokenizer that the lock names, and only once", async () => {
  const counted = await countTokens(lock);
  const tools = { "get-post": { tokens: 28 } };
  expect(counted.servers["shop"]).toMatchObject({ tokenizer: "o200k_base", tools });
  expect(await countTokens(counted)).toBe(counted);
  expect(parseLockfile(formatLockfile(counted))).toEqual(counted);
  expect(formatLockfile(parseLockfile(formatLockfile(counted)))).toBe(formatLockfile(counted));
  expect(sumTokens(counted.servers["shop"] ?? { tools: {} })).toEqual({ tokens: 28, isEstimate: false });
  // A lock without tokens is valid, and has the same digest.
  expect(parseLockfile(formatLockfile(lock))).toEqual(lock);
  expect(counted.servers["shop"]?.tools["get-post"]?.digest).toBe(
    lock.servers["shop"]?.tools["get-post"]?.digest,
  );
});

test("a tool that changes is counted again, the others keep their tokens", async () => {
  const other = { name: "ping", inputSchema: { type: "object" } };
  const { shop } = (await countTokens(lockOf(lockOfTools(undefined, TOOL, other)))).servers;
  const changed = lockOfTools(
    shop,
    { ...TOOL, description: "Returns one post, with all that it says." },
    other,
  );
  expect(changed.tools["get-post"]?.tokens).toBeUndefined();
  expect(changed.tools["ping"]?.tokens).toBe(shop?.tools["ping"]?.tokens);
  expect((await countTokens(lockOf(changed))).servers["shop"]?.tools["get-post"]?.tokens).toBeGreaterThan(28);
});

test("tokens that are not a number are refused", () => {
  const text = formatLockfile(lock).replace('"digest"', '"tokens": -1,\n          "digest"');
  expect(() => parseLockfile(text)).toThrow(/tokens: expected a whole number/u);
});

test("no text takes long, and special tokens are ordinary text", async () => {
  const count = async (description: string): Promise<number> => {
    const counted = await countTokens(lockOf(lockOfTools(undefined, { name: "a", description })));
    return counted.servers["shop"]?.tools["a"]?.tokens ?? 0;
  };
  expect(await count("<|endoftext|>")).toBeGreaterThan(10);
  // A word of a million letters takes minutes if it is tokenized as a whole.
  const long = await count("a".repeat(1_000_000));
  expect(long).toBeGreaterThan(100_000);
  expect(long).toBeLessThan(150_000);
  const words = "A tool that lists the posts of a blog. ".repeat(200);
  const once = await count(words.slice(0, 1_900));
  expect((await count(words)) / once).toBeCloseTo(words.length / 1_900, 0);
});

import { expect, it } from "vitest";
import type { ServerSnapshot, ToolSnapshot } from "../../src/core/snapshot.js";
import { listTools, lockList } from "../testing/lock-tools.js";
import { openLiveContract } from "../../src/serve/drift-guard.js";

const tool = (name: string, title: string): ToolSnapshot => ({
  name,
  title,
  inputSchema: { type: "object" },
});

/** A server that lists these further definitions beside its two tools. */
const snapshotOf = (...repeated: readonly ToolSnapshot[]): ServerSnapshot =>
  listTools([tool("a", "first"), tool("b", "only")], repeated);

const breaksOf = (locked: ServerSnapshot, now: ServerSnapshot, name: string): Promise<readonly string[]> =>
  openLiveContract({ name: "shop", settings: {}, locked: lockList(locked), snapshot: now }).findBreaks(name);

it("breaks a tool whose name is listed again, and no other, until that is locked", async () => {
  const [once, twice] = [snapshotOf(), snapshotOf(tool("a", "second"))];
  expect(await breaksOf(once, twice, "a")).toEqual(["tool-name-duplicate"]);
  expect(await breaksOf(once, twice, "b")).toEqual([]);
  expect(await breaksOf(twice, twice, "a")).toEqual([]);
  expect(await breaksOf(twice, once, "a")).toEqual([]);
  expect(await breaksOf(twice, snapshotOf(tool("a", "third")), "a")).toEqual(["tool-name-duplicate"]);
});

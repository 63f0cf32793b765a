import { Buffer } from "node:buffer";
import { describe, expect, it } from "vitest";
import { parseDifference } from "../../src/contract/lock-difference.js";
import { lockServer } from "../../src/contract/lock-server.js";
import { formatLockfile } from "../../src/contract/lockfile-text.js";
import type { ToolSnapshot } from "../../src/contract/snapshot.js";

function lockOf(...tools: readonly ToolSnapshot[]): Buffer {
  const snapshot = {
    server: "site",
    identity: { serverInfo: { name: "site" }, protocolVersion: "2025-11-25", capabilities: {} },
    listing: { clientCapabilities: {}, pages: 1 },
    tools,
    unusable: {},
    diagnostics: [],
  };
  const site = lockServer(snapshot, undefined, { contract: "1.0.0", categoryOf: () => undefined });
  return Buffer.from(formatLockfile({ lockfileVersion: 1, servers: { site } }));
}

const tool = (name: string, description: string): ToolSnapshot => ({
  name,
  description,
  inputSchema: { type: "object" },
});

function definitions(lock: NonNullable<ReturnType<typeof parseDifference>>["before"]): unknown {
  return Object.values(lock.servers["site"]?.tools ?? {}).map(({ definition }) => definition);
}

describe("the difference of two locks", () => {
  it("has whole what differs, and the names of what does not", () => {
    const found = parseDifference(
      lockOf(tool("gone", "Goes"), tool("kept", "Stays"), tool("told", "Before")),
      lockOf(tool("kept", "Stays"), tool("new", "Comes"), tool("told", "After")),
    );
    expect(found && definitions(found.before)).toEqual([
      tool("gone", "Goes"),
      { name: "kept" },
      tool("told", "Before"),
    ]);
    expect(found && definitions(found.after)).toEqual([
      { name: "kept" },
      tool("new", "Comes"),
      tool("told", "After"),
    ]);
  });

  it("is not guessed where a lock is reformatted, broken, or lies about what differs", () => {
    const lock = lockOf(tool("told", "Before"));
    const edited = Buffer.from(lock.toString().replace("Before", "Edited"));
    const compact = Buffer.from(JSON.stringify(JSON.parse(lock.toString())));
    for (const other of [edited, compact, Buffer.from("{"), Buffer.from("")]) {
      expect(parseDifference(lock, other)).toBeUndefined();
      expect(parseDifference(other, lock)).toBeUndefined();
    }
  });
});

import { Buffer } from "node:buffer";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseDifference, type LockDifference } from "../../src/contract/lock-difference.js";
import { lockServer } from "../../src/contract/lock-server.js";
import type { LockedServer, LockedTool, Lockfile } from "../../src/contract/lockfile.js";
import { formatLockfile, parseLockfile } from "../../src/contract/lockfile-text.js";
import type { ToolSnapshot } from "../../src/contract/snapshot.js";

function lockOf(...tools: readonly ToolSnapshot[]): Buffer {
  return locksOf(new Map([["site", tools]]));
}

function locksOf(servers: ReadonlyMap<string, readonly ToolSnapshot[]>): Buffer {
  const locked = Array.from(servers, ([server, tools]) => [server, lockedOf(server, tools)] as const);
  return Buffer.from(formatLockfile({ lockfileVersion: 1, servers: Object.fromEntries(locked) }));
}

function lockedOf(server: string, tools: readonly ToolSnapshot[]): LockedServer {
  const snapshot = {
    server,
    identity: { serverInfo: { name: "site" }, protocolVersion: "2025-11-25", capabilities: {} },
    listing: { clientCapabilities: {}, pages: 1 },
    tools,
    unusable: {},
    diagnostics: [],
  };
  return lockServer(snapshot, undefined, { contract: "1.0.0", categoryOf: () => undefined });
}

function parseBoth(before: Buffer, after: Buffer): LockDifference {
  return { before: parseLockfile(before.toString()), after: parseLockfile(after.toString()) };
}

type Visit = (tool: LockedTool, server: string, name: string) => LockedTool;

function mapTools(lock: Lockfile, visit: Visit): Lockfile {
  const servers = Object.entries(lock.servers).map(([server, locked]) => {
    const tools = Object.entries(locked.tools).map(
      ([name, one]) => [name, visit(one, server, name)] as const,
    );
    return [server, { ...locked, tools: Object.fromEntries(tools) }] as const;
  });
  return { ...lock, servers: Object.fromEntries(servers) };
}

const isStub = ({ digest }: LockedTool): boolean => digest === "";

/** The same with what it left out put back, which both sides must have. */
function withDefinitions(found: LockDifference, whole: LockDifference): LockDifference {
  const restored = (lock: Lockfile): Lockfile =>
    mapTools(lock, (one, server, name) => {
      if (!isStub(one)) return one;
      const [old, now] = [whole.before, whole.after].map(({ servers }) => servers[server]?.tools[name]);
      if (old === undefined || now === undefined) throw new Error(`"${name}" is not in both.`);
      expect(old).toEqual(now);
      return old;
    });
  return { before: restored(found.before), after: restored(found.after) };
}

function countDefinitions({ before }: LockDifference): number {
  return Object.values(before.servers).flatMap(({ tools }) =>
    Object.values(tools).filter((one) => !isStub(one)),
  ).length;
}

/** The tools of the lock before that are not the same in the one after. */
function countUnlike({ before, after }: LockDifference): number {
  return Object.entries(before.servers).flatMap(([server, { tools }]) =>
    Object.entries(tools).filter(
      ([name, { digest }]) => after.servers[server]?.tools[name]?.digest !== digest,
    ),
  ).length;
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

  it("is not guessed where a lock is broken, or lies about what differs", () => {
    const lock = lockOf(tool("told", "Before"));
    const edited = Buffer.from(lock.toString().replace("Before", "Edited"));
    for (const other of [edited, Buffer.from("{"), Buffer.from("")]) {
      expect(parseDifference(lock, other)).toBeUndefined();
      expect(parseDifference(other, lock)).toBeUndefined();
    }
  });

  it("is whole where a lock is written otherwise", () => {
    const lock = lockOf(tool("told", "Alike"));
    const compact = Buffer.from(JSON.stringify(JSON.parse(lock.toString())));
    expect(parseDifference(lock, compact)).toEqual(parseBoth(lock, compact));
    const indented = Buffer.from(lock.toString().replaceAll("\n        ", "\n         "));
    expect(parseDifference(lock, indented) ?? parseBoth(lock, indented)).toEqual(parseBoth(lock, indented));
  });

  const names = fc.uniqueArray(fc.constantFrom("a", "a b", "b", "c", '"', "ä", "__proto__", "tools"), {
    minLength: 0,
  });
  const side = fc.array(
    fc.tuple(fc.constantFrom("one", "tools", "two"), names, fc.integer({ min: 0, max: 2 })),
  );

  it("says of any two locks what parsing both would say", () => {
    fc.assert(
      fc.property(side, side, (left, right) => {
        const [before, after] = [left, right].map((servers) =>
          locksOf(
            new Map(
              servers.map(([server, tools, version]) => [
                server,
                tools.map((name, at) => tool(name, at % 2 === 0 ? "Stays" : `Version ${version}`)),
              ]),
            ),
          ),
        );
        if (before === undefined || after === undefined) throw new Error("There are two.");
        const found = parseDifference(before, after);
        const whole = parseBoth(before, after);
        expect(found && withDefinitions(found, whole)).toEqual(whole);
        expect(found && countDefinitions(found)).toBe(countUnlike(whole));
      }),
    );
  });
});

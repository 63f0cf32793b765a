import { Buffer } from "node:buffer";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { getOwn } from "../../src/core/json.js";
import { parseDifference, type LockDifference } from "../../src/sources/lock-difference.js";
import { lockServer } from "../../src/core/lock-server.js";
import type { LockedServer, LockedTool, Lockfile } from "../../src/core/lockfile.js";
import { formatLockfile, parseLockfile } from "../../src/core/lockfile-text.js";
import type { ToolSnapshot } from "../../src/core/snapshot.js";

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

function parseBoth(before: Buffer, after: Buffer): Pick<LockDifference, "before" | "after"> {
  return { before: parseLockfile(before.toString()), after: parseLockfile(after.toString()) };
}

function toolsOf(lock: Lockfile, server: string): LockedServer["tools"] {
  return lock.servers[server]?.tools ?? {};
}

/** Restores the omitted tools in both locks. They must be equal in both. */
function putBack(found: LockDifference, whole: Pick<LockDifference, "before" | "after">): typeof whole {
  const restore = (lock: Lockfile, from: Lockfile): Lockfile => {
    const servers = Object.entries(lock.servers).map(([server, locked]) => {
      const names = found.unchanged.get(server) ?? [];
      const tools = names.map((name): [string, LockedTool] => {
        const [old, now] = [whole.before, whole.after].map((lock) => getOwn(toolsOf(lock, server), name));
        if (old === undefined || now === undefined) throw new Error(`"${name}" is not in both.`);
        expect(old).toEqual(now);
        expect(locked.tools).not.toHaveProperty([name]);
        return [name, old];
      });
      return [server, { ...locked, tools: Object.fromEntries([...Object.entries(locked.tools), ...tools]) }];
    });
    expect(Object.keys(lock.servers)).toEqual(Object.keys(from.servers));
    return { ...lock, servers: Object.fromEntries(servers) as Lockfile["servers"] };
  };
  return { before: restore(found.before, whole.before), after: restore(found.after, whole.after) };
}

/** Counts the tools of a server that only one lock has, or that differ. */
function countOnly(one: Lockfile, other: Lockfile, server: string, how: "gone" | "unlike"): number {
  return Object.entries(toolsOf(one, server)).filter(([name, { digest }]) => {
    const twin = getOwn(toolsOf(other, server), name);
    return how === "gone" ? twin === undefined : twin?.digest !== digest;
  }).length;
}

const tool = (name: string, description: string): ToolSnapshot => ({
  name,
  description,
  inputSchema: { type: "object" },
});

const namesOf = (lock: Lockfile | undefined): readonly string[] =>
  Object.keys(lock?.servers["site"]?.tools ?? {}).sort();

describe("parseDifference", () => {
  it("returns the differing tools, and the names of the equal ones", () => {
    const found = parseDifference(
      lockOf(tool("gone", "Goes"), tool("kept", "Stays"), tool("rewritten", "Before")),
      lockOf(tool("kept", "Stays"), tool("rewritten", "After")),
    );
    expect(namesOf(found?.before)).toEqual(["gone", "rewritten"]);
    expect(namesOf(found?.after)).toEqual(["rewritten"]);
    expect(found?.unchanged).toEqual(new Map([["site", ["kept"]]]));
    expect(found?.after.servers["site"]?.tools["rewritten"]?.definition).toEqual(tool("rewritten", "After"));
  });

  it("keeps all tools of a server that lost one tool and got another", () => {
    const before = lockOf(tool("gone", "Goes"), tool("kept", "Stays"), tool("rewritten", "Before"));
    const after = lockOf(tool("kept", "Stays"), tool("new", "Comes"), tool("rewritten", "After"));
    expect(parseDifference(before, after)).toEqual({
      ...parseBoth(before, after),
      unchanged: new Map([["site", []]]),
    });
  });

  it("returns undefined for a broken lock, or a wrong digest", () => {
    const lock = lockOf(tool("rewritten", "Before"));
    const edited = Buffer.from(lock.toString().replace("Before", "Edited"));
    for (const other of [edited, Buffer.from("{"), Buffer.from("")]) {
      expect(parseDifference(lock, other)).toBeUndefined();
      expect(parseDifference(other, lock)).toBeUndefined();
    }
  });

  it("keeps all tools of a lock with another layout", () => {
    const lock = lockOf(tool("rewritten", "Alike"));
    const compact = Buffer.from(JSON.stringify(JSON.parse(lock.toString())));
    const whole = { ...parseBoth(lock, compact), unchanged: new Map() };
    expect(parseDifference(lock, compact)).toEqual(whole);
    const indented = Buffer.from(lock.toString().replaceAll("\n        ", "\n         "));
    expect(parseDifference(lock, indented) ?? whole).toEqual(whole);
  });

  it("returns undefined when tools are not in order", () => {
    const text = lockOf(tool("a", "Stays")).toString();
    const first = text.slice(text.indexOf('        "a": {'), text.indexOf("\n      }\n    }\n  }"));
    const second = first.replace('"a": {', '"b": {');
    const [ordered, swapped] = [`${first},\n${second}`, `${second},\n${first}`].map((tools) =>
      Buffer.from(text.replace(first, tools)),
    );
    if (ordered === undefined || swapped === undefined) throw new Error("Expected two texts.");
    expect(parseDifference(ordered, ordered)?.unchanged.get("site")).toEqual(["a", "b"]);
    expect(parseDifference(swapped, swapped)).toBeUndefined();
  });

  const names = fc.uniqueArray(fc.constantFrom("a", "a b", "b", "c", '"', "ä", "__proto__", "tools"), {
    minLength: 0,
  });
  const side = fc.array(
    fc.tuple(fc.constantFrom("one", "tools", "two"), names, fc.integer({ min: 0, max: 2 })),
  );

  it("equals the result of parsing both locks", () => {
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
        if (before === undefined || after === undefined) throw new Error("Expected two texts.");
        const found = parseDifference(before, after);
        const whole = parseBoth(before, after);
        expect(found && putBack(found, whole)).toEqual(whole);
        for (const server of Object.keys(whole.before.servers)) {
          if (whole.after.servers[server] === undefined) continue;
          const gone = countOnly(whole.before, whole.after, server, "gone");
          const isKept = gone > 0 && countOnly(whole.after, whole.before, server, "gone") > 0;
          const unlike = countOnly(whole.before, whole.after, server, "unlike");
          const all = Object.keys(toolsOf(whole.before, server)).length;
          expect(found?.unchanged.get(server)?.length ?? 0).toBe(isKept ? 0 : all - unlike);
        }
      }),
    );
  });
});

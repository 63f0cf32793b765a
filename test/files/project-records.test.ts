import { readdirSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it, onTestFinished, vi } from "vitest";
import { digestOf } from "../../src/core/digest.js";
import type { Lockfile } from "../../src/core/lockfile.js";
import {
  findLockfile,
  openLockfile,
  readLockfile,
  readWaivers,
  writeLockfile,
  writeWaivers,
} from "../../src/files/project-records.js";
import { makeFolder } from "./folder.js";

const LOCK: Lockfile = { lockfileVersion: 1, servers: {} };

const lockPath = (): string => join(makeFolder(), "mcp-codegen.lock.json");

it("writes a lock once and reads it back", async () => {
  const path = lockPath();
  expect(await findLockfile(path)).toBeUndefined();
  expect(await writeLockfile(path, LOCK)).toBe(true);
  expect(await writeLockfile(path, LOCK)).toBe(false);
  expect(await readLockfile(path)).toEqual(LOCK);
  expect(await readFile(path, "utf8")).toBe('{\n  "lockfileVersion": 1,\n  "servers": {}\n}\n');
});

it("distinguishes a missing lock from one that cannot be read", async () => {
  const path = lockPath();
  await expect(readLockfile(path)).rejects.toMatchObject({ code: "LOCK_NOT_FOUND" });
  await writeFile(path, '\uFEFF{\n  "servers": {},\n}');
  await expect(findLockfile(path)).rejects.toMatchObject({
    code: "LOCK_INVALID",
    message: '"mcp-codegen.lock.json" is not JSON at line 3, column 1: expected a key in double quotes.',
  });
  await expect(findLockfile(join(path, ".."))).rejects.toMatchObject({ code: "FILE_FAILED" });
});

it("rejects a lock that is not JSON without jsonc-parser too", async () => {
  const missing = (): never => {
    throw Object.assign(new Error("Cannot find module 'jsonc-parser'"), { code: "MODULE_NOT_FOUND" });
  };
  vi.resetModules();
  vi.doMock("node:module", () => ({ createRequire: () => missing }));
  onTestFinished(() => {
    vi.doUnmock("node:module");
    vi.resetModules();
  });
  const { parseLockText } = await import("../../src/files/project-records.js");
  expect(() => parseLockText("{")).toThrow(
    expect.objectContaining({
      code: "LOCK_INVALID",
      message: '"mcp-codegen.lock.json" is not JSON.',
    }) as Error,
  );
});

it("checks every lock that differs from a verified one in a byte, and never takes a refused one for verified", async () => {
  const path = lockPath();
  const digests = new Set<string>();
  const read = async (text: string): Promise<Lockfile | undefined> => {
    await writeFile(path, text);
    const verified = {
      has: (digest: string) => digests.has(digest),
      add: (digest: string) => digests.add(digest),
    };
    return (await openLockfile(path, verified))?.lock();
  };
  const valid = '\uFEFF{ "lockfileVersion": 1, "servers": {} }';
  for (const _ of [1, 2]) {
    expect(await read(valid)).toEqual(LOCK);
    expect(digests.size).toBe(1);
    await expect(read(valid.replace("{}", "[]"))).rejects.toMatchObject({ code: "LOCK_INVALID" });
    await expect(read(valid.replace("1", "9"))).rejects.toMatchObject({ code: "LOCK_NEWER" });
    await expect(read(valid.replace("{}", '{}, "servers": {}'))).rejects.toMatchObject({
      code: "LOCK_INVALID",
    });
  }
});

it("writes waivers sorted, and removes a file without any", async () => {
  const folder = makeFolder();
  const path = join(folder, "waivers.json");
  const waiver = (tool: string, before?: string) => ({
    ...{ server: "shop", tool, path: "", rule: "tool-removed", reason: "Known." },
    digests: before === undefined ? {} : { before },
  });
  const sorted = [waiver("a"), waiver("a", digestOf("b")), waiver("b")];
  await writeWaivers(path, { waivers: sorted.toReversed() });
  expect((await readWaivers(path)).waivers).toEqual(sorted);
  await writeWaivers(path, { waivers: [] });
  expect([readdirSync(folder), await readWaivers(path)]).toEqual([[], { waivers: [] }]);
});

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { threadId, Worker } from "node:worker_threads";
import { build } from "esbuild";
import { beforeEach, expect, test } from "vitest";
import { withFileLock } from "../../src/files/file-lock.js";
import { makeFolder } from "./folder.js";

const sourceFile = fileURLToPath(new URL("../../src/files/file-lock.ts", import.meta.url));

let folder: string;
beforeEach(() => {
  folder = makeFolder();
});

/** Adds 1 to the number in a file, so many times; two at once would lose one. */
const COUNTER = `
  import { readFile, writeFile } from "node:fs/promises";
  import { withFileLock } from ${JSON.stringify(sourceFile)};
  const [folder, times] = process.argv.slice(-2);
  for (let time = 0; time < Number(times); time += 1)
    await withFileLock(folder + "/count.lock", async () => {
      const count = Number(await readFile(folder + "/count", "utf8"));
      await new Promise((resolve) => setTimeout(resolve, 1));
      await writeFile(folder + "/count", String(count + 1));
    });`;

test.each([
  { counters: "processes that end soon", ends: 40, times: 2 },
  { counters: "processes", ends: 12, times: 60 },
  { counters: "threads of one process", ends: 12, times: 60 },
])("$counters that count side by side lose nothing", async ({ counters, ends, times }) => {
  await writeFile(join(folder, "count"), "0");
  const program = join(folder, "counter.mjs");
  const stdin = { contents: COUNTER, resolveDir: folder };
  await build({ stdin, bundle: true, platform: "node", format: "esm", outfile: program, logLevel: "error" });
  const args = [folder, String(times)];
  const start = (): Promise<unknown[]> =>
    counters.startsWith("threads")
      ? once(new Worker(program, { argv: args }), "exit")
      : once(spawn(process.execPath, [program, ...args], { stdio: "inherit" }), "exit");
  const exits = await Promise.all(Array.from({ length: ends }, start));
  expect(exits.map(([code]) => code)).toEqual(exits.map(() => 0));
  expect(await readFile(join(folder, "count"), "utf8")).toBe(String(ends * times));
  expect((await readdir(folder)).sort()).toEqual(["count", "counter.mjs"]);
});

test.each([
  ["a process that has ended", "999999999-0-1@"],
  ["an earlier process with this ID", `${process.pid}-${threadId}-999999@`],
  ["something else", "notes"],
])("the lock of %s is taken at once", async (_, owner) => {
  await mkdir(join(folder, "a.lock", owner), { recursive: true });
  expect(await withFileLock(join(folder, "a.lock"), () => Promise.resolve(1))).toBe(1);
  expect(await readdir(folder)).toEqual([]);
});

test.each([
  ["a process that runs", `${process.ppid}-0-1@`],
  ["another thread", `${process.pid}-${threadId + 1}-1@`],
  ["a process of another host", "999999999-0-1@other"],
])("the lock of %s is taken when it ends, or when it is too old", async (_, owner) => {
  const lock = join(folder, "a.lock");
  const steps: string[] = [];
  await mkdir(join(lock, owner), { recursive: true });
  const taken = withFileLock(lock, () => Promise.resolve(steps.push("taken")), { longest: 100_000 });
  await wait(60);
  steps.push("ended");
  // At once: a lock without an owner could be taken while it is removed.
  await rename(lock, `${folder}/ended`);
  await rm(`${folder}/ended`, { recursive: true });
  await taken;
  expect(steps).toEqual(["ended", "taken"]);
  await mkdir(join(lock, owner), { recursive: true });
  await withFileLock(lock, () => Promise.resolve(), { longest: 60 });
  expect(await readdir(folder)).toEqual([]);
});

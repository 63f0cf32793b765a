import { spawn, type ChildProcessByStdio } from "node:child_process";
import { once } from "node:events";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { answering, connectShop, newCassette, readCassette, readFileOf } from "./make-tools.js";

const program = fileURLToPath(new URL("./record-calls.js", import.meta.url));
const FILE = "shop/find.json";

function startRecorder(...args: readonly string[]): ChildProcessByStdio<null, Readable, null> {
  return spawn(process.execPath, [program, ...args], { stdio: ["ignore", "pipe", "inherit"] });
}

/** The calls of a recorder in a file, by number. */
async function callsOf(folder: string, name: string): Promise<readonly unknown[]> {
  const { calls } = await readFileOf(folder, FILE);
  return calls.flatMap(({ arguments: args }) => (args["name"] === name ? [args["call"]] : []));
}

it("keeps every call of recorders that run side by side", async () => {
  const folder = await newCassette();
  const names = ["a", "b", "c"];
  const ends = names.map((name) => once(startRecorder(folder, name, "60"), "exit"));
  expect(await Promise.all(ends)).toEqual(names.map(() => [0, null]));
  for (const name of names) expect(await callsOf(folder, name)).toHaveLength(60);
  expect(Object.keys(await readCassette(folder))).toEqual([FILE]);
});

it("loses at most the call in flight when a recorder is killed", async () => {
  const folder = await newCassette();
  for (let round = 0; round < 8; round += 1) {
    const recorder = startRecorder(folder, `${round}`, "100000");
    let printed = "";
    recorder.stdout.on("data", (chunk: Buffer) => {
      printed += chunk.toString();
      // Each round is killed at another moment of the next write.
      if (printed.split("\n").length > 5 + round) setTimeout(() => recorder.kill("SIGKILL"), round % 4);
    });
    await once(recorder, "close");
    const returned = printed.split("\n").slice(0, -1).map(Number);
    const recorded = await callsOf(folder, `${round}`);
    expect(returned.length).toBeGreaterThan(4);
    expect(recorded).toEqual(expect.arrayContaining(returned));
    expect(recorded.length - returned.length).toBeLessThanOrEqual(1);
  }
  await connectShop({ record: folder, client: answering(() => ({ content: [] })) }).find({
    name: "last",
    call: 0,
  });
  expect(await callsOf(folder, "last")).toEqual([0]);
  expect(Object.keys(await readCassette(folder))).toEqual([FILE]);
});

it("removes what a recorder left that was killed between two writes", async () => {
  const folder = await newCassette();
  await mkdir(join(folder, "shop/.find.json.lock"), { recursive: true });
  await writeFile(join(folder, "shop/.find.json.lock/999999999-0-1@"), "");
  await writeFile(join(folder, "shop/.find.json.999999999-0-1.mcp-codegen-tmp"), '{"half": ');
  await connectShop({ record: folder, client: answering(() => ({ content: [] })) }).find({});
  expect(Object.keys(await readCassette(folder))).toEqual([FILE]);
});

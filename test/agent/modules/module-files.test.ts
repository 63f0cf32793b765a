import { spawn } from "node:child_process";
import { once } from "node:events";
import * as fs from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, test } from "vitest";
import { keepVectors, openChangeFile, readChanges } from "../../../src/agent/modules/module-files.js";
import { createChangeTracker } from "../../../src/agent/replay/change-tracker.js";
import { createToolSearch, type Embedder } from "../../../src/agent/search/create-tool-search.js";
import type { RecordedCall } from "../../../src/runtime/call-recorder.js";
import { runs } from "../../sample.js";

const dir = fs.mkdtempSync(join(tmpdir(), "mcp-codegen-changes-"));
afterAll(() => {
  fs.rmSync(dir, { recursive: true, force: true, maxRetries: 3 });
});

let files = 0;
const newPath = (): string => join(dir, `${files++}`, "changes.jsonl");

function change(number: number): RecordedCall {
  const args = { title: `Grüße ${number} 🌍` };
  return {
    ...{ tool: "create-post", server: "site", args, result: { id: number } },
    ...{ at: "2026-01-02T03:04:05.000Z", contract: "1.0.0" },
  };
}

describe("a file of changes", () => {
  test("holds what was recorded by any process, for its owner alone", async () => {
    const path = newPath();
    const first = openChangeFile(path);
    const second = openChangeFile(path, { fsync: true });
    const [one, two] = [createChangeTracker({ store: first }), createChangeTracker({ store: second })];
    one.track(change(1));
    two.track(change(2));
    one.track(change(3));
    const all = [change(1), change(2), change(3)];
    expect(one.changes()).toEqual(all);
    expect(two.changes()).toEqual(all);
    expect(await readChanges(path)).toEqual({ changes: all, lines: [1, 2, 3], damaged: [], unresolved: [] });
    if (process.platform !== "win32") expect(fs.statSync(path).mode & 0o777).toBe(0o600);
    two.clear();
    one.track(change(4));
    expect(one.changes()).toEqual([change(4)]);
    first.close();
    second.close();
  });

  test("is read after it was closed, and not written", () => {
    const path = newPath();
    const store = openChangeFile(path);
    const tracker = createChangeTracker({ store });
    tracker.track(change(1));
    store.close();
    store.close();
    // The system may give the file's number to another one.
    const other = fs.openSync(join(dir, "other.txt"), "w+");
    expect(tracker.changes()).toEqual([change(1)]);
    expect(() => {
      tracker.track(change(1));
    }).toThrow('"changes.jsonl" cannot be written: it was closed.');
    expect(() => {
      tracker.clear();
    }).toThrow('"changes.jsonl" cannot be emptied: it was closed.');
    fs.closeSync(other);
    expect(fs.readFileSync(join(dir, "other.txt"), "utf8")).toBe("");
  });

  test("cut at any byte keeps every whole line, says which is torn, and goes on after it", async () => {
    const path = newPath();
    const file = openChangeFile(path);
    const tracker = createChangeTracker({ store: file });
    for (const number of [1, 2]) tracker.track(change(number));
    const whole = fs.readFileSync(path);
    const ends = [...whole.entries()].flatMap(([at, byte]) => (byte === 0x0a ? [at] : []));
    for (let size = 0; size <= whole.length; size++) {
      fs.writeFileSync(path, whole);
      fs.truncateSync(path, size);
      // A line that lacks only its end is whole.
      const kept = ends.filter((end) => end <= size).length;
      const start = kept === 0 ? 0 : (ends[kept - 1] ?? 0) + 1;
      const isTorn = size > start;
      const found = await readChanges(path);
      expect(found.changes).toHaveLength(kept);
      const torn = { line: kept + 1, isLast: true, problem: "it is not JSON" };
      expect(found.damaged).toEqual(isTorn ? [torn] : []);
      tracker.track(change(9));
      const after = await readChanges(path);
      expect(after.changes).toEqual([...[1, 2].slice(0, kept), 9].map(change));
      expect(after.damaged).toEqual(isTorn ? [{ ...torn, isLast: false }] : []);
      expect(tracker.changes()).toEqual(after.changes);
    }
    file.close();
  });

  test("with two outcomes of one call, which a merge of two branches left, names both lines", async () => {
    const path = newPath();
    const file = openChangeFile(path);
    const lineOf = (more: object): string => JSON.stringify({ ...change(1), toolCallId: "a", ...more });
    const waits = lineOf({ outcome: "waits", result: null });
    const problem = "line 2 has another answer to the same call; keep one of the two";
    const other = lineOf({ result: { id: 2 } });
    for (const line of [waits, lineOf({}), lineOf({}), other, lineOf({ outcome: "none" })]) file.append(line);
    expect(await readChanges(path)).toEqual({
      changes: [{ ...change(1), toolCallId: "a" }],
      lines: [2],
      damaged: [4, 5].map((line) => ({ line, isLast: line === 5, problem })),
      unresolved: [],
    });
    // Some models give the ids of an earlier run again.
    file.clear();
    for (const line of [waits, lineOf({}), waits, other, waits]) file.append(line);
    expect(await readChanges(path)).toMatchObject({ lines: [2, 4], damaged: [], unresolved: [{ line: 5 }] });
    file.close();
  });

  test("that cannot be written or read says so in one line", async () => {
    fs.writeFileSync(join(dir, "file"), "");
    expect(() => openChangeFile(join(dir, "file", "changes.jsonl"))).toThrow(
      /^"changes.jsonl" cannot be opened: E/,
    );
    const message = expect.stringMatching(/^"missing.jsonl" cannot be read: ENOENT/) as string;
    const missing = readChanges(join(dir, "missing.jsonl"));
    await expect(missing).rejects.toMatchObject({ code: "FILE_FAILED", message });
  });
});

test("a process that is killed loses at most the call in flight", async () => {
  const program = fileURLToPath(new URL("./record-calls.js", import.meta.url));
  for (let round = 0; round < runs(8, 3); round++) {
    const path = newPath();
    const child = spawn(process.execPath, [program, path], { stdio: ["ignore", "pipe", "inherit"] });
    let said = "";
    // Killed after some calls, each time another number of them, wherever it is then.
    const enough = 1 + ((round * 37) % 90);
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      said += text;
      if (said.split("\n").length > enough) child.kill("SIGKILL");
    });
    const [code, signal] = (await once(child, "close")) as [number | null, string | null];
    expect([code, signal]).toEqual([null, "SIGKILL"]);
    const made = said.split("\n").length - 1;
    const { changes, damaged } = await readChanges(path);
    expect(made - changes.length).toBeOneOf([0, 1]);
    expect(changes.map(({ args }) => args)).toEqual(changes.map((_change, call) => ({ call })));
    expect(damaged.length).toBeLessThanOrEqual(1);
  }
});

function countingEmbedder(): Embedder & { readonly asked: string[] } {
  const asked: string[] = [];
  return {
    asked,
    embed: (texts) => {
      asked.push(...texts);
      return Promise.resolve(texts.map((text) => Float32Array.of(text.length, 0.1, -1)));
    },
  };
}

test("vectors of tools are embedded once for each text and model, and queries are not kept", async () => {
  const path = join(dir, "vectors");
  const first = countingEmbedder();
  const tools = [{ name: "list_orders" }, { name: "get_order" }];
  const search = createToolSearch(tools, { embedder: keepVectors(first, { path, model: "a" }) });
  await search.search("orders of today");
  expect(first.asked).toEqual(["list orders", "get order", "orders of today"]);

  const second = countingEmbedder();
  const kept = keepVectors(second, { path, model: "a" });
  const texts = ["get order", "new tool", "new tool"];
  expect(await kept.embed(texts, "tool")).toEqual(await countingEmbedder().embed(texts));
  expect(second.asked).toEqual(["new tool"]);
  expect(fs.readFileSync(path, "utf8")).not.toMatch(/order|today|new tool/);
  expect(fs.readFileSync(path, "utf8").trim().split("\n")).toHaveLength(3);

  const other = countingEmbedder();
  await keepVectors(other, { path, model: "b" }).embed(["get order"], "tool");
  expect(other.asked).toEqual(["get order"]);

  // A line that another process has not finished is ignored.
  const [line = ""] = fs.readFileSync(path, "utf8").split("\n");
  fs.writeFileSync(path, `garbage\n${line.slice(0, -4)}`);
  const third = countingEmbedder();
  await keepVectors(third, { path, model: "a" }).embed(["list orders"], "tool");
  expect(third.asked).toEqual(["list orders"]);
});

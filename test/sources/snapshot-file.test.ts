import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { snapshotFile } from "../../src/sources/file/snapshot-file.js";
import { dataFiles, expected } from "../data/files.js";

let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "snapshot-file-"));
});
afterAll(() => rm(dir, { recursive: true }));

async function saved(text: string): Promise<string> {
  const path = join(dir, "tools.json");
  await writeFile(path, text);
  return path;
}

const TOOL = { name: "a", inputSchema: { type: "object" }, "x-more": [1] };

describe("snapshotFile", () => {
  test.each([
    ["a bare array", [TOOL]],
    ["a result", { tools: [TOOL] }],
    ["a JSON-RPC answer", { jsonrpc: "2.0", id: 1, result: { tools: [TOOL] } }],
  ])("reads %s", async (_what, value) => {
    const snapshot = await snapshotFile("saved", await saved(`\ufeff${JSON.stringify(value)}`));
    expect(snapshot.tools).toEqual([TOOL]);
    expect(snapshot.diagnostics).toEqual([]);
  });

  test("keeps the identity in the file", async () => {
    const path = await saved(
      JSON.stringify({
        serverInfo: { name: "s", title: "S" },
        protocolVersion: "2025-06-18",
        tools: [],
        instructions: "i",
      }),
    );
    expect(await snapshotFile("saved", path)).toMatchObject({
      identity: {
        serverInfo: { name: "s", title: "S" },
        protocolVersion: "2025-06-18",
        capabilities: {},
        instructions: "i",
      },
      listing: { pages: 1 },
    });
  });

  test("checks numbers as they were written", async () => {
    const path = await saved('{"tools":[{"name":"n","inputSchema":{"const":1e999}}]}');
    expect(Object.keys((await snapshotFile("saved", path)).unusable)).toEqual(["n"]);
  });

  test.each([
    ["{", "PROTOCOL_INVALID", "is not JSON at line 1, column 2: "],
    ['{"tools":{}}', "PROTOCOL_INVALID", "has no list of tools"],
    ["null", "PROTOCOL_INVALID", "has no list of tools"],
    ['{"tools":[],"nextCursor":""}', "LIST_INCOMPLETE", "only one page"],
  ])("rejects %s", async (text, code, words) => {
    await expect(snapshotFile("saved", await saved(text))).rejects.toMatchObject({
      code,
      message: expect.stringContaining(words) as unknown,
    });
  });

  test("reports a missing file", async () => {
    await expect(snapshotFile("saved", join(dir, "none.json"))).rejects.toMatchObject({
      code: "FILE_FAILED",
    });
  });

  test("accepts every tool of real lists", async () => {
    const snapshots = await Promise.all(
      dataFiles("tool-lists").map((file) => snapshotFile(basename(file), file)),
    );
    expect(snapshots.flatMap((snapshot) => Object.keys(snapshot.unusable))).toEqual([]);
    // One of them lists a name twice, and one has a tool that must run as a task.
    const codes = snapshots.flatMap((snapshot) => snapshot.diagnostics.map(({ code }) => code));
    expect(codes).toEqual(expected([], ["TOOL_DUPLICATE", "CALL_UNSUPPORTED"]));
    expect(snapshots.flatMap((snapshot) => snapshot.tools).length).toBeGreaterThan(expected(30, 2_000));
  });
});

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import * as z from "zod";
import type { ServerConfig } from "../../src/config/config.js";
import type { ServerSnapshot } from "../../src/core/snapshot.js";
import { connectTools, defineTool } from "../../src/codegen.js";
import type { ServerDefinition } from "../../src/core/tool.js";
import { snapshotServer } from "../../src/sources/snapshot-server.js";
import { programOf, startEverything } from "../servers/start-everything.js";

let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "real-servers-"));
});
afterAll(() => rm(dir, { recursive: true }));

async function snapshotOf(server: string, settings: ServerConfig): Promise<ServerSnapshot> {
  const context = { dir: ".", lookup: () => undefined };
  return (await snapshotServer({ server, settings }, context)).snapshot;
}

describe("a snapshot of a real server", () => {
  test.each([
    // One of its tools must run as a task.
    ["everything" as const, () => ["stdio"], "get-sum", ["CALL_UNSUPPORTED"]],
    ["filesystem" as const, () => [dir], "read_text_file", []],
    ["memory" as const, () => [], "create_entities", []],
  ])("%s over stdio", async (name, args, tool, codes) => {
    const settings = { command: process.execPath, args: [programOf(name), ...args()], cwd: dir };
    const snapshot = await snapshotOf(name, settings);
    expect(snapshot.tools.map((listed) => listed.name)).toContain(tool);
    expect(snapshot.diagnostics.map(({ code }) => code)).toEqual(codes);
    expect(snapshot.identity.serverInfo).toHaveProperty("name");
  });

  test.each([
    ["streamableHttp" as const, "/mcp"],
    ["sse" as const, "/sse"],
  ])("everything over %s, and a call of its tool", async (mode, path) => {
    const remote = await startEverything(mode);
    try {
      const url = `${remote.origin}${path}`;
      const snapshot = await snapshotOf("everything", { url });
      const overStdio = await snapshotOf("everything", {
        command: process.execPath,
        args: [programOf("everything"), "stdio"],
      });
      expect(snapshot.tools).toEqual(overStdio.tools);
      const server: ServerDefinition = { name: "everything", contract: "1.0.0", url };
      const input = z.looseObject({ a: z.number(), b: z.number() });
      const getSum = defineTool({ server, name: "get-sum", input, inputSchema: () => ({}) });
      await using tools = connectTools(server, { getSum });
      const sums = await Promise.all([1, 2, 3].map((a) => tools.getSum({ a, b: 40 })));
      expect(sums.map((sum) => / is (\d+)/.exec(sum.text)?.[1])).toEqual(["41", "42", "43"]);
    } finally {
      await remote.close();
    }
  });
});

import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { connect, createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import * as z from "zod";
import { connectTools, defineTool, type ServerDefinition } from "../../src/runtime/index.js";
import { snapshotServer } from "../../src/sources/mcp/snapshot-server.js";
import { endpointOf } from "../transport/endpoint.js";

function program(name: string): string {
  return fileURLToPath(import.meta.resolve(`@modelcontextprotocol/server-${name}/dist/index.js`));
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => probe.once("listening", resolve));
  const { port } = probe.address() as AddressInfo;
  await new Promise((resolve) => probe.close(resolve));
  return port;
}

let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "real-servers-"));
});
afterAll(() => rm(dir, { recursive: true }));

describe("a snapshot of a real server", () => {
  test.each([
    ["everything", () => ["stdio"], "get-sum"],
    ["filesystem", () => [dir], "read_text_file"],
    ["memory", () => [], "create_entities"],
  ])("%s over stdio", async (name, args, tool) => {
    const endpoint = endpointOf({ command: process.execPath, args: [program(name), ...args()], cwd: dir });
    const snapshot = await snapshotServer(name, endpoint);
    expect(snapshot.tools.map((listed) => listed.name)).toContain(tool);
    expect(snapshot.diagnostics).toEqual([]);
    expect(snapshot.identity.serverInfo).toHaveProperty("name");
  });

  test.each([
    ["streamableHttp", "/mcp"],
    ["sse", "/sse"],
  ])("everything over %s, and a call of its tool", async (mode, path) => {
    const port = await freePort();
    const child = spawn(process.execPath, [program("everything"), mode], {
      env: { ...process.env, PORT: String(port) },
      stdio: "ignore",
    });
    const exited = new Promise((resolve) => child.once("exit", resolve));
    try {
      const url = `http://127.0.0.1:${port}${path}`;
      await expect.poll(() => isListening(port), { timeout: 10_000 }).toBe(true);
      const snapshot = await snapshotServer("everything", endpointOf({ url }));
      const overStdio = await snapshotServer(
        "everything",
        endpointOf({ command: process.execPath, args: [program("everything"), "stdio"] }),
      );
      expect(snapshot.tools).toEqual(overStdio.tools);
      const server: ServerDefinition = { name: "everything", contract: "1.0.0", url };
      const input = z.looseObject({ a: z.number(), b: z.number() });
      const getSum = defineTool({ server, name: "get-sum", input, inputSchema: () => ({}) });
      await using tools = connectTools(server, { getSum });
      const sums = await Promise.all([1, 2, 3].map((a) => tools.getSum({ a, b: 40 })));
      expect(sums.map((sum) => / is (\d+)/.exec(sum.text)?.[1])).toEqual(["41", "42", "43"]);
    } finally {
      child.kill();
      await exited;
    }
  });
});

function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1", () => {
      socket.destroy();
      resolve(true);
    }).once("error", () => {
      resolve(false);
    });
  });
}

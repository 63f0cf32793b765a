import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { fixtureCommand } from "../../test/servers/start-fixture.js";
import { BIN } from "./bench-project.js";

const CALLS = 300;
const AT_ONCE = 200;
/** Seconds until a client has the five tools. */
const GOAL = 1;

/** Measures the start of `serve` with many locked tools, and a call through it. */
export async function measureServe(project: string, dir: string, starts: number): Promise<string> {
  const times: number[] = [];
  for (let start = 0; start <= starts; start += 1) times.push(await timeStart(project));
  // The first warms the disk's cache.
  const start = medianOf(times.slice(1)) / 1_000;
  const verdict = start < GOAL ? "meets" : "MISSES";
  const { direct, served, together } = await measureCalls(dir);
  return [
    `serve over 1,000 locked tools, until tools/list is answered: ${start.toFixed(2)} s, ${verdict} < ${GOAL} s`,
    `a call of a server over stdio, median of ${CALLS}: ${direct.toFixed(2)} ms directly, ${served.toFixed(2)} ms by execute through serve; ${(served - direct).toFixed(2)} ms more; ${AT_ONCE} at once through serve: ${together.toFixed(0)} ms`,
  ].join("\n");
}

/** Milliseconds from the start of the process to the answer. */
async function timeStart(cwd: string): Promise<number> {
  const start = performance.now();
  const child = spawn(process.execPath, [BIN, "serve"], { cwd, stdio: ["pipe", "pipe", "ignore"] });
  const exited = new Promise((resolve) => child.once("exit", resolve));
  const messages = [
    {
      ...{ id: 1, method: "initialize" },
      params: {
        protocolVersion: "2025-11-25",
        capabilities: {},
        clientInfo: { name: "bench", version: "1" },
      },
    },
    { method: "notifications/initialized" },
    { id: 2, method: "tools/list", params: {} },
  ];
  for (const message of messages) child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  let text = "";
  await new Promise<void>((resolve) => {
    child.stdout.on("data", (chunk: Buffer) => {
      text += String(chunk);
      if (text.includes('"search_tools"')) resolve();
    });
    void exited.then(() => {
      resolve();
    });
  });
  const time = performance.now() - start;
  child.stdin.end();
  await exited;
  if (!text.includes('"search_tools"')) throw new Error("serve ended before it listed its tools.");
  return time;
}

async function measureCalls(dir: string): Promise<{ direct: number; served: number; together: number }> {
  const shop = fixtureCommand("counting");
  mkdirSync(dir, { recursive: true });
  writeFileSync(join(dir, "mcp-codegen.config.json"), JSON.stringify({ servers: { shop } }));
  execFileSync(process.execPath, [BIN, "pull", "--no-frozen"], { cwd: dir, stdio: "pipe" });
  const near = await connect(shop.command, shop.args, dir);
  const far = await connect(process.execPath, [BIN, "serve"], dir);
  const direct = (id: number): Promise<unknown> => near.callTool({ name: "read", arguments: { id } });
  const served = (id: number): Promise<unknown> =>
    far.callTool({ name: "execute", arguments: { tool: "read", args: { id } } });
  const times: { readonly direct: number[]; readonly served: number[] } = { direct: [], served: [] };
  for (let call = 0; call < CALLS; call += 1) await Promise.all([direct(call), served(call)]);
  // Alternate, so that a busy moment of the machine affects both.
  for (let call = 0; call < CALLS; call += 1) {
    times.direct.push(await timeOf(() => direct(call)));
    times.served.push(await timeOf(() => served(call)));
  }
  const together = await timeOf(() =>
    Promise.all(Array.from({ length: AT_ONCE }, (_, call) => served(call))),
  );
  await Promise.all([near.close(), far.close()]);
  return { direct: medianOf(times.direct), served: medianOf(times.served), together };
}

async function connect(command: string, args: string[], cwd: string): Promise<Client> {
  const client = new Client({ name: "bench", version: "1.0.0" });
  const env = { PATH: process.env["PATH"] ?? "", MCP_CODEGEN_ENABLE_WRITES: "1" };
  await client.connect(new StdioClientTransport({ command, args, cwd, env, stderr: "ignore" }));
  return client;
}

async function timeOf(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

function medianOf(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

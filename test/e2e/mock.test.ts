/** `mcp-codegen mock`: clients list what is locked, and every call has an answer or the reason why not. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { PassThrough } from "node:stream";
import { describe, expect, onTestFinished, test } from "vitest";
import { run } from "../../src/cli/run.js";
import type { LockedServer } from "../../src/core/lockfile.js";
import { programOf } from "../servers/start-everything.js";
import { fixtureCommand } from "../servers/start-fixture.js";
import { CLIENTS } from "../serve/clients.js";
import { BIN } from "../serve/start-serve.js";
import { EXAMPLE, LOCKFILE_NAME, makePulled, type Project } from "./make-project.js";

/** A project with the example server locked, and its mock as the environment "mock". */
async function makeLocked(args: readonly string[] = []): Promise<Project> {
  const environments = { mock: { command: "node", args: [BIN, "mock", "example", ...args], cwd: "." } };
  return makePulled({ servers: { example: { ...EXAMPLE, environments } } });
}

/** Returns the URLs of mocks, in the order in which they started. */
async function startMocks(dir: string, args: readonly string[], count: number): Promise<readonly string[]> {
  const child = spawn(process.execPath, [BIN, "mock", ...args], {
    cwd: dir,
    stdio: ["ignore", "ignore", "pipe"],
  });
  onTestFinished(() => {
    child.kill();
  });
  const urls: string[] = [];
  for await (const line of createInterface({ input: child.stderr })) {
    urls.push(...(/At (http:\S+)$/.exec(line)?.slice(1) ?? []));
    if (urls.length === count) break;
  }
  return urls;
}

describe("the list", () => {
  test("is the locked one: check finds no difference, and a pull of the mock writes the same lock", async () => {
    const project = await makeLocked();
    await project.prints("check --env mock", 0, "Up to date");
    const before = await project.read(LOCKFILE_NAME);
    const mock = { command: "node", args: [BIN, "mock", "example"], cwd: "." };
    await project.configure({ servers: { example: mock } });
    await project.prints("pull", 0);
    expect(await project.read(LOCKFILE_NAME)).toBe(before);
  });

  test("is that of a server with prompts, resources and tasks, with its capabilities", async () => {
    const mock = { command: "node", args: [BIN, "mock"], cwd: "." };
    const server = { command: "node", args: [programOf("everything")], include: ["prompts", "resources"] };
    const project = await makePulled({ servers: { everything: { ...server, environments: { mock } } } });
    await project.prints("check --env mock", 0, "Up to date");
  });
});

// Over HTTP, the same server answers each client in test/serve.
test.each(Object.keys(CLIENTS))(
  "a mock is listed and called by the client of %s over stdio",
  async (name) => {
    const project = await makeLocked();
    const client = await CLIENTS[name]?.({
      command: process.execPath,
      args: [BIN, "mock"],
      cwd: project.dir,
    });
    if (client === undefined) throw new Error("There is no such client.");
    onTestFinished(() => client.close());
    expect(await client.listTools()).toContain("get-post");
    const answer = await client.call("get-post", { id: 7 });
    expect(answer["structuredContent"]).toMatchObject({ id: 7 });
    expect(await client.call("get-post", { id: 7 })).toEqual(answer);
    await expect(client.call("get-post", { id: 0 })).rejects.toThrow(
      'The input of tool "get-post" is invalid: id:',
    );
    await expect(client.call("get-pots", {})).rejects.toThrow("Unknown tool: get-pots");
  },
);

describe("an answer", () => {
  test("is the recorded one, also in generated code", async () => {
    const project = await makeLocked(["--cassette", "posts"]);
    await project.prints("call --record --cassette posts example__get-post --id 1", 0);
    const real = await project.run("call get-post --id 1");
    expect((await project.run("call --env mock get-post --id 1")).stdout).toBe(real.stdout);
    const other = await project.prints("call --env mock get-post --id 2", 0);
    expect(other.stdout).not.toBe(real.stdout);
  });

  test("differs with another seed, and fails on request", async () => {
    const call = "call --env mock get-post --id 7";
    const first = await (await makeLocked()).prints(call, 0);
    const other = await (await makeLocked(["--seed", "2"])).prints(call, 0);
    expect(other.stdout).not.toBe(first.stdout);
    const failed = await (await makeLocked(["--fail", "1"])).run(call);
    expect(failed.stderr).toContain('Tool "get-post" failed: The mock fails this call on request.');
  });
});

describe("a rehearsed change", () => {
  test("is drift that check reports", async () => {
    const project = await makeLocked(["--from", "next.json"]);
    const lock = JSON.parse(await project.read(LOCKFILE_NAME)) as { servers: Record<string, LockedServer> };
    const example = { ...lock.servers["example"], tools: {} };
    await project.writeJson("next.json", { ...lock, servers: { example } });
    await project.prints("check --env mock", 1, "get-post");
  });

  test("needs a lockfile", async () => {
    const project = await makeLocked();
    const hint = "hint: Name another lockfile with --from.";
    await project.refuses("mock example --from next.json", 'There is no lockfile "next.json"', hint);
    await project.write("next.json", "");
    const says = '"next.json": "mcp-codegen.lock.json" is not JSON';
    await project.refuses("mock example --from next.json", says, hint);
  });
});

describe("several servers", () => {
  test("are served over HTTP, each at a port of its own, also a WordPress through its adapter", async () => {
    const environments = { mock: { command: "node", args: [BIN, "mock", "wp"] } };
    const wordpress = { ...fixtureCommand("wordpress"), environments };
    const servers = { library: fixtureCommand("library"), wp: wordpress };
    const project = await makePulled({ servers });
    const [library, wp] = await startMocks(project.dir, ["--http", "0"], 2);
    const tools = await Promise.all(
      [library, wp].map(async (url = "") => {
        const client = await CLIENTS["version 2"]?.({ url, headers: {} });
        onTestFinished(() => client?.close());
        return client?.listTools();
      }),
    );
    expect(tools[0]).toContain("lend");
    expect(tools[1]).toEqual([
      "mcp-adapter-discover-abilities",
      "mcp-adapter-get-ability-info",
      "mcp-adapter-execute-ability",
    ]);
    const refused = await project.run("mock");
    expect(refused.stderr).toContain('Over stdio, "mock" serves one server, not 2.');
    expect((await project.run("check wp --env mock")).stdout).toContain("Up to date");
    const post = await project.run("call content-get-post --id 3 --env mock");
    expect(JSON.parse(post.stdout)).toMatchObject({ id: 3, title: expect.any(String) as string });
    const writing = project.withEnv({ MCP_CODEGEN_ENABLE_WRITES: "1" });
    const call = (line: string) => writing.run(`call ${line} --env mock --yes`);
    for (const [line, type] of [
      ["content-list-posts", Array],
      ["content-delete-posts --input 1", Boolean],
    ] as const)
      expect(JSON.parse((await call(line)).stdout)).toEqual({ result: expect.any(type) as unknown });
    expect((await call("content-count")).stderr).toContain("The mock has no answer: no output schema");
  });
});

test("wrong usage is refused", async () => {
  const project = await makeLocked();
  for (const [line, message] of [
    ["nothing", 'The lock has no server "nothing".'],
    ["example nothing", 'The lock has no server "nothing".'],
    ["--fail 2", '--fail takes a number from 0 to 1, not "2".'],
    ["--latency soon", '--latency takes a number from 0 to 3600000, not "soon".'],
    ["--change-after 2", "--change-after requires --from."],
  ] as const)
    await project.refuses(`mock ${line}`, message);
});

const INITIALIZE = JSON.stringify({
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "c", version: "1" } },
});
const LONG = "Client: ReadBuffer exceeded maximum size of 10485760 bytes";

test.each<[what: string, args: readonly string[], input: string, message: string]>([
  ["a message first", [], "null\n", "Client: sent a message that is not JSON-RPC."],
  ["a message later", [], `${INITIALIZE}\nnull\n`, "Client: sent a message that is not JSON-RPC."],
  ["a long line first", [], " ".repeat(10_485_761), LONG],
  ["a long line later", [], `${INITIALIZE}\n${" ".repeat(10_485_761)}`, LONG],
  ["a missing cassette", ["--cassette", "nothing"], "", 'Cassette "nothing" does not exist, so each call fails.'], // prettier-ignore
])("%s is reported once", async (_what, args, input, message) => {
  const project = await makeLocked();
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  stdout.resume();
  const streams = { stdin, stdout, stderr };
  const ended = run(["mock", "example", ...args], { ...streams, cwd: project.dir, env: process.env });
  const [first = "", ...others] = input.split(/(?<=\n)/);
  stdin.write(first);
  // The server answers before the next message comes.
  if (others.length > 0) await once(stdout, "data");
  stdin.end(others.join(""));
  expect(await ended).toBe(0);
  const lines = String(stderr.read()).split("\n");
  expect(lines.filter((line) => line === message)).toEqual([message]);
});

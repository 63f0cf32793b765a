import { execFile } from "node:child_process";
import { mkdir, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it, onTestFinished } from "vitest";
import { CLIENTS, type Place, type TestClient } from "../serve/clients.js";
import { BIN, startServe, startServeProgram, TOKEN, type StartedServe } from "../serve/start-serve.js";
import { programOf } from "../servers/start-everything.js";
import { fixtureCommand } from "../servers/start-fixture.js";
import { LOCKFILE_NAME, makeProject, makePulled, type Project } from "./make-project.js";

const FIVE = ["introspect", "search_tools", "describe_tools", "execute", "context"];
const INSPECTOR = fileURLToPath(import.meta.resolve("@modelcontextprotocol/inspector-cli/build/cli.js"));
const WRITES = { MCP_CODEGEN_ENABLE_WRITES: "1" };

/** The locks of the MCP project's servers, which start slowly, once they were pulled. */
const pulled = new Map<string, string>();

/** A locked project with the MCP project's server "filesystem", and maybe with "everything". */
async function makeReal(isWhole: boolean): Promise<Project> {
  const project = await makeProject();
  const folder = join(project.dir, "files");
  await mkdir(folder);
  await writeFile(join(folder, "note.txt"), "Remember the milk.\n");
  const node = process.execPath;
  const servers = {
    files: { command: node, args: [programOf("filesystem"), folder] },
    ...(isWhole && { everything: { command: node, args: [programOf("everything")] } }),
  };
  await project.configure({ output: false, servers });
  const key = String(isWhole);
  const lock = pulled.get(key);
  if (lock === undefined) {
    await project.prints("pull", 0);
    pulled.set(key, await project.read(LOCKFILE_NAME));
  } else await project.write(LOCKFILE_NAME, lock);
  return project;
}

/** A locked project with fixture servers. No program here imports generated code. */
function makeWith(servers: object): Promise<Project> {
  return makePulled({ output: false, servers });
}

function overStdio({ dir }: Project, env: Record<string, string> = {}): Extract<Place, { command: string }> {
  // Started in any folder, as by an MCP client.
  const args = [BIN, "serve", "--config", join(dir, "mcp-codegen.config.json")];
  const path = { PATH: process.env["PATH"] ?? "" };
  return { command: process.execPath, args, cwd: dirname(dir), env: { ...path, ...env } };
}

async function overHttp(
  { dir }: Project,
  env: Record<string, string> = {},
): Promise<Extract<Place, { url: string }> & { readonly serve: StartedServe }> {
  const serve = await startServe(dir, [], env);
  onTestFinished(async () => {
    await serve.stop();
  });
  return { serve, url: serve.url, headers: { authorization: `Bearer ${TOKEN}` } };
}

async function connect(place: Place, name = "version 2"): Promise<TestClient> {
  const client = await CLIENTS[name]?.(place);
  if (client === undefined) throw new Error(`There is no client "${name}".`);
  onTestFinished(() => client.close());
  return client;
}

interface Answered {
  readonly isError: boolean;
  readonly structuredContent: {
    readonly result?: unknown;
    readonly tools?: readonly { readonly name: string; readonly inputSchema?: object }[];
  };
}

async function call(client: TestClient, name: string, args: object): Promise<Answered> {
  const { isError, structuredContent } = await client.call(name, { ...args });
  return {
    isError: isError === true,
    structuredContent: Object(structuredContent) as Answered["structuredContent"],
  };
}

describe("the MCP project's servers behind serve", () => {
  // One after the other, since the servers start slowly.
  it("are found, described and called over HTTP by each of the SDK's clients, and by the inspector", async () => {
    const project = await makeReal(true);
    const place = await overHttp(project, WRITES);
    for (const name of Object.keys(CLIENTS)) await useClient(project, place, name, "files__read_text_file");
    const target = [place.url, "--transport", "http", "--header", `Authorization: Bearer ${TOKEN}`];
    const { tools } = (await inspect(target, "tools/list")) as { tools: { name: string }[] };
    expect(tools.map(({ name }) => name)).toEqual(FIVE);
    const echo = ["--tool-arg", "tool=everything__echo", "--tool-arg", 'args={"message":"hello"}'];
    expect(await inspect(target, "tools/call", "--tool-name", "execute", ...echo)).toMatchObject({
      structuredContent: { success: true, result: "Echo: hello" },
    });
  });

  // Each of the SDK's clients speaks to a program over stdio in `mock.test.ts`.
  it("are found, described and called over stdio, also with a megabyte, and answer with pages of one and of twenty", async () => {
    const project = await makeReal(false);
    const client = await useClient(project, overStdio(project, WRITES), "version 2", "read_text_file");
    const path = join(project.dir, "files/large.txt");
    const content = "x".repeat(1_000_000);
    const written = await call(client, "execute", { tool: "write_file", args: { path, content } });
    expect(written).toMatchObject({ isError: false });
    expect((await stat(path)).size).toBe(1_000_000);
    const read = (): Promise<Answered> => call(client, "execute", { tool: "read_text_file", args: { path } });
    const { structuredContent: first } = await read();
    expect(first).toMatchObject({ page: 1, of: "content", total: 1_000_000 });
    expect(first.result).toEqual({ content: expect.stringMatching(/^x{1000,}$/) as unknown });
    await writeFile(path, "y".repeat(20_000_000));
    const large = await read();
    expect(large.structuredContent).toMatchObject({ page: 1, of: "content", total: 20_000_000 });
    // The clients close the connection at a message of ten mebibytes.
    expect(await client.listTools()).toEqual(FIVE);
  });

  async function useClient({ dir }: Project, place: Place, name: string, tool: string): Promise<TestClient> {
    const client = await connect(place, name);
    expect(await client.listTools()).toEqual(FIVE);
    const found = await call(client, "search_tools", { query: "read a text file" });
    expect(found.structuredContent.tools?.[0]?.name).toBe(tool);
    const described = await call(client, "describe_tools", { tools: [tool] });
    expect(described.structuredContent.tools?.[0]?.inputSchema).toMatchObject({ required: ["path"] });
    const args = { path: join(dir, "files/note.txt") };
    expect((await call(client, "execute", { tool, args })).structuredContent).toMatchObject({
      success: true,
      result: { content: "Remember the milk.\n" },
    });
    return client;
  }

  async function inspect(target: readonly string[], ...args: readonly string[]): Promise<unknown> {
    const words = [INSPECTOR, "--cli", ...target, "--method", ...args];
    // The inspector finds its package.json only from here.
    const { stdout } = await promisify(execFile)(process.execPath, words, { cwd: dirname(INSPECTOR) });
    return JSON.parse(stdout);
  }
});

it("serve --direct serves the locked tools under the policy", async () => {
  const project = await makeWith({ shop: fixtureCommand("drifted") });
  const directly = async (...more: readonly string[]): Promise<TestClient> => {
    const place = overStdio(project);
    return connect({ ...place, args: [...place.args, "--direct", ...more] });
  };
  const client = await directly("--prefix", "wp_");
  expect(await client.listTools()).toEqual(["wp_cancel-order", "wp_find-orders"]);
  const found = await client.call("wp_find-orders", { state: "open" });
  expect(found["isError"] ?? false).toBe(false);
  const refused = await client.call("wp_cancel-order", { id: 1 });
  expect(JSON.stringify(refused)).toContain("MCP_CODEGEN_ENABLE_WRITES=shop");
  const editor = await directly("--role", "content-editor");
  expect(await editor.listTools()).toEqual(["find-orders"]);
  // The whole name is understood as well.
  expect((await editor.call("shop__find-orders", { state: "open" }))["isError"] ?? false).toBe(false);
});

describe("the first line of serve", () => {
  it.each([
    [
      {},
      {},
      /^Serving 2 tools; writes are off, which 1 of them need \(tools that say nothing count as writing: for those that only read, set servers\.shop\.tools\.annotations\)\. At /,
    ],
    [{ focusMode: "read-only" }, {}, /^Serving 1 of 2 tools \(1 hidden by focus mode "read-only"\); writes are off\. At /], // prettier-ignore
    [{ focusMode: "content-editing" }, WRITES, /^Serving 0 of 2 tools \(2 hidden by focus mode "content-editing"\); writes are on\. At /], // prettier-ignore
  ])("with policy %j and variables %j counts the tools, with reasons", async (policy, env, line) => {
    const servers = { shop: fixtureCommand("drifted") };
    const project = await makeWith(servers);
    await project.configure({ output: false, servers, policy });
    const { serve } = await overHttp(project, env);
    expect(serve.lines[0]).toMatch(line);
  });
});

describe("serve under strain", () => {
  it("survives a server that dies during a call, refuses drifted tools, and summarizes them at the end", async () => {
    const project = await makeWith({
      mortal: fixtureCommand("dies-midway", "--at", "call"),
      other: fixtureCommand("counting"),
      shop: { ...fixtureCommand("drifted"), env: { DRIFT: "${DRIFT:-none}" } },
    });
    const env = { ...WRITES, DRIFT: "input-required-property-added" };
    const serve = await startServeProgram(project.dir, [], env);
    const client = await connect({ url: serve.url, headers: { authorization: `Bearer ${TOKEN}` } });
    const dead = await call(client, "execute", { tool: "mortal__first", args: { id: 1 } });
    expect(dead).toMatchObject({ isError: true, structuredContent: { error: "TOOL_UNAVAILABLE" } });
    const alive = await call(client, "execute", { tool: "other__read", args: { id: 1 } });
    expect(alive.structuredContent.result).toBe("read 1");
    const refused = await call(client, "execute", { tool: "find-orders", args: { state: "open" } });
    expect(refused).toMatchObject({ isError: true, structuredContent: { error: "CONTRACT_DRIFT" } });
    expect(JSON.stringify(refused.structuredContent)).toContain("npx mcp-codegen check shop");
    expect(await serve.stop()).toBe(143);
    expect(serve.lines.at(-1)).toBe("1 call was refused because of drift: shop find-orders.");
    expect(serve.lines.join("\n")).not.toContain(TOKEN);
  });

  it("does not start over HTTP without a token", async () => {
    const project = await makeWith({ shop: fixtureCommand("paged") });
    await project.refuses("serve --http 0", "MCP_CODEGEN_SERVE_TOKEN");
    const weak = project.withEnv({ MCP_CODEGEN_SERVE_TOKEN: "hunter2" });
    expect((await weak.refuses("serve --http 0")).stderr).not.toContain("hunter2");
    for (const argv of [["--http", "99999"], ["--host", "0.0.0.0"], ["no_server"], ["--env", "nowhere"]])
      await project.refuses(["serve", ...argv]);
  });
});

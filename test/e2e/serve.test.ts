import { execFile } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it, onTestFinished } from "vitest";
import { CLIENTS, type Place, type TestClient } from "../serve/clients.js";
import { BIN, startServe, TOKEN, type StartedServe } from "../serve/start-serve.js";
import { programOf } from "../servers/start-everything.js";
import { fixtureCommand } from "../servers/start-fixture.js";
import { makeProject, type Project } from "./make-project.js";

const FIVE = ["introspect", "search_tools", "describe_tools", "execute", "context"];
const INSPECTOR = fileURLToPath(import.meta.resolve("@modelcontextprotocol/inspector-cli/build/cli.js"));
const WRITES = { MCP_CODEGEN_ENABLE_WRITES: "1" };

/** A project over the makers' servers "everything" and "filesystem", locked. */
async function makeReal(): Promise<Project> {
  const project = await makeProject();
  const folder = join(project.dir, "files");
  await mkdir(folder);
  await writeFile(join(folder, "note.txt"), "Remember the milk.\n");
  const node = process.execPath;
  const servers = {
    everything: { command: node, args: [programOf("everything")] },
    files: { command: node, args: [programOf("filesystem"), folder] },
  };
  await project.write("mcp-codegen.config.json", JSON.stringify({ servers }));
  const { exitCode, stderr } = await project.run(["pull"]);
  if (exitCode !== 0) throw new Error(stderr);
  return project;
}

/** A project over fixtures, locked. */
async function makeWith(servers: object): Promise<Project> {
  const project = await makeProject({ servers });
  const { exitCode, stderr } = await project.run(["pull"]);
  if (exitCode !== 0) throw new Error(stderr);
  return project;
}

function overStdio({ dir }: Project, env: Record<string, string> = {}): Place {
  // As a host starts it: from anywhere.
  const args = [BIN, "serve", "--config", join(dir, "mcp-codegen.config.json")];
  return { command: process.execPath, args, cwd: dirname(dir), env: { ...inherited(), ...env } };
}

function inherited(): Record<string, string> {
  return { PATH: process.env["PATH"] ?? "" };
}

async function overHttp(
  { dir }: Project,
  env: Record<string, string> = {},
): Promise<Place & { readonly serve: StartedServe }> {
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

async function call(client: TestClient, name: string, args: object): Promise<Answered> {
  const { isError, structuredContent } = await client.call(name, { ...args });
  return { isError: isError === true, structuredContent: Object(structuredContent) as Told };
}

interface Answered {
  readonly isError: boolean;
  readonly structuredContent: Told;
}

interface Told {
  readonly error?: string;
  readonly message?: string;
  readonly result?: unknown;
  readonly tools?: readonly { readonly name: string; readonly inputSchema?: object }[];
}

describe.each(["stdio", "HTTP"])("the makers' servers behind serve over %s", (transport) => {
  const placeOf = (project: Project): Promise<Place> =>
    transport === "stdio" ? Promise.resolve(overStdio(project, WRITES)) : overHttp(project, WRITES);

  it.each(Object.keys(CLIENTS))("are found, described and called by the SDK's client of %s", async (name) => {
    const project = await makeReal();
    const client = await connect(await placeOf(project), name);
    expect(await client.listTools()).toEqual(FIVE);

    const found = await call(client, "search_tools", { query: "read a text file" });
    expect(found.structuredContent.tools?.[0]?.name).toBe("files__read_text_file");
    const described = await call(client, "describe_tools", { tools: ["files__read_text_file"] });
    expect(described.structuredContent.tools?.[0]?.inputSchema).toMatchObject({ required: ["path"] });
    const read = await call(client, "execute", {
      tool: "files__read_text_file",
      args: { path: join(project.dir, "files/note.txt") },
    });
    expect(read.structuredContent).toMatchObject({
      success: true,
      result: { content: "Remember the milk.\n" },
    });

    const echo = await call(client, "search_tools", { query: "echo a message back" });
    const tool = echo.structuredContent.tools?.[0]?.name ?? "";
    expect(tool).toBe("everything__echo");
    const echoed = await call(client, "execute", { tool, args: { message: "hello" } });
    expect(echoed.structuredContent).toMatchObject({ success: true, result: "Echo: hello" });
  });

  it("are found and called by the inspector", { timeout: 90_000 }, async () => {
    const project = await makeReal();
    const place = await placeOf(project);
    const config = join(project.dir, "inspector.json");
    const mcpServers = { tools: "url" in place ? { type: "http", url: place.url } : { ...place } };
    await writeFile(config, JSON.stringify({ mcpServers }));
    const target =
      "url" in place
        ? [place.url, "--transport", "http", "--header", `Authorization: Bearer ${TOKEN}`]
        : ["--config", config, "--server", "tools"];
    const inspect = async (...args: readonly string[]): Promise<Record<string, unknown>> => {
      const { stdout } = await promisify(execFile)(
        process.execPath,
        [INSPECTOR, "--cli", ...target, ...args],
        // It finds its own package.json from here alone.
        { cwd: dirname(INSPECTOR) },
      );
      return JSON.parse(stdout) as Record<string, unknown>;
    };
    const { tools } = (await inspect("--method", "tools/list")) as { tools: { name: string }[] };
    expect(tools.map(({ name }) => name)).toEqual(FIVE);
    const use = (name: string, ...args: readonly string[]): Promise<Record<string, unknown>> =>
      inspect("--method", "tools/call", "--tool-name", name, ...args.flatMap((arg) => ["--tool-arg", arg]));
    expect(JSON.stringify(await use("search_tools", "query=echo a message"))).toContain("everything__echo");
    expect(JSON.stringify(await use("describe_tools", 'tools=["everything__echo"]'))).toContain('"message"');
    const result = await use("execute", "tool=everything__echo", 'args={"message":"hello"}');
    expect(result["structuredContent"]).toMatchObject({ success: true, result: "Echo: hello" });
  });
});

describe.each(["stdio", "HTTP"])("serve over %s", (transport) => {
  const placeOf = (project: Project, env: Record<string, string> = {}): Promise<Place> =>
    transport === "stdio" ? Promise.resolve(overStdio(project, env)) : overHttp(project, env);

  it("answers 200 calls at once, each with its own answer", async () => {
    const project = await makeWith({ shop: fixtureCommand("counting") });
    const client = await connect(await placeOf(project, WRITES));
    const ids = Array.from({ length: 200 }, (_, id) => id);
    const answers = await Promise.all(
      ids.map((id) => call(client, "execute", { tool: "read", args: { id } })),
    );
    expect(answers.map(({ structuredContent }) => structuredContent.result)).toEqual(
      ids.map((id) => `read ${id}`),
    );
  });

  it("says what is wrong with a call", async () => {
    const project = await makeWith({ shop: fixtureCommand("drifted") });
    const client = await connect(await placeOf(project));
    const ask = async (args: object): Promise<string | undefined> => {
      const { isError, structuredContent } = await call(client, "execute", args);
      return isError ? structuredContent.error : "none";
    };
    expect(await ask({ tool: "find-order", args: {} })).toBe("TOOL_NOT_FOUND");
    expect(await ask({ tool: "find-orders", args: { state: 1 } })).toBe("VALIDATION_ERROR");
    expect(await ask({ tool: "find-orders", args: { state: "x".repeat(1_000_000) } })).toBe(
      "VALIDATION_ERROR",
    );
    expect(await ask({ tool: "cancel-order", args: { id: 1 } })).toBe("WRITES_DISABLED");
    expect(await ask({ tool: "find-orders", args: { state: "open" } })).toBe("none");
    expect(await ask({})).toBe("VALIDATION_ERROR");
    const unknown = await client.call("find-orders", { state: "open" });
    expect(unknown["isError"]).toBe(true);
  });
});

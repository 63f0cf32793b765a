import { describe, expect, onTestFinished, test } from "vitest";
import * as z from "zod";
import { createRegistry } from "../../src/agent/registry/tool-registry.js";
import { parseLockfile } from "../../src/core/lockfile-text.js";
import { connectTools, defineTool } from "../../src/runtime/index.js";
import { defineServer, type ServerDefinition } from "../../src/runtime/tool.js";
import { openSession } from "../../src/client/open-session.js";
import { startServe, TOKEN } from "../serve/start-serve.js";
import { fixtureCommand, startFixture } from "../servers/start-fixture.js";
import { endpointOf } from "../client/endpoint.js";
import { LOCKFILE_NAME, makeProject } from "./make-project.js";

const MODERN = "2026-07-28";
const INPUT = { region: "Zürich", page: { limit: 5 }, sql: "SELECT 1" };
const MIRRORED = { region: "Zürich", limit: "5" };

type Settings = Pick<ServerDefinition, "url" | "command" | "args" | "protocol">;

const WAYS: readonly (readonly [string, "http" | "sse" | "stdio", string, boolean])[] = [
  ["over HTTP in revision 2026-07-28", "http", MODERN, true],
  ["over HTTP in an older revision", "http", "2025-11-25", false],
  ["over SSE", "sse", "2025-11-25", false],
  ["over stdio in revision 2026-07-28", "stdio", MODERN, false],
];

/** Starts the fixture, and returns how to connect to it. */
async function start(
  transport: "http" | "sse" | "stdio",
  protocol: string,
  ...args: readonly string[]
): Promise<Settings> {
  const all = [...args, ...(transport === "sse" ? [] : ["--era", "both"])];
  if (transport === "stdio") return { ...fixtureCommand("parameter-headers", ...all), protocol };
  const fixture = await startFixture("parameter-headers", { transport, args: all });
  onTestFinished(() => fixture.close());
  return { url: fixture.url, protocol };
}

const region = { type: "string", "x-mcp-header": "Region" };
const page = { type: "object", properties: { limit: { type: "integer", "x-mcp-header": "Limit" } } };

/** The tool "query" as a generated module defines it. */
function queryOf(settings: Settings, inputSchema: object = { type: "object", properties: { region, page } }) {
  const server = defineServer({ name: "db", contract: "1.0.0", ...settings });
  const query = defineTool({
    server,
    name: "query",
    input: z.looseObject({}),
    inputSchema: () => inputSchema,
  });
  const tools = connectTools(server, { query });
  onTestFinished(() => tools.close());
  return tools.query;
}

describe.each(WAYS)("%s", (_, transport, protocol, hasHeaders) => {
  test("a generated tool sends marked arguments in headers, if the revision has them", async () => {
    const { text } = await queryOf(await start(transport, protocol))(INPUT);
    expect(JSON.parse(text)).toEqual(hasHeaders ? MIRRORED : {});
  });

  test("a registry offers a tool with invalid headers only where it can be called", async () => {
    const registry = createRegistry({
      servers: [defineServer({ name: "db", ...(await start(transport, protocol)) })],
    });
    const names = (await registry.getTools()).map(({ name }) => name);
    expect(names).toEqual(hasHeaders ? ["db__query"] : ["db__invalid", "db__query"]);
    const result = await registry.call("db__query", INPUT);
    const { text } = z.object({ text: z.string() }).parse(result.ok && result.value);
    expect(JSON.parse(text)).toEqual(hasHeaders ? MIRRORED : {});
  });

  test("pull locks it as unusable, and call sends the headers of the lock", async () => {
    const settings = await start(transport, protocol);
    const project = await makeProject({ servers: { db: settings } });
    const pulled = await project.run(["pull"]);
    expect(pulled.exitCode).toBe(0);
    const { tools = {} } = parseLockfile(await project.read(LOCKFILE_NAME)).servers["db"] ?? {};
    const reason = `The HTTP header "Ids" of a parameter is on a parameter with the type "array"; a string, integer or boolean is required.`;
    expect(tools["invalid"]?.unusable).toBe(hasHeaders ? reason : undefined);
    if (hasHeaders) expect(pulled.stderr + pulled.stdout).toContain(reason);
    const called = await project.run(["call", "db__query", "--input", JSON.stringify(INPUT), "--yes"], {
      MCP_CODEGEN_ENABLE_WRITES: "1",
    });
    expect(called).toMatchObject({ exitCode: 0 });
    expect(JSON.parse(called.stdout)).toEqual(hasHeaders ? MIRRORED : {});
  });
});

test("serve sends the headers of the upstream tool, and does not ask its own clients for them", async () => {
  const project = await makeProject({ servers: { db: await start("http", MODERN) } });
  await project.run(["pull"]);
  const serve = await startServe(project.dir, ["--direct"], { MCP_CODEGEN_ENABLE_WRITES: "1" });
  onTestFinished(async () => {
    await serve.stop();
  });
  const settings = { url: serve.url, auth: { bearer: "${TOKEN}" }, protocol: MODERN };
  const session = await openSession(endpointOf(settings, { TOKEN }));
  onTestFinished(() => session.close());
  const listed = await session.request("tools/list", {});
  expect(JSON.stringify(listed)).toContain(`"name":"db__query"`);
  expect(JSON.stringify(listed)).not.toContain("x-mcp-header");
  expect(JSON.stringify(listed)).not.toContain("invalid");
  const result = await session.request("tools/call", { name: "query", arguments: INPUT });
  const { content } = z.object({ content: z.tuple([z.object({ text: z.string() })]) }).parse(result);
  expect(JSON.parse(content[0].text)).toEqual(MIRRORED);
});

test("a call with the header of an older contract is drift", async () => {
  const settings = await start("http", MODERN, "--expects", "Tenant");
  const result = await queryOf(settings).safe(INPUT);
  expect(result).toMatchObject({
    ok: false,
    error: {
      code: "CONTRACT_DRIFT",
      retryable: false,
      message: `The server refused the HTTP headers of tool "query": Header mismatch. It may expect other parameters there than contract 1.0.0 of "db". Run "npx mcp-codegen check db".`,
    },
  });
});

test("a tool that was locked with invalid headers is not called over HTTP", async () => {
  const query = queryOf(await start("http", MODERN), {
    type: "object",
    properties: { region: { type: "number", "x-mcp-header": "Region" } },
  });
  expect(await query.safe(INPUT)).toMatchObject({
    ok: false,
    error: {
      code: "TOOL_UNAVAILABLE",
      retryable: false,
      message: expect.stringContaining('The HTTP header "Region" of a parameter') as string,
    },
  });
});

import * as z from "zod";
import { PassThrough } from "node:stream";
import type { Client } from "@modelcontextprotocol/client";
import { describe, expect, test } from "vitest";
import { defineStaticTool, createRegistry, createToolset, type Registry } from "../../src/agent/index.js";
import { defineServer } from "../../src/runtime/tool.js";
import { serveStdio } from "../../src/serve/index.js";
import type { DirectOptions, Servable } from "../../src/serve/offer.js";
import { fixtureCommand } from "../servers/start-fixture.js";
import { CLIENTS, connectTo, openClient, serveTools, type TestClient } from "./clients.js";
import type { Policy } from "../../src/core/policy.js";
import type { JsonObject } from "../../src/core/json.js";
import { findOlderDialect } from "../../src/serve/offer-directly.js";

const READS = { readOnlyHint: true };
const note = defineStaticTool({
  name: "note",
  title: "Note",
  description: "Takes a note.",
  annotations: READS,
  input: z.object({ text: z.string() }),
  output: z.object({ noted: z.string() }),
  execute: ({ text }) => ({ noted: text }),
});
const wipe = defineStaticTool({ name: "wipe", input: z.object({}), execute: () => "gone" });
const content = defineServer({ name: "rich", ...fixtureCommand("rich-content") });

function makeRegistry(): Registry {
  return createRegistry({ servers: [content], static: [note, wipe] });
}

const connect = async (
  name: string,
  options: DirectOptions,
  registry = makeRegistry(),
): Promise<TestClient> => connectTo(name, (await serveTools(registry, options)).url);

function textOf(answer: Record<string, unknown>): unknown {
  const [first] = answer["content"] as readonly { readonly text?: string }[];
  return JSON.parse(first?.text ?? "");
}

describe.each(Object.keys(CLIENTS))("a registry, served to the client of %s", (version) => {
  test("lists the tools themselves, and calls them", async () => {
    const policy = { writes: true };
    const client = await connect(version, { policy });
    const names = await client.listTools();
    expect(names.slice(0, 2)).toEqual(["note", "wipe"]);
    expect(names.length).toBeGreaterThan(3);
    const answer = await client.call("note", { text: "rye" });
    expect(answer).toMatchObject({
      structuredContent: { noted: "rye" },
      content: [{ type: "text", text: '{"noted":"rye"}' }],
    });
    expect(await client.call("wipe", {})).toMatchObject({ content: [{ type: "text", text: "gone" }] });
    const wrong = await client.call("note", { text: 1 });
    expect([wrong["isError"], wrong["structuredContent"]]).toEqual([true, undefined]);
    expect(textOf(wrong)).toMatchObject({
      error: "VALIDATION_ERROR",
      issues: [{ path: "text" }],
      suggestion: expect.stringContaining("call note again") as string,
    });
  });

  test("is under a policy, by which tools that write are refused by default", async () => {
    const client = await connect(version, {});
    expect(textOf(await client.call("wipe", {}))).toMatchObject({ error: "WRITES_DISABLED" });
    const reading = await connect(version, { policy: { focusMode: "read-only" }, prefix: "my_" });
    expect(await reading.listTools()).toEqual(["my_note"]);
    expect(await reading.call("my_note", { text: "x" })).toMatchObject({ structuredContent: { noted: "x" } });
    expect(textOf(await reading.call("my_wipe", {}))).toMatchObject({ error: "TOOL_NOT_ALLOWED" });
    expect(textOf(await reading.call("note", {}))).toMatchObject({ error: "TOOL_NOT_FOUND" });
  });
});

test("the blocks of an answer are those that the tool's server sent", async () => {
  const registry = makeRegistry();
  const client = await connect("version 2", { policy: { writes: true } }, registry);
  const found = (await registry.getTools({ server: "rich" })).map(({ name }) => name);
  const answers = await Promise.all(found.map((name) => client.call(name, {})));
  const types = answers.flatMap(({ content: blocks }) =>
    (blocks as readonly { readonly type: string }[]).map(({ type }) => type),
  );
  expect(new Set(types)).toContain("image");
});

test("clients are notified when the registry's list changes", async () => {
  const registry = makeRegistry();
  const { url } = await serveTools(registry);
  const client = await openClient(url);
  const changed = new Promise<void>((resolve) => {
    client.setNotificationHandler("notifications/tools/list_changed", () => {
      resolve();
    });
  });
  await client.listTools();
  registry.registerStaticTool(
    defineStaticTool({ name: "later", input: z.object({}), annotations: READS, execute: () => "now" }),
  );
  await changed;
  expect((await client.listTools()).tools.map(({ name }) => name)).toContain("later");
});

test("a registry is served over two streams, and a prefix that providers refuse is an error", async () => {
  const [stdin, stdout] = [new PassThrough(), new PassThrough()];
  await expect(serveStdio(makeRegistry(), { stdin, stdout, prefix: "no spaces" })).rejects.toMatchObject({
    code: "CONFIG_INVALID",
  });
  const serving = await serveStdio(makeRegistry(), { stdin, stdout });
  const answered = new Promise<string>((resolve) => {
    stdout.once("data", (data: Buffer) => {
      resolve(data.toString());
    });
  });
  const clientInfo = { name: "test", version: "1.0.0" };
  const params = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo };
  stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params })}\n`);
  expect(JSON.parse(await answered)).toMatchObject({
    result: { capabilities: { tools: { listChanged: true } } },
  });
  stdin.end();
  await serving.closed;
});

describe.each(["legacy", "auto"] as const)("a role that a client names (%s)", (mode) => {
  const policy: Policy = {
    writes: true,
    roles: { reader: { allow: [{ effects: ["reads"] }] }, nothing: { deny: [{ names: ["*"] }] } },
  };

  async function connectTo(source: Servable, search = ""): Promise<Client> {
    return openClient(`${(await serveTools(source, { policy })).url}${search}`, mode);
  }

  const reader = { _meta: { "mcp-codegen/role": "reader" } };
  const namesOf = ({ tools }: Awaited<ReturnType<Client["listTools"]>>) => tools.map(({ name }) => name);

  test("in its requests narrows those, of the tools themselves", async () => {
    const client = await connectTo(createRegistry({ static: [note, wipe] }));
    expect(namesOf(await client.listTools())).toEqual(["note", "wipe"]);
    expect(namesOf(await client.listTools(reader))).toEqual(["note"]);
    expect(textOf(await client.callTool({ name: "wipe", arguments: {}, ...reader }))).toMatchObject({
      error: "TOOL_NOT_ALLOWED",
    });
    expect(await client.callTool({ name: "wipe", arguments: {} })).toMatchObject({
      content: [{ text: "gone" }],
    });
  });

  test("in its requests narrows those, of five tools", async () => {
    const client = await connectTo(createToolset(createRegistry({ static: [note, wipe] }), { policy }));
    const call = { name: "introspect", arguments: {} };
    expect(await client.callTool(call)).toMatchObject({ structuredContent: { total: 2 } });
    expect(await client.callTool({ ...call, ...reader })).toMatchObject({ structuredContent: { total: 1 } });
    const both = { _meta: { "mcp-codegen/role": ["reader", "nothing"] } };
    expect(await client.callTool({ ...call, ...both })).toMatchObject({ structuredContent: { total: 0 } });
  });

  test("in its URL narrows all of its requests", async () => {
    const client = await connectTo(createRegistry({ static: [note, wipe] }), "?role=reader");
    expect(namesOf(await client.listTools())).toEqual(["note"]);
    expect(textOf(await client.callTool({ name: "wipe", arguments: {} }))).toMatchObject({
      error: "TOOL_NOT_ALLOWED",
    });
  });

  test("has to be there", async () => {
    const client = await connectTo(createRegistry({ static: [note, wipe] }), "?role=admin");
    await expect(client.listTools()).rejects.toThrow('There is no role "admin"');
    await expect(client.callTool({ name: "note", arguments: { text: "x" } })).rejects.toThrow(
      'There is no role "admin"',
    );
  });
});

const DRAFT_04 = "http://json-schema.org/draft-04/schema#";
const DRAFT_07 = "http://json-schema.org/draft-07/schema#";
const NOW = "https://json-schema.org/draft/2020-12/schema";

test.each<[string, string, JsonObject, boolean]>([
  ["a tuple", DRAFT_07, { properties: { a: { items: [{ type: "string" }] } } }, true],
  ["keywords beside $ref", DRAFT_07, { properties: { a: { $ref: "#/definitions/a", minLength: 1 } } }, true],
  ["a description beside $ref", DRAFT_07, { properties: { a: { $ref: "#/definitions/a", description: "A." } } }, false], // prettier-ignore
  ["dependencies", DRAFT_07, { dependencies: { a: ["b"] } }, true],
  ["a keyword that draft-07 ignores", DRAFT_07, { dependentRequired: { a: ["b"] } }, true],
  ["a keyword that draft-04 ignores", DRAFT_04, { properties: { a: { const: 1 } } }, true],
  ["the same keyword in draft-07", DRAFT_07, { properties: { a: { const: 1 } } }, false],
  ["a boolean bound", DRAFT_04, { properties: { a: { minimum: 1, exclusiveMinimum: true } } }, true],
  ["a property of such a name", DRAFT_04, { properties: { id: { type: "string" }, if: {} } }, false],
  ["the default dialect", NOW, { items: [{}], dependencies: {} }, false],
  ["an unknown dialect", "https://example.com/schema", { dependencies: {} }, false],
])("%s", (_title, $schema, schema, isKept) => {
  expect(findOlderDialect({ $schema, ...schema })).toBe(isKept ? $schema : undefined);
});

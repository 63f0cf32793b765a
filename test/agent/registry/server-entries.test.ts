import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { describe, expect, onTestFinished, test } from "vitest";
import { createRegistry } from "../../../src/agent/registry/create-registry.js";
import { type ToolEntry } from "../../../src/agent/registry/registry.js";
import { fixtureCommand } from "../../servers/start-fixture.js";

const entry = (name: unknown, more: object = {}): ToolEntry =>
  JSON.parse(JSON.stringify({ name, inputSchema: { type: "object" }, ...more })) as ToolEntry;

describe("entries of tools/list", () => {
  test("are registered with the client that listed them, and called with their input validated", async () => {
    const client = new Client({ name: "own", version: "1.0.0" });
    await client.connect(new StdioClientTransport(fixtureCommand("paged")));
    onTestFinished(() => client.close());
    const registry = createRegistry();
    registry.registerServerTools("paged", (await client.listTools()).tools, { client });
    const [tool] = await registry.getTools();
    expect(tool).toMatchObject({ name: "paged__page-1-tool-1", server: "paged", isLocked: false });
    const listedAt = expect.any(String) as string;
    expect(registry.servers).toMatchObject([{ name: "paged", toolCount: 2, listedAt }]);
    for (const [id, result] of [
      [1, { ok: true, value: { text: "called page-1-tool-1" } }],
      ["x", { error: { code: "TOOL_INVALID_INPUT" } }],
    ] as const)
      expect(await registry.call("paged__page-1-tool-1", { id })).toMatchObject(result);
  });

  test("need something that calls them", () => {
    expect(() => {
      createRegistry().registerServerTools("shop", [entry("sell")]);
    }).toThrow('The registry cannot call the listed tools of server "shop".');
  });

  test("that cannot be used are refused one by one, with the reason", async () => {
    const registry = createRegistry();
    const client = { callTool: () => Promise.resolve({ content: [] }) };
    const odd = [entry("sell"), entry("sell"), entry("a b"), entry(7), entry("bad", { inputSchema: "none" })];
    odd.push(entry("list", { inputSchema: { type: "array" } }));
    registry.registerServerTools("shop", [...odd, JSON.parse("null") as never], { client });
    expect(registry.tools.map(({ name }) => name)).toEqual(["shop__bad", "shop__sell"]);
    expect(registry.servers[0]?.refused?.map(({ reason }) => reason)).toEqual([
      "The list has another tool with this name.",
      "Its name is malformed.",
      "Its name is malformed.",
      'the input has the type "array", and arguments are an object',
      "It is not an object.",
    ]);
    expect(await registry.call("shop__bad", {})).toMatchObject({ error: { code: "TOOL_INVALID_INPUT" } });
  });

  test("have their outputs judged", async () => {
    const registry = createRegistry();
    const properties = { id: { type: "number" } };
    const outputSchema = { type: "object", properties, required: ["id"], additionalProperties: false };
    const answers: unknown[] = [{ id: 1, color: "red" }, { id: "1" }];
    const client = { callTool: () => Promise.resolve({ content: [], structuredContent: answers.shift() }) };
    registry.registerServerTools("shop", [entry("get", { outputSchema })], { client });
    expect(await registry.call("shop__get", {})).toEqual({ ok: true, value: { id: 1, color: "red" } });
    expect(await registry.call("shop__get", {})).toMatchObject({ error: { code: "TOOL_INVALID_OUTPUT" } });
  });
});

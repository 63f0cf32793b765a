import { afterAll, beforeAll, describe, expect, test } from "vitest";
import * as z from "zod";
import { throughAbility } from "../../src/runtime/abilities.js";
import { connectTools, defineTool } from "../../src/codegen.js";
import { defineServer } from "../../src/runtime/tool.js";
import { startFixture } from "../servers/start-fixture.js";
import { openFixture } from "./open-fixture.js";

const Anything = z.looseObject({});
const Post = z.looseObject({ id: z.number(), title: z.string() });
const server = defineServer({ name: "wordpress", contract: "1.0.0", url: "http://127.0.0.1:1/" });
const define = { server, input: Anything, inputSchema: () => ({}) };

const ability = (name: string) =>
  defineTool({ ...define, name: `content-${name}`, through: () => throughAbility(`content/${name}`) });

const tools = {
  getPost: defineTool({
    ...define,
    name: "content-get-post",
    through: () => throughAbility("content/get-post"),
    output: Post,
  }),
  count: ability("count"),
  failsSoftly: ability("fails-softly"),
  hidden: ability("private"),
};

let fixture: Awaited<ReturnType<typeof startFixture>>;
beforeAll(async () => {
  fixture = await startFixture("wordpress");
});
afterAll(() => fixture.close());

const connected = (): typeof tools =>
  connectTools(server, tools, {
    url: fixture.url.replace("/mcp", "/wp-json/mcp/mcp-adapter-default-server"),
  });

test.each(["default", "custom"] as const)(
  "an ability that was removed is not found, through the %s server",
  async (kind) => {
    const site = await openFixture("wordpress", { args: ["--server", kind] });
    const url = site.url.replace("/mcp", "/wp-json/mcp/server");
    const gone = { ...define, name: "content-gone" };
    const tool = defineTool(
      kind === "custom" ? gone : { ...gone, through: () => throughAbility("content/gone") },
    );
    const result = await connectTools(server, { tool }, { url }).tool.safe({});
    expect(result).toMatchObject({ ok: false, error: { code: "TOOL_NOT_FOUND", tool: "content-gone" } });
  },
);

test("an ability that is no longer shown to MCP is not found", async () => {
  expect(await connected().hidden.safe({})).toMatchObject({ error: { code: "TOOL_NOT_FOUND" } });
});

describe("abilities behind the adapter's execute tool", () => {
  test("answer content where there is no output schema", async () => {
    const content = await connected().count({});
    expect([content.text, content.json(), content.structuredContent]).toEqual(["42", 42, 42]);
  });

  test.each([
    ["getPost", { id: 99 }, "No post 99"],
    ["failsSoftly", {}, "The database is away"],
  ] as const)("%s fails with the words of WordPress", async (name, input, words) => {
    const message = expect.stringContaining(words) as string;
    const error = { code: "TOOL_EXECUTION_FAILED", tool: tools[name].definition.name, message };
    expect(await connected()[name].safe(input)).toMatchObject({ ok: false, error });
  });
});

describe("throughAbility", () => {
  const through = throughAbility("a/b", ["input"]);

  test("asks without parameters for an ability that takes none", () => {
    expect(through.toRequest({})).toEqual({
      name: "mcp-adapter-execute-ability",
      arguments: { ability_name: "a/b", parameters: {} },
    });
  });

  test.each([
    ["text alone", { content: [{ type: "text", text: '{"success":true,"data":{"a":1}}' }] }],
    ["structured content", { structuredContent: { success: true, data: { a: 1 } } }],
  ])("reads %s", (_, result) => {
    expect(through.fromResult(result)).toMatchObject({ structuredContent: { a: 1 } });
  });

  test.each([
    [{}],
    [{ content: [], isError: true }],
    [{ content: [{ type: "text", text: "no JSON" }] }],
    [{ structuredContent: { other: true } }],
  ])("leaves %j as it is", (result) => {
    expect(through.fromResult(result)).toBe(result);
  });
});

describe("an adapter that passes empty parameters on as null", () => {
  const error = 'Ability "acme/products" has invalid input. Reason: input is not of type object.';
  const text = (value: string) => ({ content: [{ type: "text", text: value }] });

  test.each([
    ["structured", { ...text("{}"), structuredContent: { success: false, error } }],
    ["as text", text(JSON.stringify({ success: false, error }))],
    ["as an error of the tool", { ...text(error), isError: true }],
  ])("gets a hint, %s", (_, result) => {
    const { content } = throughAbility("acme/products").fromResult(result);
    const hint = expect.stringMatching(/^Ability "acme.*"defaults": "parse".*update the adapter/) as string;
    expect(content).toEqual([{ type: "text", text: hint }]);
  });

  test.each([
    "Sold out.",
    'Ability "acme/products" has invalid input. Reason: input[page] is not of type object.',
    'Ability "acme/products" has invalid input. Reason: input is not of type array.',
  ])("gets no hint for %j", (other) => {
    const result = text(JSON.stringify({ success: false, error: other }));
    const { content } = throughAbility("acme/products").fromResult(result);
    expect(content).toEqual([{ type: "text", text: other }]);
  });
});

import { describe, expect, test } from "vitest";
import * as z from "zod";
import type { JsonObject } from "../../src/core/json.js";
import { throughAbility } from "../../src/runtime/abilities.js";
import { connectTools, defineTool } from "../../src/codegen.js";
import { defineServer } from "../../src/runtime/tool.js";
import { openFixture } from "./open-fixture.js";

const server = defineServer({ name: "wordpress", contract: "1.0.0", url: "http://127.0.0.1:1/" });
const define = (name: string, more: object = {}) =>
  defineTool({ server, name, input: z.looseObject({}), inputSchema: () => ({}), ...more });
const ability = (name: string, more: object = {}) =>
  define(`content-${name}`, { through: () => throughAbility(`content/${name}`), ...more });

const tools = {
  getPost: ability("get-post", { output: z.looseObject({ id: z.number(), title: z.string() }) }),
  count: ability("count"),
  failsSoftly: ability("fails-softly"),
  hidden: ability("private"),
  gone: ability("gone"),
  unserved: define("content-gone"),
};

async function connect(kind: "default" | "custom" = "default"): Promise<typeof tools> {
  const { url } = await openFixture("wordpress", { args: ["--server", kind] });
  return connectTools(server, tools, { url: url.replace("/mcp", "/wp-json/mcp/mcp-adapter-default-server") });
}

test.each([
  ["that was removed", "gone", "default"],
  ["that was removed", "unserved", "custom"],
  ["that is no longer shown to MCP", "hidden", "default"],
] as const)("an ability %s is not found (%s through the %s server)", async (_what, name, kind) => {
  const error = { code: "TOOL_NOT_FOUND", tool: tools[name].definition.name };
  expect(await (await connect(kind))[name].safe({})).toMatchObject({ error });
});

describe("abilities behind the adapter's execute tool", () => {
  test("answer content where there is no output schema", async () => {
    const content = await (await connect()).count({});
    expect([content.text, content.json(), content.structuredContent]).toEqual(["42", 42, 42]);
  });

  test.each([
    ["getPost", { id: 99 }, "No post 99"],
    ["failsSoftly", {}, "The database is away"],
  ] as const)("%s fails with the words of WordPress", async (name, input, words) => {
    const message = expect.stringContaining(words) as string;
    const error = { code: "TOOL_EXECUTION_FAILED", tool: tools[name].definition.name, message };
    expect(await (await connect())[name].safe(input)).toMatchObject({ error });
  });
});

test("an ability that takes no parameters is asked without any", () => {
  expect(throughAbility("a/b", ["input"]).toRequest({})).toEqual({
    name: "mcp-adapter-execute-ability",
    arguments: { ability_name: "a/b", parameters: {} },
  });
});

const text = (value: string) => ({ content: [{ type: "text", text: value }] });

test.each<[what: string, result: JsonObject, read: object | undefined]>([
  ["text alone", text('{"success":true,"data":{"a":1}}'), { structuredContent: { a: 1 } }],
  ["structure", { structuredContent: { success: true, data: { a: 1 } } }, { structuredContent: { a: 1 } }],
  ["nothing, as it is", {}, undefined],
  ["an error, as it is", { content: [], isError: true }, undefined],
  ["a text, as it is", text("no JSON"), undefined],
  ["other structure, as it is", { structuredContent: { other: true } }, undefined],
])("reads %s", (_, result, read) => {
  const answer = throughAbility("a/b", ["input"]).fromResult(result);
  if (read === undefined) expect(answer).toBe(result);
  else expect(answer).toMatchObject(read);
});

describe("an adapter that passes empty parameters on as null", () => {
  const invalid = 'Ability "acme/products" has invalid input. Reason: input';
  const error = `${invalid} is not of type object.`;
  const failed = (words: string) => text(JSON.stringify({ success: false, error: words }));
  const read = (result: JsonObject) => throughAbility("acme/products").fromResult(result)["content"];

  test.each([
    ["structured", { ...text("{}"), structuredContent: { success: false, error } }],
    ["as text", failed(error)],
    ["as an error of the tool", { ...text(error), isError: true }],
  ])("gets a hint, %s", (_, result) => {
    const hint = expect.stringMatching(/^Ability "acme.*"defaults": "parse".*update the adapter/) as string;
    expect(read(result)).toEqual(text(hint).content);
  });

  test.each(["Sold out.", `${invalid}[page] is not of type object.`, `${invalid} is not of type array.`])(
    "gets no hint for %j",
    (other) => {
      expect(read(failed(other))).toEqual(text(other).content);
    },
  );
});

/** What static tools return: JSON reaches models, and everything else is an error with words. */
import { describe, expect, test } from "vitest";
import * as z from "zod";
import { defineStaticTool } from "../../src/agent/index.js";
import { createRegistry } from "../../src/agent/registry/create-registry.js";
import { createToolSearch } from "../../src/agent/search/create-tool-search.js";
import { createToolset } from "../../src/agent/toolset/create-toolset.js";
import { offerDirectly } from "../../src/serve/offer-directly.js";

const annotations = { readOnlyHint: true };
const make = (value: unknown) =>
  defineStaticTool({ name: "value", annotations, input: z.looseObject({}), execute: () => value });

test("a result that is not JSON is an error of the tool", async () => {
  expect(await make({ rows: [{ id: 10n }] }).safe({})).toMatchObject({
    ok: false,
    error: {
      ...{ code: "TOOL_INVALID_OUTPUT", server: "static" },
      message: expect.stringContaining('cannot be written as JSON: at "/rows/0/id" it is a BigInt') as string,
    },
  });
});

test("a result that is not JSON is an error of a toolset and of served tools", async () => {
  const registry = createRegistry({ static: [make(1n)] });
  const executed = await createToolset(registry, { policy: {} }).answer("execute", { tool: "value" });
  expect(executed).toMatchObject({ isError: true, structuredContent: { error: "TOOL_EXECUTION_FAILED" } });
  expect((await offerDirectly(registry, {}).answer("value", {})).isError).toBe(true);
});

describe("values that JSON holds", () => {
  test.each([
    ["nothing", undefined],
    ["null", null],
    ["an absent member", { a: undefined }],
    ["a date", { at: new Date(0) }],
    ["a value used twice", [cycleFree(), cycleFree()]],
    [
      "an instance of a class",
      new (class Post {
        id = 1;
      })(),
    ],
    ["an object without a prototype", Object.assign(Object.create(null) as object, { a: 1 })],
    ["content with its function", { text: "a", content: [{ type: "text", text: "a" }], json: () => 1 }],
  ])("are results: %s", async (_what, value) => {
    expect(await make(value).safe({})).toMatchObject({ ok: true });
  });
});

function cycleFree(): object {
  const shared = { a: 1 };
  return { shared, again: shared };
}

describe("a definition", () => {
  const inputSchema = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };

  test.each([
    ["a plain schema", inputSchema],
    ["a function", () => inputSchema],
  ])("takes %s, and validates by it", async (_what, schema) => {
    const weather = defineStaticTool({
      name: "weather",
      inputSchema: schema,
      execute: ({ city }) => `Rain in ${String(city)}`,
    });
    expect(weather.definition.inputSchema()).toEqual(inputSchema);
    expect(await weather({ city: "Ulm" })).toBe("Rain in Ulm");
    expect(await weather.safe({ city: 1 })).toMatchObject({ error: { code: "TOOL_INVALID_INPUT" } });
  });

  test("takes a plain schema for models beside another one", () => {
    const both = defineStaticTool({ name: "both", input: z.looseObject({}), inputSchema });
    expect(both.definition.inputSchema()).toBe(inputSchema);
  });

  test("needs a schema", () => {
    // @ts-expect-error: neither of them
    expect(() => defineStaticTool({ name: "none" })).toThrow('Tool "none" has no schema of its input.');
  });

  test("gives the function its name", () => {
    expect(make(1).name).toBe("value");
    expect(defineStaticTool({ name: "count-words", input: z.looseObject({}) }).name).toBe("count-words");
  });
});

test("a search takes entries as tools/list has them", async () => {
  const entries = [
    {
      name: "list_orders",
      description: "Lists orders.",
      inputSchema: { type: "object", properties: { voucher_code: { type: "string" } } },
    },
    { name: "delete_user", description: "Deletes a user.", inputSchema: { type: "object" } },
  ];
  const hits = await createToolSearch(entries).search("voucher code");
  expect(hits.map(({ tool }) => tool.name)).toEqual(["list_orders"]);
});

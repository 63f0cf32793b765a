/** Results that are too long for a model, and parts of results. */
import { describe, expect, it } from "vitest";
import type { JsonValue } from "../../src/core/json.js";
import { createToolset } from "../../src/agent/toolset/create-toolset.js";
import { takePart } from "../../src/core/json-part.js";
import { readJsonText } from "../../src/core/exact-json.js";
import { fakeTool } from "../agent/adapters/fake-tool.js";

const items = Array.from({ length: 30 }, (_, id) => ({
  id,
  title: `Post ${id}`,
  author: { name: "Ana", age: 3 },
}));

describe("a part of a result", () => {
  it("is the whole result if it is short", () => {
    expect(takePart({ items }, { most: 10_000 })).toEqual({ result: { items } });
  });

  it.each<[readonly string[], JsonValue]>([
    [["items.title"], { items: items.map(({ title }) => ({ title })) }],
    [["items.*.id", "items.0.author.name"], { items: items.map(({ id }) => ({ id, author: { name: "Ana" } })) }],
    [["items[].title"], { items: items.map(({ title }) => ({ title })) }],
    [["next"], { next: "a" }],
    [[], { items, next: "a" }],
  ])("has the fields %j", (fields, expected) => {
    expect(takePart({ items, next: "a" }, { fields, most: 10_000 }).result).toEqual(expected);
  }); // prettier-ignore

  it("is a page of the largest array, and all pages are the whole", () => {
    const pages: JsonValue[] = [];
    let count = 1;
    for (let page = 1; page <= count; page += 1) {
      const { result, part } = takePart({ data: { items }, next: "a" }, { page, most: 700 });
      expect(JSON.stringify(result).length).toBeLessThanOrEqual(700);
      expect(part).toMatchObject({ page, of: "data.items", total: 30 });
      expect(part?.shape).toBe(
        "{ data: { items: { id: number; title: string; author: { name: string; age: number } }[30] }; next: string }",
      );
      count = part?.pages ?? 0;
      pages.push(...(result as { data: { items: JsonValue[] } }).data.items);
    }
    expect(count).toBeGreaterThan(2);
    expect(pages).toEqual(items);
  });

  it("is a page of a text", () => {
    expect(takePart("abcdefgh", { page: 2, most: 5 })).toEqual({
      result: "fgh",
      part: { page: 2, pages: 2, of: "", total: 8, shape: "string" },
    });
    const beyond = takePart({ text: "a".repeat(99) }, { page: 9, most: 40 });
    expect(beyond).toMatchObject({ result: null, part: { page: 9, pages: 4 } });
  });

  it("names the fields that the result does not have", () => {
    const missing = (value: JsonValue, ...fields: string[]) =>
      takePart(value, { fields, most: 10_000 }).missing;
    expect(missing({ items }, "items.titel", "items[].id", "next")).toEqual(["items.titel", "next"]);
    expect(missing({ items: [] }, "items.title")).toBeUndefined();
  });

  it("is only the shape where no page can be short", () => {
    const wide = Object.fromEntries(items.map(({ title }) => [title, "a".repeat(99)]));
    expect(takePart(wide, { most: 500 })).toMatchObject({
      result: null,
      part: { pages: 1, shape: expect.stringContaining("Post 0: string") as string },
    });
    expect(takePart([wide], { most: 500 }).result).toBeNull();
  });
});

describe("the shape of a result that has no short page", () => {
  const wide = (count: number): JsonValue =>
    Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${at}`, true]));
  const keys = (count: number): string =>
    Array.from({ length: count }, (_, at) => `k${at}: boolean`).join("; ");

  it.each<[JsonValue, string]>([
    [{ a: null, b: [], c: {}, d: "x", e: 1 }, "{ a: null; b: []; c: {}; d: string; e: number }"],
    [{ a: [[1, 2], []] }, "{ a: number[2][2] }"],
    [{ a: { b: { c: { d: { e: { f: 1 } } } } } }, "{ a: { b: { c: { d: { e: {} } } } } }"],
    [wide(40), `{ ${keys(40)} }`],
    [wide(41), `{ ${keys(40)}; … }`],
  ])("of %j", (value, shape) => {
    expect(takePart(value, { most: 1 }).part?.shape).toBe(shape);
  });
});

describe("a text with JSON", () => {
  it.each<[string, JsonValue]>([
    ['{"a":1}', { a: 1 }],
    [' [1,"2"]', [1, "2"]],
    ["12", "12"],
    ["[1] is a note", "[1] is a note"],
    ['{"id":9007199254740993}', '{"id":9007199254740993}'],
    ['{"id":"9007199254740993"}', { id: "9007199254740993" }],
  ])("%s", (text, expected) => {
    expect(readJsonText(text)).toEqual(expected);
  });
});

describe("execute", () => {
  const ask = async (args: object, readOnlyHint = true) => {
    const call = () => Promise.resolve({ ok: true, value: { items } } as const);
    const list = fakeTool("list", { annotations: { readOnlyHint }, call });
    const toolset = createToolset([list], { maxResult: 1_200, policy: { writes: true } });
    return (await toolset.answer("execute", { tool: "list", ...args })).structuredContent;
  };
  const saying = (suggestion: RegExp, more: object = {}): object => ({
    ...more,
    suggestion: expect.stringMatching(suggestion) as string,
  });

  it.each<[string, object, object, boolean?]>([
    ["a page, and says how to get the rest", {}, saying(/^The result is long: this is page 1 of 2\. Call again with another "page", or with "fields" from its shape\.$/, { success: true, page: 1 })],
    ["how many pages there are", { page: 2, fields: ["items.title"] }, saying(/^There is 1 page\. /, { result: null })],
    ["the fields that there are", { fields: ["items.titel"] }, saying(/^The result has no "items\.titel"\. Its shape: \{ items: /)],
    ["without a page to repeat, if the call may have changed data", {}, saying(/do not repeat the call/), false],
  ])("answers with %s", async (_what, args, answer, readOnlyHint) => {
    expect(await ask(args, readOnlyHint)).toMatchObject(answer);
  }); // prettier-ignore

  it("answers with the fields that are asked for", async () => {
    const result = { items: items.map(({ id }) => ({ id })) };
    expect(await ask({ fields: ["items.id"] })).toEqual({ success: true, tool: "list", result });
  });

  it.each([[{ args: '{"a":1}' }], [{ arguments: { a: 1 } }], [{ arguments: '{"a":1}' }]])(
    "understands %j",
    async (request) => {
      const call = (value: unknown) => Promise.resolve({ ok: true, value } as const);
      const echo = fakeTool("echo", { annotations: { readOnlyHint: true }, call });
      const { structuredContent } = await createToolset([echo]).answer("execute", {
        tool: "echo",
        ...request,
      });
      expect(structuredContent).toMatchObject({ result: { a: 1 } });
    },
  );
});

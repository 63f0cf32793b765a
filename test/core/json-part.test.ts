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
    [
      ["items.*.id", "items.0.author.name"],
      { items: items.map(({ id }) => ({ id, author: { name: "Ana" } })) },
    ],
    [["items[].title"], { items: items.map(({ title }) => ({ title })) }],
    [["next"], { next: "a" }],
    [[], { items, next: "a" }],
  ])("has the fields %j", (fields, expected) => {
    expect(takePart({ items, next: "a" }, { fields, most: 10_000 }).result).toEqual(expected);
  });

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
  const answers = (readOnlyHint: boolean) =>
    createToolset(
      [
        fakeTool("list", {
          annotations: { readOnlyHint },
          call: () => Promise.resolve({ ok: true, value: { items } }),
        }),
      ],
      { maxResult: 900, policy: { writes: true } },
    );
  const ask = async (args: object, readOnlyHint = true) =>
    (await answers(readOnlyHint).answer("execute", { tool: "list", ...args })).structuredContent;

  it("answers with a page, and says how to get the rest", async () => {
    expect(await ask({})).toMatchObject({
      success: true,
      page: 1,
      suggestion: expect.stringContaining('another "page"') as string,
    });
    expect(await ask({ page: 2, fields: ["items.title"] })).toMatchObject({
      result: null,
      suggestion: expect.stringMatching(/^There is 1 page\. /) as string,
    });
    expect(await ask({ fields: ["items.titel"] })).toMatchObject({
      suggestion: expect.stringMatching(
        /^The result has no "items\.titel"\. Its shape: \{ items: /,
      ) as string,
    });
    expect(await ask({ fields: ["items.id"] })).toEqual({
      success: true,
      tool: "list",
      result: { items: items.map(({ id }) => ({ id })) },
    });
  });

  it("does not ask to repeat a call that may have changed data", async () => {
    expect(await ask({}, false)).toMatchObject({
      suggestion: expect.stringContaining("do not repeat the call") as string,
    });
  });

  it.each([[{ args: '{"a":1}' }], [{ arguments: { a: 1 } }], [{ arguments: '{"a":1}' }]])(
    "understands %j",
    async (request) => {
      const echo = fakeTool("echo", {
        annotations: { readOnlyHint: true },
        call: (value) => Promise.resolve({ ok: true, value }),
      });
      const { structuredContent } = await createToolset([echo]).answer("execute", {
        tool: "echo",
        ...request,
      });
      expect(structuredContent).toMatchObject({ result: { a: 1 } });
    },
  );
});

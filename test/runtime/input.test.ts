import { describe, expect, test } from "vitest";
import * as z from "zod";
import { dropUndefined } from "../../src/runtime/drop-undefined.js";
import type { Caller } from "../../src/runtime/client/caller.js";
import { fillDefaults } from "../../src/runtime/fill-defaults.js";
import { defineServer } from "../../src/runtime/index.js";
import { invoke } from "../../src/runtime/invoke.js";

describe("dropUndefined", () => {
  test("drops properties at every depth and copies nothing else", () => {
    const kept = { c: [1, { d: null }] };
    const dropped = dropUndefined({ a: undefined, kept, list: [{ x: 1, y: undefined }] });
    expect(dropped).toStrictEqual({ kept, list: [{ x: 1 }] });
    expect((dropped as { kept: unknown }).kept).toBe(kept);
    expect(dropUndefined(kept)).toBe(kept);
  });

  test("keeps a key named __proto__", () => {
    const value: unknown = JSON.parse('{"__proto__":{"a":1},"b":{}}');
    const dropped = dropUndefined({ value, gone: undefined });
    expect(JSON.stringify(dropped)).toBe('{"value":{"__proto__":{"a":1},"b":{}}}');
    const own: unknown = Object.fromEntries([["__proto__", { a: 1 }] as const, ["gone", undefined] as const]);
    expect(JSON.stringify(dropUndefined(own))).toBe('{"__proto__":{"a":1}}');
  });

  test.each([
    ["a bigint", { a: { b: 1n } }],
    ["a function", { a: { b: () => 1 } }],
  ])("refuses %s and says where", (_what, value) => {
    expect(() => dropUndefined(value)).toThrow(expect.objectContaining({ path: ["a", "b"] }));
  });

  test("refuses a value that contains itself", () => {
    const ring: { self?: unknown } = {};
    ring.self = ring;
    expect(() => dropUndefined(ring)).toThrow("contains itself");
  });
});

describe("fillDefaults", () => {
  const schema = {
    type: "object",
    properties: {
      page: { type: "integer", default: 1 },
      id: { type: "integer", default: 7 },
      filter: { type: "object", default: [], properties: { status: { default: "draft" } } },
      posts: { type: "array", items: { $ref: "#/$defs/post" } },
      wp: { default: 3, required: true },
      either: { anyOf: [{ properties: { no: { default: 1 } } }, { type: "null" }] },
    },
    required: ["id"],
    allOf: [{ properties: { order: { default: "asc" } } }],
    $defs: { post: { properties: { lang: { default: "en" }, more: { $ref: "#/$defs/post" } } } },
  };

  test("fills absent optional keys at every depth", () => {
    expect(fillDefaults({ posts: [{}, { lang: "de", more: {} }], either: {} }, schema)).toStrictEqual({
      posts: [{ lang: "en" }, { lang: "de", more: { lang: "en" } }],
      either: { no: 1 },
      page: 1,
      filter: { status: "draft" },
      order: "asc",
    });
  });

  const inner = { type: "object", properties: { lang: { default: "en" } } };
  const PLACES: readonly (readonly [where: string, schema: object, given: unknown, filled: unknown])[] = [
    ["objects in objects", { properties: { a: { properties: { b: inner } } } }, { a: { b: {} } }, { a: { b: { lang: "en" } } }],
    ["absent objects are not made up", { properties: { a: inner } }, {}, {}],
    ["a default that is itself filled", { properties: { a: { ...inner, default: { x: 1 } } } }, {}, { a: { x: 1, lang: "en" } }],
    ["items", { items: inner }, [{}, { lang: "de" }, 1], [{ lang: "en" }, { lang: "de" }, 1]],
    ["places of a tuple", { prefixItems: [true, inner], items: inner }, [{}, {}, {}], [{}, { lang: "en" }, { lang: "en" }]],
    ["places of a tuple of draft 7", { items: [inner], additionalItems: inner }, [{}, {}], [{ lang: "en" }, { lang: "en" }]],
    ["lists of lists", { items: { items: inner } }, [[{}]], [[{ lang: "en" }]]],
    ["values of a map", { additionalProperties: inner }, { x: {}, y: { lang: "" } }, { x: { lang: "en" }, y: { lang: "" } }],
    ["other keys beside named ones", { properties: { a: { properties: { n: { default: 1 } } } }, additionalProperties: inner }, { a: {}, b: {} }, { a: { n: 1 }, b: { lang: "en" } }],
    ["a reference", { properties: { a: { $ref: "#/$defs/i" } }, $defs: { i: inner } }, { a: {} }, { a: { lang: "en" } }],
    ["a reference to a reference, with words beside it", { properties: { a: { $ref: "#/$defs/j", properties: { n: { default: 1 } } } }, $defs: { i: inner, j: { $ref: "#/$defs/i" } } }, { a: {} }, { a: { n: 1, lang: "en" } }],
    ["a reference to an anchor", { properties: { a: { $ref: "#here" } }, $defs: { i: { ...inner, $anchor: "here" } } }, { a: {} }, { a: { lang: "en" } }],
    ["a reference to a name of draft 7", { properties: { a: { $ref: "#here" } }, definitions: { i: { ...inner, $id: "#here" } } }, { a: {} }, { a: { lang: "en" } }],
    ["a reference to nothing", { properties: { a: { $ref: "#gone" }, b: { $ref: "#/x" } } }, { a: {}, b: {} }, { a: {}, b: {} }],
    ["recursion", { properties: { lang: { default: "en" }, kids: { items: { $ref: "#" } } } }, { kids: [{ kids: [{}] }] }, { kids: [{ kids: [{ lang: "en" }], lang: "en" }], lang: "en" }],
    ["every member of allOf, and in it", { allOf: [inner, { allOf: [{ properties: { n: { default: 1 } } }] }] }, {}, { lang: "en", n: 1 }],
    ["a default that a reference or allOf states", { properties: { a: { $ref: "#/$defs/d" }, b: { allOf: [{ default: 2 }] } }, $defs: { d: { default: 1 } } }, {}, { a: 1, b: 2 }],
    ["the nearest of two defaults", { properties: { a: { $ref: "#/$defs/d", default: null } }, $defs: { d: { default: 1 } } }, {}, { a: null }],
    ["false, zero and null", { properties: { a: { default: false }, b: { default: 0 }, c: { default: null } } }, {}, { a: false, b: 0, c: null }],
    ["no key that another member requires", { allOf: [inner, { required: ["lang"] }] }, {}, {}],
    ["an object or null", { properties: { a: { anyOf: [inner, { type: "null" }] } } }, { a: {} }, { a: { lang: "en" } }],
    ["the branch with the right tag", { oneOf: [{ properties: { k: { const: "a" }, x: { default: 1 } }, required: ["k"] }, { properties: { k: { enum: ["b"] }, y: { default: 2 } }, required: ["k"] }] }, { k: "b" }, { k: "b", y: 2 }],
    ["the branch whose keys are there", { anyOf: [{ required: ["id"], properties: { x: { default: 1 } } }, { required: ["url"], properties: { y: { default: 2 } } }] }, { url: "" }, { url: "", y: 2 }],
    ["the branch that is open to a key", { oneOf: [{ properties: { x: { default: 1 } }, additionalProperties: false }, { properties: { y: { default: 2 }, z: {} }, additionalProperties: false }] }, { z: 1 }, { z: 1, y: 2 }],
    ["no branch where several remain", { anyOf: [inner, { properties: { x: { default: 1 } } }] }, {}, {}],
    ["what a present key brings in", { dependentSchemas: { a: inner, b: { properties: { no: { default: 1 } } } } }, { a: 1 }, { a: 1, lang: "en" }],
    ["keys named like the prototype", { properties: { toString: { default: 1 }, constructor: {} } }, {}, { toString: 1 }],
    ["undefined is absent", { properties: { a: { default: 1 } } }, { a: undefined }, { a: 1 }],
  ]; // prettier-ignore

  test.each(PLACES)("%s", (_where, placed, given, filled) => {
    expect(fillDefaults(given, placed)).toStrictEqual(filled);
  });

  test("ends where two defaults lead to each other", () => {
    const both = { default: {}, $ref: "#" };
    expect(JSON.stringify(fillDefaults({}, { properties: { a: both, b: both } })).length).toBeLessThan(
      1_000_000,
    );
  });

  test("leaves what is there, and copies nothing when nothing is filled", () => {
    const full = { page: 2, id: 1, filter: { status: "x" }, order: "desc" };
    expect(fillDefaults(full, schema)).toBe(full);
  });

  test("ends where a default leads to itself", () => {
    const endless = { properties: { again: { default: {}, $ref: "#" } } };
    expect(JSON.stringify(fillDefaults({}, endless)).length).toBeLessThan(2_000);
  });

  test("gives each call a default of its own", () => {
    const withList = { properties: { tags: { default: ["a"] } } };
    const first = fillDefaults({}, withList) as { tags: string[] };
    first.tags.push("b");
    expect(fillDefaults({}, withList)).toEqual({ tags: ["a"] });
  });
});

describe("defaults that are sent", () => {
  const inputSchema = (): object => ({ properties: { n: { default: 20 }, m: { default: 1 } } });
  const sent = async (input: z.ZodType, value: object): Promise<unknown> => {
    const calls: unknown[] = [];
    const server = defineServer({ name: "s", contract: "1.0.0", url: "http://127.0.0.1:9" });
    const caller: Caller = {
      call: (request) => {
        calls.push(request.arguments);
        return Promise.resolve({ content: [] });
      },
    };
    const result = await invoke(
      { server, name: "t", defaults: "send", input, inputSchema },
      value,
      {},
      () => caller,
    );
    return calls[0] ?? (result.ok ? undefined : result.error.message);
  };

  test("are judged with the rest", async () => {
    expect(await sent(z.looseObject({ n: z.number(), m: z.number() }), { n: 5 })).toEqual({ n: 5, m: 1 });
    expect(await sent(z.looseObject({ n: z.number() }), { n: "" })).toContain("n: Invalid input");
  });

  test("are left out where the schema refuses them itself", async () => {
    expect(await sent(z.looseObject({ n: z.number().max(10).optional() }), { x: 1 })).toEqual({ x: 1 });
  });
});

import { describe, expect, test } from "vitest";
import { dropUndefined } from "../../src/runtime/drop-undefined.js";
import { fillDefaults } from "../../src/runtime/fill-defaults.js";

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
      either: { anyOf: [{ properties: { no: { default: 1 } } }] },
    },
    required: ["id"],
    allOf: [{ properties: { order: { default: "asc" } } }],
    $defs: { post: { properties: { lang: { default: "en" }, more: { $ref: "#/$defs/post" } } } },
  };

  test("fills absent optional keys at every depth", () => {
    expect(fillDefaults({ posts: [{}, { lang: "de", more: {} }], either: {} }, schema)).toStrictEqual({
      posts: [{ lang: "en" }, { lang: "de", more: { lang: "en" } }],
      either: {},
      page: 1,
      filter: { status: "draft" },
      order: "asc",
    });
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

import { describe, expect, test } from "vitest";
import { fillDefaults } from "../../../src/schema/validation/fill-defaults.js";

describe("fillDefaults", () => {
  const schema = {
    type: "object",
    properties: {
      page: { type: "integer", default: 1 },
      id: { type: "integer", default: 7 },
      filter: { type: "object", default: [], properties: { status: { default: "draft" } } },
      posts: { type: "array", items: { $ref: "#/$defs/post" } },
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
    ["nothing in what branches leave over", { anyOf: [{ properties: { a: true }, required: ["a"] }, { properties: { b: true } }], unevaluatedProperties: inner }, { a: {}, c: {} }, { a: {}, c: {} }],
    ["no items that a tuple leaves over", { prefixItems: [{ type: "object" }], unevaluatedItems: inner }, [{ x: 1 }, {}, 3], [{ x: 1 }, {}, 3]],
    ["values whose names a pattern matches", { patternProperties: { "^x-": inner }, additionalProperties: { properties: { n: { default: 1 } } } }, { "x-a": {}, b: {} }, { "x-a": { lang: "en" }, b: { n: 1 } }],
    ["no values of a pattern that is not run, nor beside one", { patternProperties: { "^(a+)+$": inner }, additionalProperties: inner }, { a: {}, b: {} }, { a: {}, b: {} }],
    ["the branch that a condition takes", { if: { required: ["k"] }, then: inner, else: { properties: { n: { default: 1 } } } }, { k: 1 }, { k: 1, lang: "en" }],
    ["the other branch, where the condition does not hold", { if: { required: ["k"] }, then: inner, else: { properties: { n: { default: 1 } } } }, {}, { n: 1 }],
    ["a condition that holds with what is filled in", { properties: { k: { default: "a" } }, allOf: [{ if: { properties: { k: { const: "a" } }, required: ["k"] }, then: inner }] }, {}, { k: "a", lang: "en" }],
    ["a condition that what a branch fills in decides", { if: { required: ["a"] }, then: inner, anyOf: [{ properties: { a: { default: 1 } } }] }, {}, { a: 1, lang: "en" }],
    ["what the condition itself states, where it holds", { if: { properties: { k: { const: "a", default: "a" } } }, then: inner }, {}, { k: "a", lang: "en" }],
    ["nothing that would have the other branch apply", { if: { required: ["x"] }, else: { properties: { x: { default: 1 } } } }, {}, {}],
    ["nothing that a condition asks for", { if: true, then: { required: ["lang"] }, properties: inner.properties }, {}, {}],
    ["nothing that a key asks for", { dependentRequired: { a: ["lang"] }, properties: inner.properties }, { a: 1 }, { a: 1 }],
    ["nothing below a condition on a pattern that is not run", { if: { properties: { k: { pattern: "^(a+)+$" } } }, then: inner, else: {} }, { k: "" }, { k: "" }],
    ["what both branches of that one state", { if: { properties: { k: { pattern: "^(a+)+$" } } }, then: inner, else: inner }, { k: "" }, { k: "", lang: "en" }],
    ["the branch that fits, chosen by more than types and tags", { oneOf: [{ properties: { n: { maximum: 5 }, x: { default: 1 } } }, { properties: { n: { minimum: 6 }, y: { default: 2 } }, required: ["n"] }] }, { n: 7 }, { n: 7, y: 2 }],
    ["what all branches that fit state alike", { anyOf: [{ properties: { lang: { default: "en" }, x: { default: 1 } } }, { properties: { lang: { default: "en" } } }] }, {}, { lang: "en" }],
    ["the same in what they share", { anyOf: [{ properties: { a: inner, b: {} } }, { properties: { a: { properties: { lang: { default: "en" }, x: { default: 1 } } } } }] }, { a: {} }, { a: { lang: "en" } }],
    ["no default in a branch that no longer fits with it", { oneOf: [{ properties: { x: { default: 1 } } }, { required: ["x"] }] }, {}, {}],
    ["a default that all branches state for a key", { properties: { a: { anyOf: [{ type: "string", default: "x" }, { type: "null", default: "x" }] } } }, {}, { a: "x" }],
    ["no default that one branch states for a key", { properties: { a: { anyOf: [{ type: "string", default: "x" }, { type: "null" }] } } }, {}, {}],
    ["no default that its own schema refuses", { properties: { a: { type: "integer", maximum: 10, default: 20 }, b: { default: 1 } } }, {}, { b: 1 }],
    ["no more keys than there may be", { properties: { a: { default: 1 }, b: { default: 2 } }, maxProperties: 2 }, { c: 0 }, { c: 0, a: 1 }],
    ["no key that asks for another", { properties: { a: { default: 1 }, b: { default: 2 } }, dependentRequired: { a: ["c"] } }, {}, { b: 2 }],
    ["items that contain looks for", { contains: { required: ["k"], properties: { lang: { default: "en" } } } }, [{}, { k: 1 }], [{}, { k: 1, lang: "en" }]],
    ["a dynamic reference", { $dynamicAnchor: "node", properties: { lang: { default: "en" }, kid: { $dynamicRef: "#node" } } }, { kid: {} }, { kid: { lang: "en" }, lang: "en" }],
    ["an empty list where an object is meant", { properties: { a: { type: "object", default: [], properties: inner.properties } } }, {}, { a: { lang: "en" } }],
    ["undefined is absent", { properties: { a: { default: 1 } } }, { a: undefined }, { a: 1 }],
  ]; // prettier-ignore

  test.each(PLACES)("%s", (_where, placed, given, filled) => {
    expect(fillDefaults(given, placed)).toStrictEqual(filled);
  });

  test("a key with a boolean required is not filled in schemas of WordPress", () => {
    const schema = { properties: { a: { default: 1, required: true }, b: { default: 2 } } };
    expect(fillDefaults({}, schema, { dialect: "wordpress" })).toEqual({ b: 2 });
    expect(fillDefaults({}, schema)).toEqual({ a: 1, b: 2 });
  });

  test("conditions are validated with asserted formats", () => {
    const schema = { if: { properties: { a: { format: "date" } } }, then: inner };
    expect(fillDefaults({ a: "no" }, schema)).toEqual({ a: "no", lang: "en" });
    expect(fillDefaults({ a: "no" }, schema, { formats: "assert" })).toEqual({ a: "no" });
  });

  test("__proto__ is an ordinary key", () => {
    const schema: unknown = JSON.parse('{"properties":{"__proto__":{"default":{"a":1}},"b":{"default":1}}}');
    expect(JSON.stringify(fillDefaults({}, schema))).toBe('{"__proto__":{"a":1},"b":1}');
    expect(JSON.stringify(fillDefaults(JSON.parse('{"__proto__":{}}'), schema))).toBe(
      '{"__proto__":{},"b":1}',
    );
  });

  test("ends if two defaults lead to each other", () => {
    const both = { default: {}, $ref: "#" };
    expect(JSON.stringify(fillDefaults({}, { properties: { a: both, b: both } })).length).toBeLessThan(
      1_000_000,
    );
  });

  test("keeps present values, and copies nothing if nothing is filled in", () => {
    const full = { page: 2, id: 1, filter: { status: "x" }, order: "desc" };
    expect(fillDefaults(full, schema)).toBe(full);
  });

  test("ends if a default leads to itself", () => {
    const endless = { properties: { again: { default: {}, $ref: "#" } } };
    expect(JSON.stringify(fillDefaults({}, endless)).length).toBeLessThan(2_000);
  });

  test("gives each call its own copy of a default", () => {
    const withList = { properties: { tags: { default: ["a"] } } };
    const first = fillDefaults({}, withList) as { tags: string[] };
    first.tags.push("b");
    expect(fillDefaults({}, withList)).toEqual({ tags: ["a"] });
  });
});

import { describe, expect, it } from "vitest";
import type { JsonObject, JsonValue } from "../../../src/core/json.js";
import { parseSchema } from "../../../src/schema/ir/parse-schema.js";
import { printZodModule } from "../../../src/schema/print/print-modules.js";
import { evaluateModule, toZod } from "../support/evaluate-module.js";

const tree = {
  type: "object",
  properties: { kids: { type: "array", items: { $ref: "#" } } },
  additionalProperties: false,
} as const;

/** Definitions that each refer to the next one twice, in two properties. */
function doubling(count: number, name: string, last: JsonObject): JsonObject {
  const next = (index: number): JsonValue => ({ $ref: `#/$defs/${name}${index + 1}` });
  return Object.fromEntries(
    Array.from({ length: count }, (_, index) => [
      `${name}${index}`,
      { type: "object", properties: index === count - 1 ? last : { l: next(index), r: next(index) } },
    ]),
  );
}

/** Definitions that each refer to the next one several times, for the same value. */
function inPlace(count: number, times: number): JsonObject {
  return Object.fromEntries(
    Array.from({ length: count }, (_, index) => [
      `d${index}`,
      index === count - 1
        ? { type: "string" }
        : { anyOf: Array.from({ length: times }, () => ({ $ref: `#/$defs/d${index + 1}` })) },
    ]),
  );
}

describe("references", () => {
  const REACHED: readonly (readonly [title: string, schema: JsonValue, right: JsonValue, wrong: JsonValue])[] = [
    ["to $defs", { $ref: "#/$defs/a", $defs: { a: { type: "string" } } }, "x", 1],
    ["to definitions", { $ref: "#/definitions/a", definitions: { a: { type: "string" } } }, "x", 1],
    ["to a property", { type: "object", properties: { a: { type: "string" }, b: { $ref: "#/properties/a" } } }, { b: "" }, { b: 1 }],
    ["with escapes", { $ref: "#/$defs/a~1b~0c%25d", $defs: { "a/b~c%d": { type: "string" } } }, "x", 1],
    ["to an anchor", { $ref: "#here", $defs: { a: { $anchor: "here", type: "string" } } }, "x", 1],
    ["to an embedded $id", { $id: "https://example.com/root", $ref: "part", $defs: { a: { $id: "part", type: "string" } } }, "x", 1],
    ["inside of a part with its own $id", { type: "object", properties: { a: { $id: "https://example.com/part", $ref: "#/$defs/x", $defs: { x: { type: "string" } } } }, $defs: { x: { type: "number" } } }, { a: "" }, { a: 1 }],
    ["inside of a part with the id of draft 4", { $schema: "http://json-schema.org/draft-04/schema#", type: "object", properties: { a: { id: "https://example.com/part", allOf: [{ $ref: "#/definitions/x" }], definitions: { x: { type: "string" } } } }, definitions: { x: { type: "number" } } }, { a: "" }, { a: 1 }],
    ["to the root", tree, { kids: [{ kids: [] }] }, { kids: [{ kids: [1] }] }],
    ["through a reference", { $ref: "#/$defs/a", $defs: { a: { $ref: "#/$defs/b" }, b: { type: "string" } } }, "x", 1],
    ["to true", { $ref: "#/$defs/a", $defs: { a: true }, type: "number" }, 1, ""],
    ["named like the prototype", { $ref: "#/$defs/constructor", $defs: { constructor: { type: "string" } } }, "x", 1],
    ["mutual", { $ref: "#/$defs/a", $defs: { a: { type: "array", items: { $ref: "#/$defs/b" } }, b: { type: "object", properties: { a: { $ref: "#/$defs/a" } } } } }, [{ a: [] }], [{ a: [1] }]],
    ["to two recursive definitions at the same place", { allOf: [{ $ref: "#/$defs/a" }, { $ref: "#/$defs/b" }], $defs: { a: { type: "object", properties: { l: { $ref: "#/$defs/a" }, n: { type: "number" } } }, b: { type: "object", properties: { l: { $ref: "#/$defs/b" }, s: { type: "string" } } } } }, { l: { l: { n: 1, s: "" } } }, { l: { l: { s: 1 } } }],
    ["to pairs of pairs", { allOf: [{ $ref: "#/$defs/a0" }, { $ref: "#/$defs/b0" }], $defs: { ...doubling(30, "a", { l: { type: "string" } }), ...doubling(30, "b", { l: { maxLength: 1 } }) } }, { l: { r: {} } }, { l: { r: 1 } }],
    ["in a long chain through properties", { $ref: "#/$defs/a0", $defs: doubling(200, "a", { l: { type: "string" } }) }, { l: { r: {} } }, { l: { r: 1 } }],
  ]; // prettier-ignore

  it.each(REACHED)("%s", (_, schema, right, wrong) => {
    expect(parseSchema(schema).diagnostics).toEqual([]);
    expect(toZod(schema).safeParse(right).success).toBe(true);
    expect(toZod(schema).safeParse(wrong).success).toBe(false);
  });

  it("override other keywords up to draft 7", () => {
    const schema = { $ref: "#/definitions/a", minLength: 5, definitions: { a: { type: "string" } } };
    expect(toZod(schema, "draft-07").safeParse("x").success).toBe(true);
    expect(toZod(schema, "2020-12").safeParse("x").success).toBe(false);
  });

  const REFUSED: readonly (readonly [title: string, schema: JsonValue, message: string])[] = [
    ["a file", { $ref: "file:///etc/passwd" }, '"file:///etc/passwd"'],
    ["an address", { $ref: "http://127.0.0.1:1/x.json#/a" }, '"http://127.0.0.1:1/x.json#/a"'],
    ["a relative path", { $ref: "other.json" }, '"other.json"'],
    ["a metaschema", { $ref: "http://json-schema.org/draft-07/schema#" }, "is not fetched"],
    ["itself", { $ref: "#" }, "only refers to itself"],
    ["itself indirectly", { $ref: "#/$defs/a", $defs: { a: { anyOf: [{ $ref: "#/$defs/b" }] }, b: { not: { $ref: "#/$defs/a" } } } }, "only refers to itself"],
    ["each other, twice each", { $ref: "#/$defs/d0", $defs: inPlace(30, 2) }, "too many references"],
    ["each other, one after another", { $ref: "#/$defs/d0", $defs: inPlace(300, 1) }, "too many references"],
  ]; // prettier-ignore

  it.each(REFUSED)("to %s are refused", (_, schema, message) => {
    const error = { code: "SCHEMA_INVALID", message: expect.stringContaining(message) as string };
    expect(() => parseSchema(schema)).toThrow(expect.objectContaining(error) as Error);
  });

  const DOCUMENTS: { readonly [address: string]: JsonValue } = {
    "https://example.com/name.json": { $defs: { short: { type: "string", maxLength: 3 } }, type: "string" },
    "https://example.com/called-otherwise.json": { $id: "https://example.com/own", $ref: "name.json#/$defs/short" },
    "https://example.com/old.json": { $schema: "http://json-schema.org/draft-04/schema#", minimum: 1, exclusiveMinimum: true },
    "https://example.com/list.json": {
      $id: "https://example.com/list.json",
      $dynamicAnchor: "list",
      type: "array",
      items: { $dynamicRef: "#item" },
      $defs: { item: { $dynamicAnchor: "item", type: "string" } },
    },
    "https://example.com/no-validation": {
      $schema: "https://json-schema.org/draft/2020-12/schema",
      $vocabulary: { "https://json-schema.org/draft/2020-12/vocab/applicator": true },
    },
  }; // prettier-ignore

  const SUPPLIED: readonly (readonly [title: string, schema: JsonValue, right: JsonValue, wrong: JsonValue])[] = [
    ["to a document", { $ref: "https://example.com/name.json" }, "long", 1],
    ["into a document", { $id: "https://example.com/x/", $ref: "../name.json#/$defs/short" }, "abc", "abcd"],
    ["to a document by its `$id`, and from there to another", { $ref: "https://example.com/own" }, "abc", "abcd"],
    ["to a document in another dialect", { $ref: "https://example.com/old.json" }, 2, 1],
    ["to a document with a dynamic anchor that the caller overrides", { $ref: "https://example.com/list.json", $defs: { numbers: { $id: "numbers", $dynamicAnchor: "item", type: "number" } } }, ["a"], [1]],
    ["to a document with a dynamic anchor that the root overrides", { $ref: "https://example.com/list.json", $defs: { number: { $dynamicAnchor: "item", type: "number" } } }, [1], ["a"]],
    ["to a document in two scopes", { prefixItems: [{ $ref: "https://example.com/list.json" }, { $ref: "#/$defs/numbers" }], $defs: { numbers: { $id: "https://example.com/numbers", $ref: "list.json", $defs: { item: { $dynamicAnchor: "item", type: "number" } } } } }, [["a"], [1]], [["a"], ["a"]]],
  ]; // prettier-ignore

  it.each(SUPPLIED)("lead %s, which is supplied", (_, schema, right, wrong) => {
    const { text, diagnostics } = printZodModule(schema, { name: "Printed", documents: DOCUMENTS });
    expect(diagnostics).toEqual([]);
    const parser = evaluateModule(text, "Printed");
    expect(parser.safeParse(right).error).toBe(undefined);
    expect(parser.safeParse(wrong).success).toBe(false);
    expect(() => parseSchema(schema)).toThrow(/outside it/);
  });

  it("to metaschemas decide which keywords apply", () => {
    const schema = { $schema: "https://example.com/no-validation", minLength: 5, not: { enum: ["a"] } };
    const { text } = printZodModule(schema, { name: "Printed", documents: DOCUMENTS });
    expect(text).toContain("Printed = z.never()");
    expect(printZodModule(schema, { name: "Printed" }).text).toContain(".min(5)");
  });

  it("to documents that are too large are refused", () => {
    let deep: JsonValue = true;
    for (let level = 0; level < 1_000; level += 1) deep = { not: deep };
    const parse = () => parseSchema({ $ref: "urn:x" }, { documents: { "urn:x": deep } });
    expect(parse).toThrow(/nested more than/);
  });

  it("with too many dynamic scopes are refused", () => {
    const names = Array.from({ length: 30 }, (_, index) => `r${index}`);
    const properties = Object.fromEntries(names.map((name) => [name, { $ref: name }]));
    const $defs = Object.fromEntries(
      names.map((name) => [name, { $id: `https://example.com/${name}`, $dynamicAnchor: name, properties }]),
    );
    const schema = { $ref: "https://example.com/r0", $defs };
    expect(() => parseSchema(schema)).toThrow(/more than 200 different sets of targets/);
  });

  it("that are nested too deeply are refused before a recursive function runs", () => {
    let deep: JsonValue = true;
    for (let level = 0; level < 100_000; level += 1) deep = { not: deep };
    expect(() => parseSchema(deep)).toThrow(expect.objectContaining({ code: "SCHEMA_INVALID" }) as Error);
    let nested: JsonValue = true;
    for (let level = 0; level < 100; level += 1) nested = { type: "array", items: nested };
    expect(printZodModule(nested, { name: "Printed" }).text).toContain("z.array(z.array(");
  });

  it("with thousands of steps are resolved only to the depth of the document", () => {
    // A lookup at every step would exceed the time limit of a test.
    const nowhere = "/a".repeat(8_000);
    const properties = Object.fromEntries(
      Array.from({ length: 600 }, (_, index) => [`p${index}`, { $ref: `#${nowhere}${index}` }]),
    );
    const $defs = { inner: { $id: "https://example.com/inner" } };
    expect(parseSchema({ properties, $defs }).diagnostics).toHaveLength(600);
  });

  const COMBINED: readonly (readonly [title: string, count: number, make: (next: JsonValue) => JsonValue])[] = [
    ["oneOf", 30, (next) => ({ oneOf: [next, { type: "object", properties: { x: next } }, { type: "object", properties: { y: next } }] })],
    // Longer chains are refused, since they validate a value too often.
    ["anyOf", 10, (next) => ({ anyOf: [next, next, { type: "null" }] })],
    ["allOf", 10, (next) => ({ allOf: [next, next], minLength: 1 })],
    ["properties", 30, (next) => ({ type: "object", properties: { a: next, b: next } })],
  ]; // prettier-ignore

  it.each(COMBINED)("to repeated definitions in %s are followed once", (_, count, make) => {
    const levels = Array.from({ length: count }, (_, index) => index);
    const $defs = Object.fromEntries(
      levels.map((index) => [`d${index}`, make({ $ref: `#/$defs/d${index + 1}` })]),
    );
    const schema: JsonValue = {
      type: "object",
      properties: { value: { not: { $ref: "#/$defs/d0" } } },
      allOf: [{ $ref: "#/$defs/d0" }],
      unevaluatedProperties: false,
      $defs: { ...$defs, [`d${count}`]: { type: "string" } },
    };
    // Expanded, these are 2^30 or 2^10 schemas.
    expect(printZodModule(schema, { name: "Printed" }).text.length).toBeLessThan(100_000);
  });

  it("to repeated definitions are printed once", () => {
    // Expanded, these are 2^40 schemas.
    const schema = { $ref: "#/$defs/d0", $defs: doubling(40, "d", { l: { type: "string" } }) };
    expect(printZodModule(schema, { name: "Printed" }).text.length).toBeLessThan(10_000);
  });
});

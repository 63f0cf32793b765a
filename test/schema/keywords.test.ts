import { describe, expect, it } from "vitest";
import * as z from "zod";
import type { JsonValue } from "../../src/core/json.js";
import type { Dialect } from "../../src/core/schema-ir.js";
import { printZodModule } from "../../src/schema/print/print-modules.js";
import { toZod } from "./support/evaluate-module.js";

interface Case {
  readonly schema: JsonValue;
  /** The expected expression, as a person would write it. */
  readonly zod: string;
  readonly accepts: readonly JsonValue[];
  readonly refuses: readonly JsonValue[];
  readonly dialect?: Dialect;
}

const proto = (value: JsonValue): JsonValue =>
  JSON.parse(`{ "__proto__": ${JSON.stringify(value)} }`) as JsonValue;

const CASES: { readonly [title: string]: Case } = {
  "true": { schema: true, zod: "z.unknown()", accepts: [null, 1, {}], refuses: [] },
  "false": { schema: false, zod: "z.never()", accepts: [], refuses: [null, 1, {}] },
  "an empty schema": { schema: {}, zod: "z.unknown()", accepts: [null, 1, []], refuses: [] },
  "type list": { schema: { type: ["string", "null"] }, zod: "z.string().nullable()", accepts: ["", null], refuses: [1] },
  "integer and number": { schema: { type: ["integer", "number"] }, zod: "z.number()", accepts: [1.5], refuses: ["1"] },
  "an unbounded integer": { schema: { type: "integer" }, zod: "z.number().check(integer)", accepts: [1, 2 ** 60, -0], refuses: [1.5, "1"] },
  "a bounded integer": { schema: { type: "integer", minimum: 1, maximum: 100 }, zod: "z.int().min(1).max(100)", accepts: [1, 100], refuses: [0, 101, 1.5] },
  "exclusive bounds": { schema: { type: "number", exclusiveMinimum: 0, exclusiveMaximum: 1 }, zod: "z.number().gt(0).lt(1)", accepts: [0.5], refuses: [0, 1] },
  "exclusive bounds of draft 4": { schema: { type: "number", minimum: 0, exclusiveMinimum: true }, zod: "z.number().gt(0)", dialect: "draft-04", accepts: [1], refuses: [0] },
  "multipleOf": { schema: { type: "number", multipleOf: 0.01 }, zod: "z.number().check(multipleOf(0.01))", accepts: [0.07, 19.99, 1e20], refuses: [0.075, 1e-9] },
  "lengths count code points": { schema: { type: "string", minLength: 2, maxLength: 2 }, zod: "z.string().length(2)", accepts: ["😀😀", "ab"], refuses: ["😀", "abc"] },
  "pattern": { schema: { type: "string", pattern: "^\\p{L}/$" }, zod: 'z.string().regex(new RegExp("^\\\\p{L}/$", "u"))', accepts: ["é/"], refuses: ["1/"] },
  "a pattern that needs no flag": { schema: { type: "string", pattern: "^\\-a$" }, zod: 'z.string().regex(new RegExp("^\\\\-a$"))', accepts: ["-a"], refuses: ["a"] },
  "format is an annotation": { schema: { type: "string", format: "email" }, zod: 'z.string().meta({"format":"email"})', accepts: ["no mail"], refuses: [1] },
  "enum": { schema: { enum: ["a", "b"] }, zod: 'z.enum(["a","b"])', accepts: ["a"], refuses: ["c", "toString"] },
  "enum with null": { schema: { enum: ["a", null] }, zod: 'z.literal("a").nullable()', accepts: ["a", null], refuses: ["b"] },
  "enum of __proto__": { schema: { enum: ["__proto__", "b"] }, zod: 'z.literal(["__proto__","b"])', accepts: ["__proto__", "b"], refuses: ["a"] },
  "an empty enum": { schema: { enum: [] }, zod: "z.never()", accepts: [], refuses: [1] },
  "const": { schema: { const: 1 }, zod: "z.literal(1)", accepts: [1], refuses: ["1", true] },
  "const in draft 4": { schema: { const: 1 }, zod: "z.unknown()", dialect: "draft-04", accepts: [2], refuses: [] },
  "const of an object": { schema: { const: { a: [1], b: null } }, zod: 'z.custom<{ a: [1]; b: null }>(equals({"a":[1],"b":null}))', accepts: [{ b: null, a: [1] }], refuses: [{ a: [1] }, { a: [1], b: null, c: 1 }, { a: [2], b: null }, "x"] },
  "const of __proto__": { schema: { const: proto(1) }, zod: 'z.custom<{ "__proto__": 1 }>(equals({["__proto__"]:1}))', accepts: [proto(1)], refuses: [{}, proto(2)] },
  "an open object": { schema: { type: "object", properties: { a: { type: "string" } } }, zod: "z.looseObject({ a: z.string().optional() })", accepts: [{}, { a: "", b: 1 }], refuses: [{ a: 1 }, [], null] },
  "a closed object": { schema: { type: "object", properties: { a: {} }, required: ["a"], additionalProperties: false }, zod: "z.strictObject({ a: z.unknown() })", accepts: [{ a: null }], refuses: [{}, { a: 1, b: 1 }, { a: 1, ...(proto(1) as object) }, JSON.parse('{"a":1,"__proto__":1}') as JsonValue] },
  "a catch-all": { schema: { type: "object", properties: { a: { type: "string" } }, additionalProperties: { type: "number" } }, zod: 'z.custom<{ a?: string | undefined; [key: string]: number | string | undefined }>().check(object, ownProperties(["a", "optional", z.string()]), otherProperties(z.number(), ["a"]))', accepts: [{ a: "", b: 1 }], refuses: [{ b: "" }] },
  "a record": { schema: { type: "object", additionalProperties: { type: "number" } }, zod: "z.custom<{ [key: string]: number }>().check(object, otherProperties(z.number()))", accepts: [{}, { toString: 1 }, JSON.parse('{"__proto__":1}')], refuses: [{ a: "" }, [], JSON.parse('{"__proto__":""}')] },
  "any object": { schema: { type: "object" }, zod: "z.record(z.string(), z.unknown())", accepts: [{}, { a: 1 }], refuses: [[], null] },
  "a closed empty object": { schema: { type: "object", properties: [], additionalProperties: false }, zod: "z.strictObject({})", accepts: [{}], refuses: [{ a: 1 }] },
  "PHP's empty object": { schema: { type: "object", properties: [] }, zod: "z.record(z.string(), z.unknown())", accepts: [{}, { a: 1 }], refuses: [] },
  "PHP's empty schema": { schema: { type: "object", properties: { a: [] }, required: ["a"] }, zod: "z.looseObject({ a: z.unknown() })", accepts: [{ a: 1 }], refuses: [{}] },
  "required without a property": { schema: { type: "object", required: ["ghost"] }, zod: "z.looseObject({ ghost: z.unknown() })", accepts: [{ ghost: null }], refuses: [{}] },
  "required and closed to it": { schema: { type: "object", required: ["ghost"], additionalProperties: false }, zod: "z.strictObject({ ghost: z.never() })", accepts: [], refuses: [{}, { ghost: 1 }] },
  "required by each property": { schema: { type: "object", properties: { a: { type: "string", required: true }, b: { required: false } } }, zod: "z.looseObject({ a: z.string(), b: z.unknown().optional() })", dialect: "wordpress", accepts: [{ a: "" }], refuses: [{}] },
  "lists that PHP writes as objects": { schema: { type: "object", properties: { s: { enum: { "0": "a", "2": "b" } }, t: { type: { "1": "string", "2": "null" } }, u: { anyOf: { x: { type: "string" }, y: { type: "number" } } } }, required: { "1": "s" } }, zod: 'z.looseObject({ s: z.enum(["a","b"]), t: z.string().nullable().optional(), u: z.union([z.string(), z.number()]).optional() })', dialect: "wordpress", accepts: [{ s: "b", t: null, u: 1 }], refuses: [{}, { s: "c" }, { s: "a", u: true }] },
  "names of the prototype": { schema: { type: "object", properties: { toString: { type: "string" }, constructor: {} }, required: ["constructor"] }, zod: 'z.custom<{ toString?: string | undefined; constructor: unknown }>().check(object, ownProperties(["toString", "optional", z.string()], ["constructor", "required", z.unknown()]))', accepts: [{ constructor: 1 }, { constructor: 1, toString: "" }], refuses: [{}, { constructor: 1, toString: 1 }, []] },
  "__proto__ as a name": { schema: JSON.parse('{"type":"object","properties":{"__proto__":{"type":"string"}},"required":["__proto__"]}') as JsonValue, zod: 'z.custom<{ "__proto__": string }>().check(object, ownProperties(["__proto__", "required", z.string()]))', accepts: [proto("")], refuses: [{}, proto(1)] },
  "one pattern and nothing else": { schema: { type: "object", patternProperties: { "^a": { type: "number" } }, additionalProperties: false }, zod: 'z.custom<{ [key: string]: number }>().check(object, patternProperties(new RegExp("^a", "u"), z.number()), otherProperties(z.never(), [], new RegExp("^a", "u")))', accepts: [{ a1: 1 }, {}], refuses: [{ a1: "" }, { b: 1 }, JSON.parse('{"__proto__":1}')] },
  "patterns beside properties": { schema: { type: "object", properties: { b: {} }, patternProperties: { "^a": { type: "number" } }, additionalProperties: false }, zod: 'z.custom<{ b?: unknown; [key: string]: unknown }>().check(object, patternProperties(new RegExp("^a", "u"), z.number()), otherProperties(z.never(), ["b"], new RegExp("^a", "u")))', accepts: [{ a1: 1, b: 1 }], refuses: [{ a1: "" }, { c: 1 }] },
  "propertyNames": { schema: { type: "object", propertyNames: { maxLength: 1 } }, zod: "z.custom<{ [key: string]: unknown }>().check(object, propertyNames(z.string().max(1)))", accepts: [{ a: 1 }], refuses: [{ ab: 1 }, JSON.parse('{"__proto__":1}')] },
  "propertyNames that says nothing": { schema: { type: "object", propertyNames: { type: "string" } }, zod: "z.record(z.string(), z.unknown())", accepts: [{ a: 1 }], refuses: [] },
  "counted properties": { schema: { type: "object", minProperties: 1, maxProperties: 2 }, zod: "z.custom<{ [key: string]: unknown }>().check(object, minProperties(1), maxProperties(2))", accepts: [{ a: 1 }, JSON.parse('{"__proto__":1}')], refuses: [{}, { a: 1, b: 1, c: 1 }] },
  "dependentRequired": { schema: { type: "object", dependentRequired: { a: ["b"] } }, zod: 'z.record(z.string(), z.unknown()).check(dependentRequired("a", ["b"]))', accepts: [{}, { a: 1, b: 1 }], refuses: [{ a: 1 }] },
  "dependencies": { schema: { type: "object", dependencies: { a: ["b"], c: { minProperties: 2, type: "object" } } }, dialect: "draft-07", zod: 'z.custom<{ [key: string]: unknown }>().check(object, dependentRequired("a", ["b"]), dependentSchema("c", z.custom<{ [key: string]: unknown }>().check(object, minProperties(2))))', accepts: [{}, { a: 1, b: 1 }], refuses: [{ a: 1 }, { c: 1 }] },
  "a list": { schema: { type: "array", items: { type: "string" }, minItems: 1, maxItems: 2 }, zod: "z.array(z.string()).min(1).max(2)", accepts: [["a"]], refuses: [[], ["a", "b", "c"], [1]] },
  "uniqueItems": { schema: { type: "array", uniqueItems: true }, zod: "z.array(z.unknown()).check(uniqueItems)", accepts: [[1, "1", true], [{ a: 1 }, { a: 2 }]], refuses: [[1, 1], [{ a: 1, b: 2 }, { b: 2, a: 1 }]] },
  "contains": { schema: { type: "array", contains: { const: 1 }, maxContains: 2 }, zod: "z.array(z.unknown()).check(contains(z.literal(1), 1, 2))", accepts: [[1], [1, 2, 1]], refuses: [[], [2], [1, 1, 1]] },
  "a tuple may end early": { schema: { type: "array", prefixItems: [{ type: "string" }, { type: "number" }], minItems: 1 }, zod: "z.tuple([z.string(), z.number().exactOptional()]).rest(z.unknown())", accepts: [["a"], ["a", 1, null]], refuses: [[], ["a", "b"]] },
  "a tuple that begins with anything": { schema: { type: "array", prefixItems: [{}, { type: "string" }], minItems: 1 }, zod: "z.tuple([z.nonoptional(z.unknown()), z.string().exactOptional()]).rest(z.unknown())", accepts: [[1], [1, "a"]], refuses: [[], [1, 1]] },
  "a tuple of draft 7": { schema: { type: "array", items: [{ type: "string" }], additionalItems: false }, dialect: "draft-07", zod: "z.tuple([z.string().exactOptional()])", accepts: [[], ["a"]], refuses: [["a", 1]] },
  "anyOf": { schema: { anyOf: [{ type: "string" }, { type: "number" }, { type: "null" }] }, zod: "z.union([z.string(), z.number()]).nullable()", accepts: ["", 1, null], refuses: [true] },
  "anyOf constants": { schema: { anyOf: [{ const: "a" }, { const: "b" }] }, zod: 'z.enum(["a","b"])', accepts: ["a"], refuses: ["c"] },
  "oneOf that overlaps": { schema: { oneOf: [{ type: "number" }, { type: "number", minimum: 5 }] }, zod: "z.xor([z.number(), z.number().min(5)])", accepts: [1], refuses: [5, ""] },
  "oneOf that cannot": { schema: { oneOf: [{ type: "number" }, { type: "string" }] }, zod: "z.union([z.number(), z.string()])", accepts: [1, ""], refuses: [null] },
  "a discriminated union": { schema: { oneOf: [{ type: "object", properties: { k: { const: "a" } }, required: ["k"] }, { type: "object", properties: { k: { enum: ["b", "c"] } }, required: ["k"] }] }, zod: 'z.discriminatedUnion("k", [z.looseObject({ k: z.literal("a") }), z.looseObject({ k: z.enum(["b","c"]) })])', accepts: [{ k: "a" }, { k: "c" }], refuses: [{}, { k: "d" }] },
  "a union with an optional tag": { schema: { oneOf: [{ type: "object", properties: { k: { const: "a" } } }, { type: "object", properties: { k: { const: "b" } } }] }, zod: 'z.xor([z.looseObject({ k: z.literal("a").optional() }), z.looseObject({ k: z.literal("b").optional() })])', accepts: [{ k: "a" }], refuses: [{}] },
  "allOf of open objects": { schema: { allOf: [{ type: "object", properties: { a: { type: "string" } } }, { properties: { b: { type: "number" } }, required: ["a"] }] }, zod: "z.looseObject({ a: z.string(), b: z.number().optional() })", accepts: [{ a: "" }], refuses: [{ b: 1 }, { a: "", b: "" }, 1] },
  "allOf of closed objects": { schema: { allOf: [{ type: "object", properties: { a: {} }, additionalProperties: false }, { type: "object", properties: { b: {} }, additionalProperties: false }] }, zod: "z.strictObject({ a: z.unknown().optional() }).check(fits(z.strictObject({ b: z.unknown().optional() })))", accepts: [{}], refuses: [{ a: 1 }, { b: 1 }] },
  "a base with alternatives": { schema: { type: "object", properties: { a: {}, b: {} }, anyOf: [{ required: ["a"] }, { required: ["b"] }] }, zod: "z.looseObject({ a: z.unknown().optional(), b: z.unknown().optional() }).check(fits(z.union([z.looseObject({ a: z.unknown() }), z.looseObject({ b: z.unknown() })])))", accepts: [{ a: 1 }, { b: 1 }], refuses: [{}, { c: 1 }] },
  "not": { schema: { not: { type: "string" } }, zod: "z.unknown().check(fitsNot(z.string()))", accepts: [1], refuses: [""] },
  "if": { schema: { type: "object", properties: { a: {} }, if: { required: ["a"] }, then: { required: ["b"] }, else: { required: ["c"] } }, zod: "z.looseObject({ a: z.unknown().optional(), b: z.unknown().optional(), c: z.unknown().optional() }).check(fitsIf(", accepts: [{ a: 1, b: 1 }, { c: 1 }], refuses: [{ a: 1 }, {}] },
  "keywords without a type": { schema: { minLength: 2 }, zod: "z.union([z.record(z.string(), z.unknown()), z.array(z.unknown()), z.string().min(2), z.number(), z.boolean()]).nullable()", accepts: ["ab", 1, null, {}, []], refuses: ["a"] },
  "unevaluatedProperties over allOf": { schema: { type: "object", allOf: [{ properties: { a: {} } }], properties: { b: {} }, unevaluatedProperties: false }, zod: "z.strictObject({ b: z.unknown().optional(), a: z.unknown().optional() })", accepts: [{ a: 1, b: 1 }], refuses: [{ c: 1 }] },
  "descriptions": { schema: { type: "object", description: "All", properties: { a: { type: "string", description: "One" } } }, zod: 'z.looseObject({ a: z.string().optional().describe("One") }).describe("All")', accepts: [{}], refuses: [] },
  "what models read, beside a description": { schema: { type: "object", properties: { a: { type: "integer", description: "One", default: 3, minimum: 0, maximum: 9, deprecated: true }, b: { type: "array", items: { type: "string", examples: ["x"] } } } }, zod: 'z.looseObject({ a: z.int().min(0).max(9).optional().meta({"description":"One","default":3,"deprecated":true}), b: z.array(z.string().meta({"examples":["x"]})).optional() })', accepts: [{}], refuses: [] },
  "a title that differs from the name": { schema: { type: "object", title: "Args", properties: { a_b: { title: "A B" }, c: { title: "See d" }, d: { title: "See c", description: "One" } } }, zod: 'z.looseObject({ a_b: z.unknown().optional(), c: z.unknown().optional().meta({"title":"See d"}), d: z.unknown().optional().describe("One") })', accepts: [{}], refuses: [] },
  "a long example": { schema: { examples: ["x".repeat(500)], default: "x".repeat(500) }, zod: "z.unknown();", accepts: [], refuses: [] },
  "defaults are said and never filled": { schema: { type: "object", properties: { a: { type: "string", default: "x" } }, required: ["a"] }, zod: 'z.looseObject({ a: z.string().meta({"default":"x"}) })', accepts: [{ a: "" }], refuses: [{}] },
}; // prettier-ignore

describe("each keyword", () => {
  it.each(Object.entries(CASES))("%s", (_, { schema, zod, accepts, refuses, dialect }) => {
    const options = dialect ? { dialect } : {};
    const printed = printZodModule(schema, { name: "Printed", ...options });
    expect(printed.text).toContain(`export const Printed = ${zod}`);
    expect(printed.diagnostics).toEqual([]);
    const parser = toZod(schema, dialect);
    for (const value of accepts) {
      const result = parser.safeParse(value);
      expect(result.success, `should accept ${JSON.stringify(value)}`).toBe(true);
      expect(result.data).toEqual(value);
    }
    for (const value of refuses)
      expect(parser.safeParse(value).success, `should refuse ${JSON.stringify(value)}`).toBe(false);
  });

  it("an optional output key may be absent but not undefined", () => {
    const schema = { type: "object", properties: { a: { type: "string" } } };
    const { text } = printZodModule(schema, { name: "Printed", side: "output" });
    expect(text).toContain("z.looseObject({ a: z.string().exactOptional() })");
    expect(toZod(schema, undefined, "output").safeParse({ a: undefined }).success).toBe(false);
    expect(toZod(schema, undefined, "input").safeParse({ a: undefined }).success).toBe(true);
  });
});

it("annotations are in the JSON Schema that Zod creates", () => {
  const schema = {
    type: "object",
    properties: {
      at: { type: "string", format: "date-time", description: "When", default: "2024-01-01T00:00:00Z" },
      list: { type: "array", items: { type: "string", examples: ["x"] }, deprecated: true },
    },
  };
  expect(z.toJSONSchema(toZod(schema), { io: "input" })).toMatchObject(schema);
});

describe("unsupported keywords", () => {
  const LOOSENED: readonly (readonly [title: string, schema: JsonValue, path: string, accepts: JsonValue])[] = [
    ["an invalid pattern", { type: "string", pattern: "(" }, "/pattern", "x"],
    ["an invalid pattern, negated", { not: { type: "string", pattern: "(" } }, "/not", "x"],
    ["an invalid pattern, as a condition", { if: { type: "string", pattern: "(" }, then: false, else: { type: "number" } }, "/if", "x"],
    ["an invalid pattern, in a branch of oneOf", { oneOf: [{ type: "string", pattern: "(" }, { type: "string" }] }, "/oneOf", "x"],
    ["an invalid pattern, in contains", { type: "array", contains: { type: "string", pattern: "(" }, maxContains: 1 }, "/maxContains", ["x", "y"]],
    ["a reference to nothing", { $ref: "#/$defs/gone" }, "/$ref", 1],
    ["a boolean required", { type: "object", properties: { a: { required: true } } }, "/properties/a/required", {}],
    ["an unknown type", { type: "file" }, "/type", 1],
    ["a keyword with a value of the wrong type", { type: "object", properties: { a: 5 }, required: "a" }, "/required", {}],
    ["an invalid pattern, with unevaluatedProperties", { type: "object", anyOf: [{ patternProperties: { "(": {} } }], unevaluatedProperties: false }, "/unevaluatedProperties", { c: 1 }],
  ]; // prettier-ignore

  it.each(LOOSENED)("%s has a diagnostic and accepts the value", (_, schema, path, value) => {
    const { diagnostics } = printZodModule(schema, { name: "Printed" });
    expect(diagnostics.map((item) => item.code)).toContain("KEYWORD_LOOSENED");
    expect(diagnostics.map((item) => item.path)).toContain(path);
    expect(toZod(schema).safeParse(value).success).toBe(true);
  });
});

describe("interpreted schemas", () => {
  const INTERPRETED: readonly (readonly [title: string, schema: JsonValue, zod: string, right: JsonValue, wrong: JsonValue, path: readonly PropertyKey[]])[] = [
    ["properties that alternatives leave unevaluated", { type: "object", anyOf: [{ properties: { a: {} }, required: ["a"] }, { properties: { b: {} } }], unevaluatedProperties: false }, 'z.custom<{ a: unknown } | { b?: unknown }>().check(fits(z.union([z.looseObject({ a: z.unknown() }), z.looseObject({ b: z.unknown().optional() })])), fitsJsonSchema({"type":"object","anyOf":[{"type":["object","array","string","number","boolean","null"],"properties":{"a":true},"required":["a"]},', { a: 1, b: 2 }, { a: 1, c: 3 }, ["c"]],
    ["properties that a condition leaves unevaluated", { type: "object", if: { properties: { a: { const: 1 } }, required: ["a"] }, then: { properties: { b: {} } }, unevaluatedProperties: { type: "string" } }, "z.looseObject({ a: z.unknown().optional(), b: z.unknown().optional() }).check(fitsIf(", { a: 1, b: 2, c: "x" }, { b: 2 }, ["b"]],
    ["items that contains leaves unevaluated", { type: "array", contains: { type: "string" }, unevaluatedItems: { type: "number" } }, "z.array(z.unknown()).check(contains(z.string())).check(fitsJsonSchema(", ["a", 1], ["a", null], [1]],
    ["the value of a property", { type: "object", properties: { in: { oneOf: [{ type: "object", properties: { k: { const: 1 } }, required: ["k"] }, { type: "object", properties: { k: { const: 2 }, x: {} }, required: ["k"] }], unevaluatedProperties: false } } }, "z.looseObject({ in: z.custom<{ k: 1 } | { k: 2; x?: unknown }>().check(fits(z.union([", { in: { k: 2, x: 1 } }, { in: { k: 1, x: 1 } }, ["in", "x"]],
    ["a schema that refers to itself", { type: "object", properties: { next: { $ref: "#" } }, anyOf: [{ properties: { a: {} } }], unevaluatedProperties: false }, "z.ZodType = /* @__PURE__ */ z.lazy(", { a: 1, next: { a: 1, next: {} } }, { next: { b: 1 } }, ["next", "b"]],
  ]; // prettier-ignore

  it.each(INTERPRETED)("%s", (_, schema, zod, right, wrong, path) => {
    const { text, diagnostics } = printZodModule(schema, { name: "Printed" });
    expect(text).toContain(zod);
    expect(diagnostics.map(({ code }) => code)).toEqual(["SCHEMA_FALLBACK"]);
    const parser = toZod(schema);
    expect(parser.safeParse(right).error).toBe(undefined);
    // The error is at the property that causes it.
    expect(parser.safeParse(wrong).error?.issues.map((issue) => issue.path)).toContainEqual(path);
  });

  it("keep every name and text as data", () => {
    const name = "a*/`${x}`\u2028";
    const properties = JSON.parse(
      `{ "__proto__": { "type": "string" }, ${JSON.stringify(name)}: {} }`,
    ) as JsonValue;
    const parser = toZod({ type: "object", anyOf: [{ properties }], unevaluatedProperties: false });
    const named = JSON.parse(`{ "__proto__": "x", ${JSON.stringify(name)}: 1 }`) as JsonValue;
    expect(parser.safeParse(named).data).toEqual(named);
    expect(parser.safeParse(proto(1)).success).toBe(false);
    expect(parser.safeParse({ b: 1 }).success).toBe(false);
  });

  it("are negated as a whole", () => {
    const inner = {
      anyOf: [{ properties: { a: {} } }, { properties: { b: {} } }],
      unevaluatedProperties: false,
    };
    const parser = toZod({ type: "object", not: inner });
    expect([{ a: 1 }, { c: 1 }].map((value) => parser.safeParse(value).success)).toEqual([false, true]);
  });
});

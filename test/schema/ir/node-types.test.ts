import { expect, test, describe, it } from "vitest";
import type { JsonObject, JsonValue } from "../../../src/core/json.js";
import type { JsonType, SchemaIR, Annotations } from "../../../src/core/schema-ir.js";
import { areAllDisjoint, bitOf, jsonTypeOf, typesOf } from "../../../src/schema/ir/node-types.js";
import { parseSchema, ParseMemo } from "../../../src/schema/ir/parse-schema.js";
import { isApproximate } from "../../../src/schema/ir/subschemas.js";

const TYPES: readonly JsonType[] = ["null", "boolean", "number", "string", "array", "object"];

test.each<[JsonValue, string]>([
  [null, "null"],
  [true, "boolean"],
  [1, "integer"],
  [1.5, "number"],
  ["", "string"],
  [[], "array"],
  [{}, "object"],
])("the type of %j is %s", (value, type) => {
  expect(jsonTypeOf(value)).toBe(type);
});

test.each<[JsonValue, readonly JsonType[]]>([
  [true, TYPES],
  [false, []],
  [{ type: ["null", "object"] }, ["null", "object"]],
  [{ type: "integer" }, ["number"]],
  [{ enum: [null, "a", 1, false, [], {}] }, TYPES],
  [{ const: {} }, ["object"]],
  [{ const: [] }, ["array"]],
  [{ anyOf: [{ type: "string" }, { type: "array" }] }, ["string", "array"]],
  [{ allOf: [{ type: ["string", "null"] }, { type: ["string", "array"] }] }, ["string"]],
  [{ not: { type: "string" } }, TYPES],
  [{ if: { type: "string" }, then: false }, TYPES],
  [{ $ref: "#/$defs/a", $defs: { a: { type: "boolean" } } }, ["boolean"]],
  [{ type: "object", properties: {}, unevaluatedProperties: false }, ["object"]],
])("%j accepts values of these types alone: %j", (schema, types) => {
  const { ir, definitions } = parseSchema(schema);
  const accepted = typesOf(ir, definitions);
  expect(TYPES.filter((type) => (accepted & bitOf(type)) !== 0)).toEqual(types);
});

const tagged = (tag: JsonObject, more: JsonObject = {}): JsonObject => ({
  type: "object",
  properties: { kind: tag },
  required: ["kind"],
  ...more,
});

test.each<[boolean, readonly JsonValue[]]>([
  [true, [{ type: "string" }, { type: "object" }]],
  [false, [{ type: "string" }, { type: ["string", "null"] }]],
  [true, [{ enum: ["a", "b"] }, { const: "c" }]],
  [false, [{ enum: ["a", "b"] }, { enum: ["b", "c"] }]],
  // Lists and objects are not compared.
  [false, [{ const: [1] }, { const: [2] }]],
  [false, [{ type: "string" }, { const: "c" }]],
  [true, [tagged({ const: "a" }), tagged({ const: "b" }), { type: "null" }]],
  [true, [tagged({ enum: ["a", "c"] }), tagged({ const: "b" })]],
  [false, [tagged({ const: "a" }), tagged({ enum: ["a", "b"] })]],
  [false, [tagged({ const: "a" }), tagged({ const: "b" }, { required: [] })]],
  [false, [tagged({ const: "a" }), tagged({ type: "string" })]],
  [true, [tagged({ const: "a" }), false]],
])("whether no value fits two of these is %s: %j", (areDisjoint, [...members]) => {
  const nodes = members.map((member) => parseSchema(member).ir);
  expect(areAllDisjoint(nodes, new Map())).toBe(areDisjoint);
});

test("an interpreted schema is as exact as its rule", () => {
  const at = "";
  const any: SchemaIR = { kind: "any", at };
  const slow: SchemaIR = { kind: "string", at, pattern: "^(a+)+$" };
  const answers = [
    { schema: any, rule: slow },
    { schema: slow, rule: any },
  ].map((parts) => isApproximate({ kind: "interpreted", at, ...parts }, { definitions: new Map() }));
  expect(answers).toEqual([true, false]);
});

const text: JsonObject = { type: "string" };
const node: JsonObject = { type: "object", properties: { next: { $ref: "#/$defs/node" } } };
const list: JsonObject = { type: "array", items: { anyOf: [text, { $ref: "#/$defs/node" }] } };
const before: JsonObject = {
  type: "object",
  properties: { list, title: { type: "string", maxLength: 9 } },
  $defs: { node },
};

describe("a schema that shares objects with one that was read", () => {
  it.each<[string, JsonObject, number]>([
    ["has another property", { ...before, properties: { list, title: { type: "string", maxLength: 5 } } }, 2],
    ["has an object at another place", { ...before, properties: { items: list } }, 5],
    ["has another definition", { ...before, $defs: { node: { type: "object" } } }, 2],
    ["has no definition", { type: "object", properties: { list } }, 4],
    ["is of another dialect", { ...before, $schema: "http://json-schema.org/draft-07/schema#" }, 8],
  ])("is read as without a memo: it %s", (_what, schema, count) => {
    const memo = new ParseMemo();
    parseSchema(before, { memo });
    const read = memo.count;
    const { ir, definitions } = parseSchema(schema, { memo });
    const plain = parseSchema(schema);
    expect(ir).toEqual(plain.ir);
    expect(definitions).toEqual(plain.definitions);
    expect(memo.count - read).toBe(count);
  });
});

const NUMBER = "9223372036854775807";

const ROWS: [JsonObject, Annotations | undefined][] = [
  [{}, undefined],
  [{ title: "a", description: "b" }, { title: "a", description: "b" }],
  [{ title: 1, description: null }, undefined],
  [{ deprecated: true, readOnly: true, writeOnly: true }, { deprecated: true, readOnly: true, writeOnly: true }],
  [{ deprecated: false, readOnly: 1 }, undefined],
  [{ default: null, examples: [null, 1] }, { default: null, examples: [null, 1] }],
  [{ examples: [] }, undefined],
  [{ examples: 1 }, undefined],
  [{ default: NUMBER, examples: [1, NUMBER] }, { examples: [1] }],
  [{ examples: [NUMBER] }, undefined],
]; // prettier-ignore

test.each(ROWS)("reads the annotations of an integer with %j", (keywords, annotations) => {
  expect(parseSchema({ type: "integer", ...keywords }).ir.annotations).toEqual(annotations);
});

test.each<[number: string, shown: string]>([
  [NUMBER, NUMBER],
  ["9".repeat(40), "9".repeat(40)],
  ["9".repeat(41), `${"9".repeat(40)}…`],
])("reports at most 40 characters of a number that JavaScript cannot hold: %s", (number, shown) => {
  expect(parseSchema({ type: "integer", minimum: number }).diagnostics).toEqual([
    {
      code: "KEYWORD_LOOSENED",
      path: "/minimum",
      message: `"minimum" is not checked: JavaScript cannot hold the number ${shown}.`,
    },
  ]);
});

import { expect, test } from "vitest";
import type { JsonObject, JsonValue } from "../../../src/core/json.js";
import type { JsonType, SchemaIR } from "../../../src/core/schema-ir.js";
import { areAllDisjoint, bitOf, jsonTypeOf, typesOf } from "../../../src/schema/ir/node-types.js";
import { parseSchema } from "../../../src/schema/ir/parse-schema.js";
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

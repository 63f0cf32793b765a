import { expect, test } from "vitest";
import { flattenUnions, toGeminiSchema } from "../../../src/core/hosts/gemini-schema.js";
import type { HostRuleName } from "../../../src/core/hosts/host-rules.js";
import type { JsonObject } from "../../../src/core/json.js";

const KEYWORD = "gemini-parameters-keyword";
const ANY = { anyOf: [{ type: "string" }, { type: "number" }, { type: "boolean" }, { type: "object" }] };
const text = { type: "string" };
const whole = { type: "integer" };

const SCHEMAS: [JsonObject, JsonObject, loss?: HostRuleName][] = [
  [{ ...text, minLength: 1, pattern: "a" }, { ...text, minLength: 1, pattern: "a" }],
  [{}, ANY, "gemini-parameters-type-missing"],
  [{ type: "null" }, { type: "null" }],
  [{ type: ["string", "null"] }, { ...text, nullable: true }],
  [{ type: ["string", "integer"], minLength: 1 }, { anyOf: [{ ...text, minLength: 1 }, whole] }],
  [{ anyOf: [text, { type: "null" }] }, { ...text, nullable: true }],
  [{ anyOf: [text, whole, { type: "null" }] }, { anyOf: [text, whole], nullable: true }],
  [{ const: "a" }, { ...text, enum: ["a"] }],
  [{ const: 1 }, { type: "number", enum: ["1"], format: "enum" }],
  [{ const: { a: 1 } }, { type: "object" }, "gemini-parameters-enum"],
  [{ enum: ["a", "b"] }, { ...text, enum: ["a", "b"] }],
  [{ ...text, enum: ["a", null] }, { ...text, enum: ["a"] }],
  [{ type: ["string", "null"], enum: ["a", null] }, { ...text, enum: ["a"], nullable: true }],
  [{ type: ["string", "null"], enum: ["a"] }, { ...text, enum: ["a"] }],
  [{ ...whole, minimum: 1, maximum: 9 }, { ...whole, minimum: 1, maximum: 9 }],
  [{ ...whole, exclusiveMinimum: 1, exclusiveMaximum: 9 }, { ...whole, minimum: 2, maximum: 8 }],
  [{ ...whole, minimum: 5, exclusiveMinimum: 1 }, { ...whole, minimum: 5 }],
  [{ ...whole, minimum: 1, exclusiveMinimum: 5 }, { ...whole, minimum: 6 }],
  [{ ...whole, maximum: 5, exclusiveMaximum: 9 }, { ...whole, maximum: 5 }],
  [{ ...whole, exclusiveMinimum: 1.5 }, { ...whole, minimum: 1.5 }, KEYWORD],
  [{ type: "number", exclusiveMinimum: 1 }, { type: "number", minimum: 1 }, KEYWORD],
  [{ type: "array" }, { type: "array", items: ANY }, "gemini-parameters-type-missing"],
  [{ type: "array", prefixItems: [], items: text }, { type: "array", items: text }],
  [{ type: "array", prefixItems: [text] }, { type: "array", items: text }],
  [{ type: "array", prefixItems: [text, whole] }, { type: "array", items: { anyOf: [text, whole] } }, KEYWORD],
  [{ type: "object", properties: { a: text }, required: ["a"], additionalProperties: false }, { type: "object", properties: { a: text }, required: ["a"] }],
  [{ type: "object", additionalProperties: {} }, { type: "object" }],
  [{ type: "object", additionalProperties: text }, { type: "object" }, KEYWORD],
  [{ type: "object", patternProperties: { a: {} } }, { type: "object" }, KEYWORD],
  [{ type: "object", dependencies: {} }, { type: "object" }, KEYWORD],
]; // prettier-ignore

test.each(SCHEMAS)("writes %j as %j", (schema, written, loss) => {
  const losses = new Set<HostRuleName>();
  expect(toGeminiSchema(schema, losses)).toEqual(written);
  expect([...losses]).toEqual(loss === undefined ? [] : [loss]);
});

const having = (...names: readonly string[]): JsonObject => ({
  type: "object",
  properties: Object.fromEntries(names.map((name) => [name, text])),
  required: names,
});

const UNIONS: [JsonObject, JsonObject, loss?: HostRuleName][] = [
  [{ anyOf: [text, { type: "null" }] }, { anyOf: [text, { type: "null" }] }],
  [{ oneOf: [text, { type: "null" }] }, { anyOf: [text, { type: "null" }] }, KEYWORD],
  [{ ...text, anyOf: [{ minLength: 1 }, { maxLength: 2 }] }, { anyOf: [{ ...text, minLength: 1 }, { ...text, maxLength: 2 }] }],
  [{ allOf: [text], minLength: 1 }, { ...text, minLength: 1 }],
  [{ allOf: [text, { minLength: 1 }] }, { ...text, minLength: 1 }, KEYWORD],
  [{ allOf: [{ $ref: "#/$defs/a" }], $defs: { a: text } }, { ...text, $defs: { a: text } }],
  [{ anyOf: [having("a"), having("b")] }, { anyOf: [having("a"), having("b")] }],
  [{ type: "object", oneOf: [having("a"), having("b")] }, { type: "object", properties: { a: text, b: text } }, KEYWORD],
  [{ allOf: [having("a"), having("b")] }, having("a", "b"), KEYWORD],
  [{ allOf: [having("a")], oneOf: [{ required: ["b"] }] }, { ...having("a"), required: ["a", "b"] }, KEYWORD],
  [{ type: "object", properties: { x: { oneOf: [text, whole] } } }, { type: "object", properties: { x: { anyOf: [text, whole] } } }, KEYWORD],
  [{ type: "array", items: { allOf: [text] } }, { type: "array", items: text }],
  // A circle of references has an end.
  [{ allOf: [{ $ref: "#" }] }, { allOf: [{ $ref: "#" }] }],
]; // prettier-ignore

test.each(UNIONS)("writes the unions of %j as %j", (schema, flat, loss) => {
  const losses = new Set<HostRuleName>();
  expect(flattenUnions(schema, losses)).toEqual(flat);
  expect([...losses]).toEqual(loss === undefined ? [] : [loss]);
});

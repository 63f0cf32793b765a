/** The values that are sampled from schemas: one for all variants, or those of the first three. */
import { expect, test } from "vitest";
import type { JsonValue } from "../../../src/core/json.js";
import { sampleValue } from "../../../src/schema/sample/sample-value.js";
import { readPart } from "../../../src/schema/sample/schema-part.js";
import { hintsOf, samplePattern } from "../../../src/schema/sample/sample-pattern.js";

function sample(schema: JsonValue, turn: number): JsonValue {
  return sampleValue([readPart(schema)], { turn, branches: new Map(), path: [] });
}

const SAMPLES: readonly (readonly [schema: JsonValue, values: readonly JsonValue[]])[] = [
  [{}, ["", 0, null]],
  [{ type: ["null", "integer", "string"] }, [null, 0, "c"]],
  [{ type: "number", exclusiveMinimum: 1, maximum: 2 }, [2]],
  [{ type: "number", exclusiveMinimum: 0, exclusiveMaximum: 1 }, [0.5]],
  [{ type: "integer", maximum: -1.5 }, [-2]],
  [{ minimum: 1, multipleOf: 4 }, [4]],
  [{ exclusiveMaximum: -4, multipleOf: 4 }, [-8]],
  [{ minimum: 5.05, maximum: 5.15, multipleOf: 0.1 }, [5.1]],
  [{ minimum: 0.25, multipleOf: 0.1 }, [0.4]],
  [{ type: "number", minimum: 0.2, maximum: 0.4 }, [0.30000000000000004]],
  [{ type: "integer", minimum: 0.2, maximum: 0.4 }, [0.2]],
  [{ type: "string" }, ["", "b", "c"]],
  [{ minLength: 3 }, ["aaa", "bbb", "ccc"]],
  [{ maxLength: 0 }, [""]],
  [{ type: "string", pattern: "^(x|yz)+$", minLength: 2, maxLength: 3 }, ["xx", "xxx", "yz"]],
  [{ allOf: [{ pattern: "^a" }, { pattern: "b$" }] }, ["", "b", "c"]],
  [{ type: "string", format: "date" }, ["2026-01-01"]],
  [{ enum: ["a", 1, null] }, ["a", 1, "a"]],
  [{ type: "number", enum: ["a", 1, 1.5] }, [1, 1.5, 1]],
  [{ allOf: [{ enum: ["a", "b", "c"] }, { enum: ["c", "b"] }] }, ["b", "c", "b"]],
  [{ enum: ["a", "b"], not: { const: "a" } }, ["b"]],
  [{ enum: ["a"], not: { const: "a" } }, ["a"]],
  [{ allOf: [{ type: ["integer", "string"] }, { type: ["number", "null"] }] }, [0]],
  [{ oneOf: [{ const: "a" }, { type: "null" }] }, ["a", null, "a"]],
  [{ type: "number", not: { minimum: 3 } }, [0]],
  [{ type: "number", not: { exclusiveMinimum: -3 } }, [-3]],
  [{ type: "number", not: { maximum: 3 } }, [4]],
  [{ type: "number", not: { exclusiveMaximum: 3 } }, [3]],
  [{ type: "string", not: { minLength: 1 } }, [""]],
  [{ type: "string", not: { maxLength: 1 } }, ["aa", "bb", "cc"]],
  [{ type: "array", minItems: 0, not: { minItems: 1 } }, [[]]],
  [{ type: "array", not: { maxItems: 1 } }, [["", ""], [0, 0], [null, null]]],
  [{ type: "object", not: { maxProperties: 0 } }, [{ extra: "" }, { extra: 0 }, { extra: null }]],
  [{ type: "object", properties: { a: {} }, not: { minProperties: 1 } }, [{}]],
  [{ type: "number", not: { minimum: 3, maximum: 5 } }, [0, 6, 0]],
  [{ type: "object", properties: { a: { type: "integer" }, b: { type: "string" } }, required: ["b"] }, [{ b: "" }, { b: "b" }, { b: "c" }]],
  [{ type: "object", properties: { a: { type: "integer" } }, minProperties: 2 }, [{ a: 0, extra: "" }, { extra: 0, extra1: 0 }, { a: 0, extra: null }]],
  [{ patternProperties: { "^x": { type: "null" } }, minProperties: 1 }, [{ x: null }]],
  [{ propertyNames: { enum: ["k.1"] }, minProperties: 1 }, [{ "k.1": "" }, { "k.1": 0 }, { "k.1": null }]],
  [{ required: ["a"], dependentRequired: { a: ["b"], b: ["c"] }, dependentSchemas: { c: { required: ["d"] } } }, [{ a: "", b: "", c: "", d: "" }, { a: 0, b: 0, c: 0, d: 0 }, { a: null, b: null, c: null, d: null }]],
  [{ type: "object", properties: { kind: { enum: ["a", "b"] } }, required: ["kind"], if: { type: "object", properties: { kind: { const: "a" } } }, then: { required: ["x"] }, else: { required: ["y"] } }, [{ kind: "b", y: "" }, { kind: "a", x: 0 }, { kind: "b", y: null }]],
  [{ prefixItems: [{ type: "integer" }], items: { type: "string" }, minItems: 2 }, [[0, ""], [0, "b"], [0, "c"]]],
  [{ type: "array", items: { type: "integer" }, minItems: 3, uniqueItems: true }, [[0, 1, 2]]],
  [{ items: { enum: ["a", "b", "c"] }, minItems: 3, uniqueItems: true }, [["a", "b", "c"], ["b", "c", "a"], ["c", "a", "b"]]],
  [{ items: { type: "object", properties: { a: { const: 1 } }, required: ["a"] }, minItems: 2, uniqueItems: true }, [[{ a: 1 }, { a: 1, extra: 1 }]]],
  [{ items: { type: "string", maxLength: 1 }, minItems: 10, uniqueItems: true }, [["", "b", "c", "d", "e", "f", "g", "h", "8", "9"], ["b", "c", "d", "e", "f", "g", "h", "a", "b8", "b9"], ["c", "d", "e", "f", "g", "h", "a", "b", "c8", "c9"]]],
  [{ type: "array", contains: { const: 7 }, minContains: 2 }, [[7, 7]]],
  [{ type: "array", contains: { const: 7 } }, [[7]]],
  [{ type: "object", unevaluatedProperties: { type: "null" }, required: ["z"] }, [{ z: null }]],
  [{ type: "array", prefixItems: [{ const: 1 }], unevaluatedItems: { type: "null" }, minItems: 2 }, [[1, null]]],
  [{ additionalProperties: { type: "boolean" }, required: ["z"] }, [{ z: true }, { z: false }, { z: true }]],
]; // prettier-ignore

test.each(SAMPLES)("the samples of %j are %j", (schema, values) => {
  const [first = null] = values;
  const expected = values.length === 1 ? [first, first, first] : values;
  expect([0, 1, 2].map((turn) => sample(schema, turn))).toEqual(expected);
});

test("a schema that requires itself has null at the deepest place", () => {
  const schema = { type: "object", properties: { n: { $ref: "#" } }, required: ["n"] };
  expect(JSON.stringify(sample(schema, 0))).toBe(`${'{"n":'.repeat(25)}null${"}".repeat(25)}`);
});

test("a schema that requires itself twice has a limited number of values", () => {
  const schema = { type: "object", properties: { a: { $ref: "#" }, b: { $ref: "#" } }, required: ["a", "b"] };
  expect(JSON.stringify(sample(schema, 0)).match(/null/g)?.length).toBeLessThan(5_000);
});

test("the value has the path that is asked for", () => {
  const schema = { properties: { a: { items: { type: "integer" } }, b: {} }, required: ["b"] };
  const choice = { turn: 0, branches: new Map<string, number>() };
  expect(sampleValue([readPart(schema)], { ...choice, path: ["a", 1] })).toEqual({ b: "", a: [0, 0] });
});

const NO_HINTS = { characters: [], counts: [] };

test.each<[pattern: string, texts: readonly string[]]>([
  ["^a$", ["a"]],
  ["^[\\x07a]$", ["a", "\u0007"]],
  ["^[\\u0007a]$", ["a", "\u0007"]],
  ["^[\\u{7}a]$", ["a", "\u0007"]],
  ["^[\\u{1F600}-\\u{1F603}]$", ["\u{1f600}", "\u{1f603}"]],
  ["^[\\ta]$", ["a", "\t"]],
  ["^[\\0b]$", ["\0", "b"]],
  ["^[\\.]$", ["."]],
  ["^\\d$", ["0", "1"]],
  ["^[b-d]$", ["b", "d"]],
  // None of the common characters.
  ["^[^\\0-\\u2ffe]$", ["\u2fff"]],
  ["^[^\\0-\\u2fff]$", [""]],
  ["^a{2,4}$", ["aa", "aaa", "aaaa"]],
  ["^(ab){0,2}$", ["", "ab", "abab"]],
  ["^(x|yz)$", ["x", "yz"]],
  ["^(?=.*\\d)[a-z]{3}$", ["aaa", "0aaa", "0aa", "zzz"]],
  ["(", []],
])("the samples of %s are %j", (pattern, texts) => {
  expect(samplePattern(pattern, NO_HINTS)).toEqual(texts);
});

test("tries the characters and the counts of hints that the pattern allows", () => {
  expect(samplePattern("^[0-9]{1,9}$", { characters: ["5", "x"], counts: [0, 1, 4, 9, 10] })).toEqual([
    ...["0", "00", "000000000", "0000"],
    ...["1", "9", "5"],
  ]);
});

test.each<[pattern: string, characters: string, counts: readonly number[]]>([
  ["^[b-d]$", "bac-,.de", []],
  ["^a{2,4}$", "a`b", [1, 2, 3, 4, 5]],
  ["^(ab)?$", "a`bc", [0, 1, 2]],
  ["^(ab)*$", "a`bc", [0, 1]],
  ["(", "", []],
])("the hints of %s are the characters %j and the counts %j", (pattern, characters, counts) => {
  expect(hintsOf(pattern)).toEqual({ characters: Array.from(characters), counts });
});

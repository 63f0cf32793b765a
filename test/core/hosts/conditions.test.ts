import { expect, test } from "vitest";
import { breaksMetaSchema, hasMixedEnum } from "../../../src/core/hosts/conditions.js";
import type { JsonObject, JsonValue } from "../../../src/core/json.js";

test.each<[keyword: string, allowed: readonly JsonValue[], refused: readonly JsonValue[]]>([
  ["title", ["", "a"], [1, null]],
  ["minimum", [0, -1.5], ["1", null]],
  ["maxLength", [0, 1, 2], [-1, 1.5, "1"]],
  ["multipleOf", [1, 0.1], [0, -1, "1"]],
  ["type", ["string", ["string"], ["null", "object"]], ["text", [], ["text"], [1], null]],
  ["required", [[], ["a"]], [true, "a", [1]]],
  ["uniqueItems", [true, false], ["true", 1]],
  ["pattern", ["^a$", "\\p{L}", "\\-"], ["(", 1]],
  ["properties", [{}, { a: {} }, { a: true }], [[], { a: 1 }, null]],
  ["not", [{}, true], [[], 1, null]],
  ["anyOf", [[{}], [true, {}]], [[], [1], {}]],
  ["dependencies", [{}, { a: ["b"] }], [[], 1]],
  ["x-unknown", [1, null, []], []],
])("%s may be one of %j, and none of %j", (keyword, allowed, refused) => {
  for (const isNew of [true, false]) {
    const find = breaksMetaSchema(isNew);
    expect(allowed.map((value) => find({ [keyword]: value }))).toEqual(allowed.map(() => undefined));
    expect(refused.map((value) => find({ title: "", [keyword]: value }))).toEqual(refused.map(() => keyword));
  }
});

test.each<[schema: JsonObject, inNew: string | undefined, inDraft07: string | undefined]>([
  [{ enum: [] }, undefined, "enum"],
  [{ enum: [1] }, undefined, undefined],
  [{ enum: 1 }, "enum", "enum"],
  [{ items: {} }, undefined, undefined],
  [{ items: [{}] }, "items", undefined],
  [{ items: [1] }, "items", "items"],
])("%j breaks %s in 2020-12, and %s in draft-07", (schema, inNew, inDraft07) => {
  expect(breaksMetaSchema(true)(schema)).toBe(inNew);
  expect(breaksMetaSchema(false)(schema)).toBe(inDraft07);
});

test.each<[schema: JsonObject, isMixed: boolean]>([
  [{}, false],
  [{ enum: [] }, false],
  [{ enum: ["a", "b", null] }, false],
  [{ enum: [null] }, false],
  [{ enum: ["a", 1] }, true],
  [{ type: "string", enum: ["a"] }, false],
  [{ type: ["string", "null"], enum: ["a"] }, false],
  [{ type: "string", enum: ["a", 1] }, true],
  [{ type: "string", enum: [1] }, true],
  [{ type: "integer", enum: [1] }, false],
  [{ type: ["string", "number"], enum: ["a"] }, true],
])("%j has an enum of several types: %s", (schema, isMixed) => {
  expect(hasMixedEnum(schema)).toBe(isMixed ? "enum" : undefined);
});

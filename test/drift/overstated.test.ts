import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../src/core/json.js";
import { diffTools } from "../../src/drift/diff-tools.js";
import { diffSide } from "./grid/keyword-cases.js";

const found = (before: JsonObject, after: JsonObject): readonly string[] =>
  diffTools([{ name: "t", inputSchema: before }], [{ name: "t", inputSchema: after }]).map(
    ({ rule, class: kind, path }) => `${rule} ${kind} ${path}`,
  );

const object = (a: JsonObject, more: JsonObject = {}): JsonObject => ({
  type: "object",
  properties: { a },
  ...more,
});

const tree = { properties: { a: { $ref: "#" } } };
const text = { type: "string" };
const closed = { additionalProperties: false };
const integer = (more: JsonObject): JsonObject => object({ type: "integer", ...more });

it.each<[string, JsonObject, JsonObject, ...string[]]>([
  // Arguments are an object even if the schema does not require it.
  ["the type of arguments that may be anything", {}, { type: "object" }],
  ["the type of arguments with properties", { properties: {} }, { type: "object" }],
  ["the only type that arguments can have", { type: ["object", "null"] }, { type: "object" }],
  ["a type that values below the arguments get too, by a reference", tree, { type: "object", ...tree }, "input-type-added breaking /inputSchema/type"],
  ["a type below the root", object({}), object({ type: "object" }), "input-type-added breaking /inputSchema/properties/a/type"],
  ["another type at the root", { type: "array" }, { type: "object" }, "input-type-changed breaking /inputSchema/type"],
  // Bounds of integers are compared within the safe integers, and of other numbers without limits.
  ["a bound below the greatest safe integer", integer({}), integer({ maximum: 9007199254740990 }), "input-bound-tightened breaking /inputSchema/properties/a/maximum"],
  ["a bound above the least safe integer", integer({ minimum: -9007199254740991 }), integer({ minimum: 1 }),
    "input-bound-tightened breaking /inputSchema/properties/a/minimum"],
  ["a bound of any number", object({ type: "number" }), object({ type: "number", maximum: 9007199254740991 }),
    "input-bound-tightened breaking /inputSchema/properties/a/maximum"],
  ["closing an object that was silent on other properties", object(text), object(text, closed),
    "input-additional-properties-closed dangerous /inputSchema/additionalProperties"],
  ["closing an object that was open in words", object(text, { additionalProperties: true }), object(text, closed),
    "input-additional-properties-closed breaking /inputSchema/additionalProperties"],
  ["closing an object that was open to some values", object(text, { additionalProperties: text }), object(text, closed),
    "input-additional-properties-closed breaking /inputSchema/additionalProperties"],
  // Such as a map.
  ["closing an object without properties below the root", object({ type: "object" }), object({ type: "object", ...closed }),
    "input-additional-properties-closed breaking /inputSchema/properties/a/additionalProperties"],
  ["closing arguments without properties", { type: "object" }, { type: "object", ...closed },
    "input-additional-properties-closed dangerous /inputSchema/additionalProperties"],
])("judges %s", (_what, before, after, ...changes) => {
  expect(found(before, after)).toEqual(changes);
  if (changes.length === 0) expect(found(after, before)).toEqual([]);
}); // prettier-ignore

it("shows a change with arguments that are an object", () => {
  const after = { type: "object", required: ["a"] };
  const [change] = diffTools([{ name: "t", inputSchema: {} }], [{ name: "t", inputSchema: after }]);
  expect(change).toMatchObject({ rule: "input-property-became-required", witness: {} });
});

describe("descriptions of a schema and of its branches", () => {
  const branches = (description?: string): JsonObject => ({
    anyOf: [
      { ...text, ...(description !== undefined && { description }) },
      { type: "number", minimum: 1 },
    ],
  });

  it.each<[string, JsonObject, JsonObject, readonly string[]]>([
    ["the schema loses its copy", { ...branches("D"), description: "D" }, branches("D"),
      ["input-description-removed safe /inputSchema/properties/a/description"]],
    ["the schema gets a copy", branches("D"), { ...branches("D"), description: "D" }, ["input-description-added safe /inputSchema/properties/a/description"]],
    ["the text moves", { ...branches(), description: "D" }, branches("D"), []],
    ["both copies change", { ...branches("D"), description: "D" }, { ...branches("E"), description: "E" },
      ["input-description-changed dangerous /inputSchema/properties/a/description"]],
    ["one copy changes", { ...branches("D"), description: "D" }, { ...branches("D"), description: "E" },
      ["input-description-changed dangerous /inputSchema/properties/a/description"]],
    ["two texts change, each at its own place", { ...branches("D"), description: "A" }, { ...branches("E"), description: "B" },
      ["", "/anyOf/0"].map((at) => `input-description-changed dangerous /inputSchema/properties/a${at}/description`)],
  ])("%s", (_what, before, after, expected) => {
    expect(found(object(before), object(after))).toEqual(expected);
  }); // prettier-ignore
});

it("does not report one constant of a union as the only value", () => {
  const before = object({ type: "string" });
  const after = object({ anyOf: [{ const: "all" }, { type: "array" }] });
  expect(found(before, after)).toEqual([
    "input-enum-introduced breaking /inputSchema/properties/a/anyOf/0/const",
    "input-union-branch-added safe /inputSchema/properties/a/anyOf/1",
  ]);
  expect(found(before, object({ const: "all" }))).toEqual([
    "input-const-introduced breaking /inputSchema/properties/a/const",
  ]);
});

it("does not call an edit safe that no finding names and no proof covers", () => {
  const of = (more: JsonObject): JsonObject => ({
    type: "object",
    properties: { v: { oneOf: [{ not: { multipleOf: 3 } }, { oneOf: [{ enum: [1.5], ...more }] }] } },
  });
  const reason = "No proof was found that the change is safe, and none that it is breaking.";
  expect(diffSide(of({}), of({ contains: {} }), "input")).toMatchObject([
    { rule: "input-schema-changed", class: "unknown", path: "/inputSchema", reason },
  ]);
});

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

describe("arguments are an object even if the schema does not require it", () => {
  it.each<[string, JsonObject]>([
    ["a schema that allows anything", {}],
    ["a schema without a type", { properties: {} }],
    ["a schema of several types", { type: ["object", "null"] }],
  ])("%s means the same as a schema of objects", (_what, schema) => {
    expect(found(schema, { type: "object" })).toEqual([]);
    expect(found({ type: "object" }, schema)).toEqual([]);
  });

  it("shows other changes with arguments that are an object", () => {
    const [change] = diffTools(
      [{ name: "t", inputSchema: {} }],
      [{ name: "t", inputSchema: { type: "object", required: ["a"] } }],
    );
    expect(change).toMatchObject({ rule: "input-property-became-required", witness: {} });
  });

  it("a schema that refers to itself also applies to values below the arguments", () => {
    const tree = { properties: { a: { $ref: "#" } } };
    expect(found(tree, { type: "object", ...tree })).toEqual(["input-type-added breaking /inputSchema/type"]);
  });

  it("compares types below the root, and a changed type at the root", () => {
    expect(found(object({}), object({ type: "object" }))).toEqual([
      "input-type-added breaking /inputSchema/properties/a/type",
    ]);
    expect(found({ type: "array" }, { type: "object" })).toEqual([
      "input-type-changed breaking /inputSchema/type",
    ]);
  });
});

describe("bounds of integers", () => {
  const integer = (more: JsonObject): JsonObject => object({ type: "integer", ...more });

  it("are compared within the safe integers", () => {
    expect(found(integer({}), integer({ maximum: 9007199254740990 }))).toEqual([
      "input-bound-tightened breaking /inputSchema/properties/a/maximum",
    ]);
    expect(found(integer({ minimum: -9007199254740991 }), integer({ minimum: 1 }))).toEqual([
      "input-bound-tightened breaking /inputSchema/properties/a/minimum",
    ]);
  });

  it("are compared without limits for numbers that are not integers", () => {
    expect(found(object({ type: "number" }), object({ type: "number", maximum: 9007199254740991 }))).toEqual([
      "input-bound-tightened breaking /inputSchema/properties/a/maximum",
    ]);
  });
});

describe("closing an object", () => {
  const text = { type: "string" };
  it.each<[string, JsonObject, string]>([
    ["silent on other properties", object(text), "dangerous"],
    ["open in words", object(text, { additionalProperties: true }), "breaking"],
    ["open to some values", object(text, { additionalProperties: text }), "breaking"],
  ])("that was %s", (_what, before, kind) => {
    expect(found(before, { ...before, additionalProperties: false })).toEqual([
      `input-additional-properties-closed ${kind} /inputSchema/additionalProperties`,
    ]);
  });

  it("without properties, such as a map, breaks callers below the root only", () => {
    const map = { type: "object" };
    expect(found(object(map), object({ ...map, additionalProperties: false }))).toEqual([
      "input-additional-properties-closed breaking /inputSchema/properties/a/additionalProperties",
    ]);
    expect(found(map, { ...map, additionalProperties: false })).toEqual([
      "input-additional-properties-closed dangerous /inputSchema/additionalProperties",
    ]);
  });
});

describe("descriptions of a schema and of its branches", () => {
  const branches = (text?: string): JsonObject => ({
    anyOf: [
      { type: "string", ...(text !== undefined && { description: text }) },
      { type: "number", minimum: 1 },
    ],
  });

  it.each<[string, JsonObject, JsonObject, readonly string[]]>([
    [
      "the schema loses its copy",
      { ...branches("D"), description: "D" },
      branches("D"),
      ["input-description-removed safe /inputSchema/properties/a/description"],
    ],
    [
      "the schema gets a copy",
      branches("D"),
      { ...branches("D"), description: "D" },
      ["input-description-added safe /inputSchema/properties/a/description"],
    ],
    ["the text moves", { ...branches(), description: "D" }, branches("D"), []],
    [
      "both copies change",
      { ...branches("D"), description: "D" },
      { ...branches("E"), description: "E" },
      ["input-description-changed dangerous /inputSchema/properties/a/description"],
    ],
    [
      "one copy changes",
      { ...branches("D"), description: "D" },
      { ...branches("D"), description: "E" },
      ["input-description-changed dangerous /inputSchema/properties/a/description"],
    ],
    [
      "two texts change, each at its own place",
      { ...branches("D"), description: "A" },
      { ...branches("E"), description: "B" },
      [
        "input-description-changed dangerous /inputSchema/properties/a/description",
        "input-description-changed dangerous /inputSchema/properties/a/anyOf/0/description",
      ],
    ],
  ])("%s", (_what, before, after, expected) => {
    expect(found(object(before), object(after))).toEqual(expected);
  });
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

import { expect, test } from "vitest";
import type { JsonValue } from "../../src/core/json.js";
import { diffTools } from "../../src/drift/diff-tools.js";
import { normalizeWordPressTool, publishTool } from "../../src/drift/normalize-wordpress-tool.js";

function tool(inputSchema: JsonValue): { readonly name: string; readonly inputSchema: JsonValue } {
  return { name: "t", inputSchema };
}

const TEXT = { type: "string" };

test.each<[string, JsonValue, JsonValue]>([
  ["required at a property", { properties: { a: { ...TEXT, required: true }, b: { ...TEXT, required: false } } },
    { properties: { a: TEXT, b: TEXT }, required: ["a"] }],
  ["a list of required names, which overrides `required` of properties", { properties: { a: { ...TEXT, required: true }, b: TEXT }, required: ["b"] },
    { properties: { a: TEXT, b: TEXT }, required: ["b"] }],
  ["a list with gaps", { required: { "1": "a", "3": "b" } }, { required: ["a", "b"] }],
  ["an enum with names", { enum: { s: "small", l: "large" } }, { enum: ["small", "large"] }],
  ["an exclusive bound", { minimum: 0, exclusiveMinimum: true, maximum: 9, exclusiveMaximum: false }, { exclusiveMinimum: 0, maximum: 9 }],
  ["keys that PHP reads", { properties: { a: { ...TEXT, sanitize_callback: "f", arg_options: {} } } }, { properties: { a: TEXT } }],
  [
    "keys of the REST API, which WordPress 7.1 leaves out",
    {
      properties: { a: { ...TEXT, context: ["view"], readonly: true } },
      dependencies: { a: { ...TEXT, arg_options: {} }, b: ["a"] },
      additionalItems: { ...TEXT, readonly: true },
    },
    { properties: { a: TEXT }, dependencies: { a: TEXT, b: ["a"] }, additionalItems: TEXT },
  ],
  ["PHP's empty array as the default of an object", { type: "object", default: [], properties: { a: { type: "array", default: [] } } },
    { type: "object", default: {}, properties: { a: { type: "array", default: [] } } }],
  ["properties with those names", { properties: { context: TEXT, readonly: TEXT } }, { properties: { context: TEXT, readonly: TEXT } }],
  ["PHP's empty arrays", { properties: { a: { type: "object", properties: [] }, b: [] }, additionalProperties: [] },
    { properties: { a: { type: "object", properties: {} }, b: {} }, additionalProperties: {} }],
  ["names that are numbers", { properties: [TEXT, TEXT] }, { properties: { "0": TEXT, "1": TEXT } }],
  ["branches and items", { anyOf: { "2": { items: { minimum: 1, exclusiveMinimum: true } } } }, { anyOf: [{ items: { exclusiveMinimum: 1 } }] }],
  ["a property of the name __proto__", JSON.parse('{"properties":{"__proto__":{"required":true}}}') as JsonValue,
    JSON.parse('{"properties":{"__proto__":{}},"required":["__proto__"]}') as JsonValue],
])("%s", (_what, wordpress, standard) => {
  expect(JSON.stringify(normalizeWordPressTool(tool(wordpress)))).toEqual(JSON.stringify(tool(standard)));
}); // prettier-ignore

const REGISTERED: JsonValue = {
  type: "object",
  title: "Kept",
  properties: {
    const: { ...TEXT, const: "a", examples: ["a"] },
    list: { type: "array", items: [{ $comment: "x" }], additionalItems: { if: {} } },
    map: { patternProperties: { "^x": { deprecated: true } }, additionalProperties: { const: 1 } },
    reference: { $ref: "#/$defs/a" },
    union: { anyOf: [{ const: 1 }], oneOf: [{ then: {} }], allOf: [{ else: {} }], not: { const: 2 } },
  },
  definitions: { a: { minLength: 1, contains: {} } },
  dependencies: { a: ["b"], b: { const: 1 } },
  $defs: { a: TEXT },
};
const PUBLISHED: JsonValue = {
  type: "object",
  title: "Kept",
  properties: {
    const: TEXT,
    list: { type: "array", items: [{}], additionalItems: {} },
    map: { patternProperties: { "^x": {} }, additionalProperties: {} },
    reference: { $ref: "#/$defs/a" },
    union: { anyOf: [{}], oneOf: [{}], allOf: [{}], not: {} },
  },
  definitions: { a: { minLength: 1 } },
  dependencies: { a: ["b"], b: {} },
};

test("WordPress 7.1 publishes the keywords of draft 4", () => {
  expect(publishTool(tool(REGISTERED))).toEqual(tool(PUBLISHED));
});

test("WordPress tools are compared by meaning", () => {
  const [before, after] = [false, true].map((required) =>
    normalizeWordPressTool(tool({ type: "object", properties: { a: { ...TEXT, required } } })),
  );
  if (before === undefined || after === undefined) throw new Error("There are two.");
  expect(diffTools([before], [after])).toMatchObject([
    { rule: "input-property-became-required", class: "breaking", witness: {} },
  ]);
});

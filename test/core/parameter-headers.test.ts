import { describe, expect, test } from "vitest";
import { digestOfTool } from "../../src/core/digest.js";
import type { JsonObject, JsonValue } from "../../src/core/json.js";
import { findHeaderFault, parameterHeaders } from "../../src/core/parameter-headers.js";

const marked = (name: JsonValue, type: JsonValue = "string"): JsonObject => ({ type, "x-mcp-header": name });
const object = (properties: JsonObject, rest: JsonObject = {}): JsonObject => ({
  type: "object",
  properties,
  ...rest,
});

describe("parameterHeaders", () => {
  test.each<[string, JsonValue, JsonValue, string]>([
    ["a text", "us-west1", "string", "us-west1"],
    ["spaces and tabs inside", "us\twest 1", "string", "us\twest 1"],
    ["an integer", -7, "integer", "-7"],
    ["a large integer", 2 ** 53 - 1, "integer", "9007199254740991"],
    ["true", true, "boolean", "true"],
    ["false", false, "boolean", "false"],
    ["other letters", "Hello, 世界", "string", "=?base64?SGVsbG8sIOS4lueVjA==?="],
    ["spaces at the ends", " padded ", "string", "=?base64?IHBhZGRlZCA=?="],
    ["a line break", "line1\nline2", "string", "=?base64?bGluZTEKbGluZTI=?="],
    ["a line break at the end", "a\n", "string", "=?base64?YQo=?="],
    ["a header in the value", "a\r\nX-Evil: 1", "string", "=?base64?YQ0KWC1FdmlsOiAx?="],
    ["what looks encoded", "=?base64?literal?=", "string", "=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?="],
    ["an empty text", "", "string", "=?base64??="],
    ["one character", "x", "string", "x"],
    ["a delete character", "\u007f", "string", "=?base64?fw==?="],
  ])("encodes %s", (_, value, type, header) => {
    expect(parameterHeaders(object({ a: marked("A", type) }), { a: value })).toEqual({
      "Mcp-Param-A": header,
    });
  });

  test.each<[string, JsonObject, JsonObject, JsonObject]>([
    ["nothing without keywords", object({ a: { type: "string" } }), { a: "x" }, {}],
    ["an absent argument", object({ a: marked("A") }), {}, {}],
    ["null", object({ a: marked("A") }), { a: null }, {}],
    ["an integer that JavaScript cannot hold", object({ a: marked("A", "integer") }), { a: 2 ** 53 }, {}],
    ["an object", object({ a: marked("A") }), { a: { b: "x" } }, {}],
    ["a key of the prototype", object({ constructor: marked("A") }), {}, {}],
    ["a nested value", object({ a: object({ b: marked("B") }) }), { a: { b: "x" } }, { "Mcp-Param-B": "x" }],
    ["an absent object", object({ a: object({ b: marked("B") }) }), {}, {}],
    ["a list for an object", object({ a: object({ "0": marked("B") }) }), { a: ["x"] }, {}],
    [
      "a parameter of that name",
      object({ "x-mcp-header": marked("H") }),
      { "x-mcp-header": "x" },
      { "Mcp-Param-H": "x" },
    ],
    ["a keyword in a default", object({ a: { default: marked("A") } }), { a: "x" }, {}],
  ])("reads %s", (_, schema, input, headers) => {
    expect(findHeaderFault(schema)).toBeUndefined();
    expect(parameterHeaders(schema, input)).toEqual(headers);
  });
});

test.each<[string, JsonObject, string, string]>([
  ["an empty name", object({ a: marked("") }), "/properties/a", "is not a valid header name"],
  [
    "another type of name",
    object({ a: marked(1) }),
    "/properties/a",
    "header 1 of a parameter is not a valid",
  ],
  ["a space", object({ a: marked("A B") }), "/properties/a", "is not a valid header name"],
  ["a line break", object({ a: marked("A\r\nX: 1") }), "/properties/a", '"A\\r\\nX: 1"'],
  ["a line break at the end", object({ a: marked("A\n") }), "/properties/a", "is not a valid header name"],
  ["a colon", object({ a: marked("A:") }), "/properties/a", "is not a valid header name"],
  ["other letters", object({ a: marked("Ä") }), "/properties/a", "is not a valid header name"],
  ["a number", object({ a: marked("A", "number") }), "/properties/a", 'with the type "number"'],
  ["an object", object({ a: marked("A", "object") }), "/properties/a", 'with the type "object"'],
  ["an array", object({ a: marked("A", "array") }), "/properties/a", 'with the type "array"'],
  ["null", object({ a: marked("A", "null") }), "/properties/a", 'with the type "null"'],
  ["two types", object({ a: marked("A", ["string", "null"]) }), "/properties/a", '["string","null"]'],
  ["no type", object({ a: { "x-mcp-header": "A" } }), "/properties/a", "with no type"],
  [
    "the same name twice, in another case",
    object({ a: marked("Tenant"), b: marked("tenant") }),
    "/properties/b",
    "is also the header at /properties/a/x-mcp-header",
  ],
  ["the root", { type: "object", "x-mcp-header": "A" }, "", '"properties" alone'],
  ["items", object({ a: { items: marked("A") } }), "/properties/a/items", '"properties" alone'],
  ["a branch", object({ a: { oneOf: [marked("A")] } }), "/properties/a/oneOf/0", '"properties" alone'],
  [
    "properties of a branch",
    object({}, { anyOf: [object({ a: marked("A") })] }),
    "/anyOf/0/properties/a",
    '"properties" alone',
  ],
  [
    "a condition",
    object({}, { then: object({ a: marked("A") }) }),
    "/then/properties/a",
    "alone do not lead",
  ],
  ["a definition", object({}, { $defs: { A: marked("A") } }), "/$defs/A", "alone do not lead"],
  ["other properties", object({}, { additionalProperties: marked("A") }), "/additionalProperties", "alone"],
])("findHeaderFault rejects %s", (_, schema, at, message) => {
  const fault = findHeaderFault(schema);
  expect(fault?.path).toBe(`${at}/x-mcp-header`);
  expect(fault?.message).toContain(message);
});

test("the digest of a tool covers its headers", () => {
  const digests = [marked("A"), marked("B"), { type: "string" }].map((a) =>
    digestOfTool({ definition: { name: "t", inputSchema: object({ a }) } }),
  );
  expect(new Set(digests).size).toBe(3);
});

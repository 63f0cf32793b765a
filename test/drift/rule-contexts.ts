import type { JsonObject, JsonValue } from "../../src/core/json.js";

/** The places of a subschema in a schema. */
export const CONTEXTS: readonly (readonly [string, (schema: JsonValue) => JsonObject])[] = [
  ["a property", (schema) => ({ type: "object", properties: { a: schema } })],
  ["a nested property", (schema) => ({ type: "object", properties: { o: { type: "object", properties: { a: schema } } } })],
  ["a definition", (schema) => ({ type: "object", properties: { a: { $ref: "#/$defs/A" } }, $defs: { A: schema } })],
  ["a recursive definition", (schema) => ({ $ref: "#/$defs/N", $defs: { N: { type: "object", properties: { a: schema, next: { $ref: "#/$defs/N" } } } } })],
  [
    "a branch of a union",
    (schema) => ({
      type: "object",
      properties: {
        u: {
          anyOf: ["x", "y"].map((kind) => ({
            type: "object",
            required: ["kind"],
            properties: { kind: { const: kind }, ...(kind === "x" && { a: schema }) },
          })),
        },
      },
    }),
  ],
  ["items of a list", (schema) => ({ type: "object", properties: { l: { type: "array", items: schema } } })],
  ["an item of a tuple", (schema) => ({ type: "object", properties: { l: { type: "array", prefixItems: [{ type: "null" }, schema] } } })],
  ["values of a map", (schema) => ({ type: "object", additionalProperties: schema })],
  ["a member of allOf", (schema) => ({ type: "object", properties: { a: { allOf: [{ title: "A" }, schema] } } })],
]; // prettier-ignore

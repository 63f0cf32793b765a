import { describe, expect, it } from "vitest";
import type { JsonValue } from "../../../src/core/json.js";
import type { SchemaIR } from "../../../src/core/schema-ir.js";
import { childrenOf } from "../../../src/schema/ir/subschemas.js";
import { planSchema, type SchemaPlan } from "../../../src/schema/print/plan-module.js";

function plan(schema: JsonValue): SchemaPlan {
  const names = { taken: new Set<string>(), checks: new Map() };
  return planSchema(schema, { name: "Root", side: "input", hasTypes: true, names });
}

function nested(depth: number, wrap: (inside: JsonValue) => JsonValue): JsonValue {
  let schema: JsonValue = { type: "string", maxLength: depth };
  for (let level = 0; level < depth; level += 1) schema = wrap(schema);
  return schema;
}

function depthOf(node: SchemaIR): number {
  return 1 + Math.max(0, ...childrenOf(node).map(depthOf));
}

describe("nested schemas", () => {
  it.each<[string, (inside: JsonValue) => JsonValue]>([
    ["objects", (inside) => ({ type: "object", properties: { part: inside } })],
    ["lists", (inside) => ({ type: "array", items: inside })],
    ["maps", (inside) => ({ type: "object", additionalProperties: inside })],
    ["choices", (inside) => ({ anyOf: [{ type: "null" }, { type: "array", items: inside }] })],
  ])("are cut into declarations that TypeScript can follow: %s", (_, wrap) => {
    const { declarations } = plan(nested(60, wrap));
    expect(declarations.length).toBeGreaterThan(4);
    // The maximum depth of a declaration, and one reference or leaf at its end.
    for (const { node } of declarations) expect(depthOf(node)).toBeLessThanOrEqual(14);
  });

  it("stay one declaration if they are not too deep", () => {
    const wrap = (inside: JsonValue): JsonValue => ({ type: "object", properties: { part: inside } });
    expect(plan(nested(8, wrap)).declarations.map(({ name }) => name)).toEqual(["Root"]);
  });

  it("are also cut within definitions", () => {
    const wrap = (inside: JsonValue): JsonValue => ({ type: "object", properties: { part: inside } });
    const { declarations } = plan({
      type: "object",
      properties: { tree: { $ref: "#/$defs/Tree" } },
      $defs: { Tree: nested(20, wrap) },
    });
    expect(declarations.map(({ name }) => name)).toEqual(expect.arrayContaining(["Tree", "Part", "Root"]));
    for (const { node } of declarations) expect(depthOf(node)).toBeLessThanOrEqual(12);
  });
});

import { describe, expect, it } from "vitest";
import type { JsonObject, JsonValue } from "../../src/core/json.js";
import { diagnoseDefaults, diagnoseTool } from "../../src/emit/tool-schemas.js";

const inner = { type: "object", properties: { lang: { default: "en" } } };

const REPORTED: readonly (readonly [what: string, schema: JsonObject, path: string, reason: string])[] = [
  ["branches that may both match", { anyOf: [inner, { properties: { x: {} } }] }, "/anyOf/0/properties/lang/default", "may also match another branch"],
  ["branches with different defaults", { anyOf: [inner, { properties: { lang: { default: "de" } } }] }, "/anyOf/1/properties/lang/default", "may also match another branch"],
  ["a default inside branches", { anyOf: [{ properties: { a: { items: inner } } }, { properties: { a: {} } }] }, "/anyOf/0/properties/a/items/properties/lang/default", "may also match another branch"],
  ["a branch's own default for a key", { properties: { a: { anyOf: [{ type: "string", default: "x" }, { type: "null" }] } } }, "/properties/a/anyOf/0/default", "for an absent key"],
  ["a condition on a pattern that is not run", { if: { properties: { k: { pattern: "^(a+)+$" } } }, then: inner }, "/then/properties/lang/default", "may also match another branch"],
  ["a pattern of names that is not run", { patternProperties: { "^(a+)+$": inner } }, "/patternProperties/^(a+)+$/properties/lang/default", "pattern of names"],
  ["unevaluated properties", { anyOf: [{ required: ["a"] }], unevaluatedProperties: inner }, "/unevaluatedProperties/properties/lang/default", "in unevaluated parts"],
  ["unevaluated items", { anyOf: [{ required: ["a"] }], unevaluatedItems: inner }, "/unevaluatedItems/properties/lang/default", "in unevaluated parts"],
  ["a default that its own schema rejects", { properties: { a: { type: "string", default: null } } }, "/properties/a/default", "refuses it"],
  ["an invalid default of a referenced definition", { properties: { a: { $ref: "#/$defs/a" } }, $defs: { a: { type: "string", default: 1 } } }, "/properties/a/$ref", "refuses it"],
]; // prettier-ignore

const UNREPORTED: readonly (readonly [what: string, schema: JsonObject])[] = [
  ["properties, items and maps", { properties: { a: { default: 1 }, b: { items: inner }, c: { additionalProperties: inner } }, patternProperties: { "^x": inner } }],
  ["branches of oneOf", { oneOf: [inner, { required: ["x"] }] }],
  ["branches with a discriminator", { anyOf: [{ properties: { k: { const: "a" }, x: { default: 1 } }, required: ["k"] }, { properties: { k: { const: "b" } }, required: ["k"] }] }],
  ["an object or null", { properties: { a: { anyOf: [inner, { type: "null" }], default: null } } }],
  ["branches with equal defaults", { anyOf: [inner, { ...inner, minProperties: 1 }] }],
  ["a key that the other branch requires", { anyOf: [inner, { required: ["lang"] }] }],
  ["conditions", { if: { required: ["a"] }, then: inner, else: { properties: { b: { default: 1 } } } }],
  ["a schema that depends on a key", { dependentSchemas: { a: inner } }],
  ["a negated schema, and required keys", { not: inner, properties: { a: { default: 1 } }, required: ["a"] }],
  ["an empty list for an empty object", { properties: { a: { type: "object", default: [] } } }],
  ["recursion", { properties: { a: { $ref: "#" }, b: { default: 1 } } }],
]; // prettier-ignore

describe("defaults that are not sent", () => {
  it.each(REPORTED)("are reported: %s", (_what, schema, path, reason) => {
    const found = diagnoseDefaults(schema, {});
    const said = found.find((one) => one.path === path);
    expect(said?.code, JSON.stringify(found)).toBe("DEFAULT_NOT_SENT");
    expect(said?.message).toContain(reason);
  });

  it.each(UNREPORTED)("are not reported: %s", (_what, schema) => {
    expect(diagnoseDefaults(schema, {})).toEqual([]);
  });

  it("are found in mutually recursive schemas", () => {
    const branches = (name: string): JsonValue => ({ $ref: `#/$defs/${name}` });
    const names = Array.from({ length: 40 }, (_, index) => `d${index}`);
    const $defs = Object.fromEntries(
      names.map((name, index) => {
        const next = branches(names[index + 1] ?? "d0");
        return [name, { anyOf: [{ properties: { a: next, b: next } }, { properties: { c: next } }] }];
      }),
    );
    const found = diagnoseDefaults({ $ref: "#/$defs/d0", $defs }, {});
    expect(found.map(({ path }) => path)).toEqual([""]);
  });

  it("are reported only for tools whose defaults are sent", () => {
    const inputSchema = { type: "object", properties: { a: { type: "string", default: 1 } } };
    const task = {
      kind: "tool",
      server: "shop",
      definition: { name: "buy", inputSchema },
      names: {
        tool: "buy",
        file: "buy",
        wrapper: "buy",
        callable: "BuyTool",
        schema: "buySchema",
        input: "BuyInput",
      },
      importExtension: "js",
    } as const;
    expect(diagnoseTool(task)).toEqual([]);
    expect(diagnoseTool({ ...task, defaults: "send" })).toMatchObject([
      { code: "DEFAULT_NOT_SENT", server: "shop", tool: "buy", path: "/inputSchema/properties/a/default" },
    ]);
  });
});

import { describe, expect, it } from "vitest";
import * as z from "zod";
import * as checks from "../../../src/codegen.js";

const proto: unknown = JSON.parse('{"__proto__":1}');

const CASES: readonly (readonly [title: string, schema: z.ZodType, right: readonly unknown[], wrong: readonly unknown[]])[] = [
  ["integer", z.number().check(checks.integer), [1, -0, 2 ** 60, 1e300], [1.5, 1e-9]],
  ["multipleOf", z.number().check(checks.multipleOf(0.1)), [0.3, 0, -1.1, 1e300], [0.35, 1e-7]],
  ["multipleOf a small step", z.number().check(checks.multipleOf(1e-8)), [12391239123, 1e-8, 0.00000003], [1.5e-8]],
  ["multipleOf a large step", z.number().check(checks.multipleOf(1e20)), [0, 3e20], [1e19, 1]],
  ["uniqueItems", z.array(z.unknown()).check(checks.uniqueItems), [[], [1, true, "1", null, [], {}]], [[{}, {}], [null, null], [[1], [1]]]],
  ["contains", z.array(z.unknown()).check(checks.contains(z.string())), [["a", 1]], [[], [1]]],
  ["contains some", z.array(z.unknown()).check(checks.contains(z.string(), 0, 1)), [[], ["a"]], [["a", "b"]]],
  ["minItems, maxItems", z.array(z.unknown()).check(checks.minItems(1), checks.maxItems(1)), [[1]], [[], [1, 2]]],
  ["minProperties, maxProperties", z.looseObject({}).check(checks.minProperties(1), checks.maxProperties(1)), [{ a: 1 }, { a: 1, b: undefined }], [{}, { a: undefined }, { a: 1, b: 2 }]],
  ["propertyNames", z.looseObject({}).check(checks.propertyNames(z.string().max(1))), [{}, { a: 1 }], [{ ab: 1 }]],
  ["object", z.custom().check(checks.object), [{}, proto], [null, [], "", undefined]],
  ["patternProperties", z.looseObject({}).check(checks.patternProperties(/^a/u, z.number())), [{ b: "" }, { a: 1 }], [{ ab: "" }]],
  ["otherProperties", z.looseObject({}).check(checks.otherProperties(z.number(), ["a"], /^b/u)), [{ a: "", b1: "", c: 1 }], [{ c: "" }]],
  ["ownProperties", z.custom().check(checks.object, checks.ownProperties(["__proto__", "required", z.number()], ["toString", "optional", z.string()])), [proto], [{}, { toString: "" }, JSON.parse('{"__proto__":""}')]],
  ["dependentRequired", z.looseObject({}).check(checks.dependentRequired("a", ["b"])), [{}, { b: 1 }, { a: 1, b: 1 }, { a: undefined }], [{ a: 1 }, { a: 1, b: undefined }]],
  ["dependentSchema", z.looseObject({}).check(checks.dependentSchema("a", z.strictObject({ a: z.unknown() }))), [{ b: 1 }, { a: 1 }], [{ a: 1, b: 1 }]],
  ["equals", z.custom(checks.equals({ a: [1, { b: null }] })), [{ a: [1, { b: null }] }], [{ a: [1, {}] }, { a: [1, { b: null }], c: 1 }, null, []]],
  ["equals an own __proto__", z.custom(checks.equals(proto)), [proto], [{}]],
  ["fits", z.number().check(checks.fits(z.number().min(1))), [1], [0]],
  ["fitsNot", z.unknown().check(checks.fitsNot(z.string())), [1], [""]],
  ["fitsIf", z.unknown().check(checks.fitsIf(z.string(), { then: z.literal("a"), else: z.number() })), ["a", 1], ["b", null]],
  ["fitsIf without branches that matter", z.unknown().check(checks.fitsIf(z.string(), { then: z.literal("a") })), ["a", 1, null], ["b"]],
]; // prettier-ignore

describe("checks", () => {
  it.each(CASES)("%s", (_, schema, right, wrong) => {
    for (const value of right) {
      const result = schema.safeParse(value);
      expect(result.success, JSON.stringify(value)).toBe(true);
      expect(result.data).toEqual(value);
    }
    for (const value of wrong) {
      const result = schema.safeParse(value);
      expect(result.success, JSON.stringify(value)).toBe(false);
      for (const issue of result.error?.issues ?? []) expect(issue.message).not.toBe("");
    }
  });

  it("report the path of an issue", () => {
    const schema = z
      .looseObject({ list: z.array(z.unknown()).check(checks.uniqueItems) })
      .check(checks.fits(z.looseObject({ a: z.looseObject({ b: z.number() }) })));
    const paths = schema.safeParse({ list: [1], a: { b: "" } }).error?.issues.map(({ path }) => path);
    expect(paths).toEqual([["a", "b"]]);
    expect(schema.safeParse({ list: [1, 1], a: { b: 1 } }).error?.issues[0]?.path).toEqual(["list", 1]);
  });
});

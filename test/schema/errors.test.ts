import { describe, expect, it } from "vitest";
import type { JsonValue } from "../../src/core/json.js";
import { readLiveSchema } from "../../src/schema/interpret/live-schema.js";
import { describeIssues, findIssues } from "../../src/schema/validation/schema.js";
import { toZod } from "./support/evaluate-module.js";

const at = (schema: JsonValue): JsonValue => ({ type: "object", properties: { in: schema } });
const tag = (k: string, more: object = {}): JsonValue => ({
  type: "object",
  properties: { k: { const: k }, ...more },
  required: ["k"],
});
const required = (name: string): JsonValue => ({ required: [name] });

/** Expected issues of invalid values. The property that identifies the branch comes first. */
const ERRORS: readonly (readonly [what: string, schema: JsonValue, wrong: JsonValue, message: string])[] = [
  ["a type", at({ type: "string" }), { in: 1 }, "in: Invalid input: expected string, received number"],
  ["a missing key", { ...(at(true) as object), required: ["in"] }, {}, "in: Required property is missing"],
  ["a key too many", { ...(at(true) as object), additionalProperties: false }, { more: 1 }, 'Unrecognized key: "more"'],
  ["a key of any length", { ...(at(true) as object), additionalProperties: false }, { ["x".repeat(3_000)]: 1 }, `Unrecognized key: "${"x".repeat(80)}…`],
  ["an item", at({ type: "array", items: { type: "number" } }), { in: [1, ""] }, "in.1: Invalid input: expected number, received string"],
  ["an item twice", at({ type: "array", uniqueItems: true }), { in: [1, 2, 1] }, "in.2: Duplicate item"],
  ["too few matching items", at({ contains: { type: "string" } }), { in: [1] }, "in: Too few matching items: 0, expected at least 1"],
  ["a tuple", at({ type: "array", prefixItems: [{ type: "string" }] }), { in: [1] }, "in.0: Invalid input: expected string, received number"],
  ["a multiple", at({ multipleOf: 2 }), { in: 1 }, "in: Invalid number: must be a multiple of 2"],
  ["an integer", at({ type: "integer" }), { in: 1.5 }, "in: Invalid input: expected int, received number"],
  ["a constant object", at({ const: { a: 1 } }), { in: {} }, "in: Invalid input"],
  ["a property by pattern", at({ type: "object", patternProperties: { "^x": { type: "string" } } }), { in: { x1: 1 } }, "in.x1: Invalid input: expected string, received number"],
  ["any other property", at({ type: "object", patternProperties: { "^x": true }, additionalProperties: { type: "string" } }), { in: { y: 1 } }, "in.y: Invalid input: expected string, received number"],
  ["a property's name", at({ type: "object", propertyNames: { maxLength: 1 } }), { in: { long: 1 } }, "in.long: Invalid property name"],
  ["a number of properties", at({ type: "object", minProperties: 1 }), { in: {} }, "in: Too few properties: expected at least 1"],
  ["a dependent key", at({ type: "object", dependentRequired: { a: ["b"] } }), { in: { a: 1 } }, 'in.b: Required together with "a"'],
  ["a dependent schema", at({ type: "object", dependentSchemas: { a: { properties: { b: { type: "string" } } } } }), { in: { a: 1, b: 2 } }, "in.b: Invalid input: expected string, received number"],
  ["a key of the prototype", at({ type: "object", properties: { toString: { type: "string" } } }), { in: { toString: 1 } }, "in.toString: Invalid input: expected string, received number"],
  ["a second member of allOf", at({ allOf: [{ type: "object", additionalProperties: { type: "number" } }, { type: "object", properties: { a: { minimum: 5 } }, additionalProperties: false }] }), { in: { a: 1 } }, "in.a: Too small: expected number to be >=5"],
  ["a condition", at({ type: "object", if: { required: ["a"] }, then: { properties: { b: { type: "string" } } } }), { in: { a: 1, b: 2 } }, "in.b: Invalid input: expected string, received number"],
  ["a negation", at({ not: { type: "string" } }), { in: "" }, "in: Invalid input: fits a schema that it must not fit"],
  ["a union of types", at({ type: ["string", "number"] }), { in: true }, "in: Invalid input: expected string or number, received boolean"],
  ["a union of a map and a list", at({ anyOf: [{ type: "object", additionalProperties: { type: "string" } }, { type: "array" }] }), { in: true }, "in: Invalid input: expected object or array, received boolean"],
  ["the member of a union that is meant", at({ anyOf: [{ type: "string" }, { type: "object", properties: { a: { type: "string" } } }] }), { in: { a: 1 } }, "in.a: Invalid input: expected string, received number"],
  ["a union in a union", at({ anyOf: [{ type: "string" }, { type: "array", items: { anyOf: [{ type: "number" }, { type: "object", properties: { a: { type: "string" } } }] } }] }), { in: [{ a: 1 }] }, "in.0.a: Invalid input: expected string, received number"],
  ["an unknown tag", at({ oneOf: [tag("a"), tag("b")] }), { in: { k: "c" } }, "in.k: Invalid option: expected one of \"a\"|\"b\""],
  ["a tagged member", at({ oneOf: [tag("a"), tag("b", { n: { type: "number" } })] }), { in: { k: "b", n: "" } }, "in.n: Invalid input: expected number, received string"],
  ["the member whose constant the value has", at({ anyOf: [tag("a"), { ...(tag("b", { n: { type: "number" } }) as object), required: ["k", "n"] }] }), { in: { k: "b" } }, "in.n: Required property is missing"],
  ["members with constants of different names", at({ anyOf: [tag("a"), { type: "object", properties: { j: { const: "b" } }, required: ["j"] }] }), { in: { k: "x", j: "y" } }, 'in: Invalid input: fits none of the alternatives (k: Invalid input: expected "a"; or j: Invalid input: expected "b")'],
  ["a number that is too big", at({ type: "number", maximum: 9 }), { in: 10 }, "in: Too big: expected number to be <=9"],
  ["a number at an open bound", at({ type: "number", exclusiveMaximum: 9 }), { in: 9 }, "in: Too big: expected number to be <9"],
  ["a number that is too small", at({ type: "number", minimum: 1 }), { in: 0 }, "in: Too small: expected number to be >=1"],
  ["a text that is too long", at({ type: "string", maxLength: 2 }), { in: "abc" }, "in: Too big: expected string to have <=2 characters"],
  ["a text that is too short", at({ type: "string", minLength: 1 }), { in: "" }, "in: Too small: expected string to have >=1 characters"],
  ["a list that is too long", at({ type: "array", maxItems: 1 }), { in: [1, 2] }, "in: Too big: expected array to have <=1 items"],
  ["a pattern", at({ type: "string", pattern: "^a" }), { in: "b" }, "in: Invalid string: must match pattern /^a/u"],
  ["one of several values", at({ enum: ["a", "b"] }), { in: "c" }, 'in: Invalid option: expected one of "a"|"b"'],
  ["a constant", at({ const: "a" }), { in: "c" }, 'in: Invalid input: expected "a"'],
  ["several alternatives at once", at({ oneOf: [{ type: "number" }, { type: "number", minimum: 5 }] }), { in: 6 }, "in: Invalid input: fits more than one alternative"],
  ["keys of which one is needed", { type: "object", properties: { a: {}, b: {} }, anyOf: [required("a"), required("b")] }, {}, "Invalid input: fits none of the alternatives (a: Required property is missing; or b: Required property is missing)"],
  ["what is left over", at({ type: "object", anyOf: [{ properties: { a: {} } }], unevaluatedProperties: false }), { in: { b: 1 } }, "in.b: Nothing in the schema allows this"],
  ["what is deep inside recursion", { type: "object", properties: { kids: { type: "array", items: { $ref: "#" } }, n: { type: "number" } } }, { kids: [{ kids: [{ n: "" }] }] }, "kids.0.kids.0.n: Invalid input: expected number, received string"],
]; // prettier-ignore

describe("errors name the property", () => {
  it.each(ERRORS)("for %s", (_, schema, wrong, message) => {
    const { error } = toZod(schema).safeParse(wrong);
    expect(describeIssues(error?.issues ?? [])).toContain(message);
  });

  // `call`, `serve` and registries interpret the schemas of a lock or a live list.
  it.each(ERRORS)("for %s, in an interpreted schema", async (_, schema, wrong, message) => {
    expect(describeIssues(await findIssues(readLiveSchema(schema, undefined), wrong))).toContain(message);
  });

  it("and are limited if there are many alternatives", () => {
    const branches = Array.from({ length: 50 }, (_, index) => required(`key${index}`));
    const { error } = toZod({ type: "object", anyOf: branches }).safeParse({});
    expect(describeIssues(error?.issues ?? []).length).toBeLessThan(400);
  });
});

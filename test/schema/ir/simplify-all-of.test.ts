/** What a schema of several schemas becomes, seen in the Zod schema that is printed for it. */
import { expect, test } from "vitest";
import type { JsonObject, JsonValue } from "../../../src/core/json.js";
import { printZodModule } from "../../../src/schema/print/print-modules.js";

function print(schema: JsonValue): string | undefined {
  const { text } = printZodModule(schema, { name: "X" });
  return /^export const X\b(?:: [^=]*)? = (.*?);$/ms.exec(text)?.[1]?.replace(/\s+/g, " ");
}

const string = { type: "string" };
const object = (properties: JsonObject, more: JsonObject = {}): JsonObject => ({
  type: "object",
  properties,
  ...more,
});

test.each<[string, readonly JsonValue[], string]>([
  ["types in common", [{ type: ["string", "null"] }, { type: ["string", "array"] }], "z.string()"],
  ["no type in common", [string, { type: "number" }], "z.never()"],
  ["values in common", [{ enum: ["a", "b"] }, { enum: ["b", "c"] }], 'z.literal("b")'],
  ["lists in common", [{ enum: [[1], [2]] }, { enum: [[2]] }], "z.custom<[2]>(equals([2]))"],
  ["a rule for another type", [string, { minimum: 1 }], "z.string()"],
  ["anything", [{}, {}], "z.unknown()"],
  ["a negation alone", [{ not: string }], "z.unknown().check(fitsNot(z.string()))"],
  ["a negation and a type", [{ not: { const: "a" } }, string], 'z.string().check(fitsNot(z.literal("a")))'],
  ["properties of both", [object({ a: string }, { required: ["a"] }), object({ b: string })], "z.looseObject({ a: z.string(), b: z.string().optional() })"],
  ["one property in both", [object({ a: string }), object({ a: { enum: ["x", 1] } }, { required: ["a"] })], 'z.looseObject({ a: z.literal("x") })'],
  ["bounds of both", [object({}, { minProperties: 1, maxProperties: 9 }), object({}, { minProperties: 2, maxProperties: 5 })],
    "z.custom<{ [key: string]: unknown }>().check(object, minProperties(2), maxProperties(5))"],
  ["a closed object and the same names", [object({ a: string }, { additionalProperties: false }), object({ a: {} })],
    "z.strictObject({ a: z.string().optional() })"],
  ["a closed object and other names", [object({ a: string }, { additionalProperties: false }), object({ b: string })],
    "z.strictObject({ a: z.string().optional() }).check(fits(z.looseObject({ b: z.string().optional() })))"],
  ["a base in each branch with a name of its own", [object({ id: string }), { anyOf: [object({ a: string }, { required: ["a"] }), object({ b: string })] }],
    "z.union([z.looseObject({ id: z.string().optional(), a: z.string() }), z.looseObject({ id: z.string().optional(), b: z.string().optional() })])"],
  [
    "a base beside branches without names",
    [object({ id: string }), { anyOf: [{ required: ["id"] }, { maxProperties: 3 }] }],
    'z.custom<{ id?: string | undefined }>().check(object, ownProperties(["id", "optional", z.string()])).check(fits(z.union([z.looseObject({ id: z.unknown() }), z.custom<{ [key: string]: unknown }>().check(object, maxProperties(3))])))',
  ],
  [
    "the names that a condition requires",
    [object({ a: string }), { if: object({ c: string }), then: { required: ["b"] } }],
    "z.looseObject({ a: z.string().optional(), c: z.unknown().optional(), b: z.unknown().optional() }).check(fitsIf(z.looseObject({ c: z.string().optional() }), { then: z.union([z.looseObject({ b: z.unknown() }), z.array(z.unknown()), z.string(), z.number(), z.boolean()]).nullable() }))",
  ],
])("%s: all of %j", (_what, allOf, text) => {
  expect(print({ allOf: [...allOf] })).toBe(text);
}); // prettier-ignore

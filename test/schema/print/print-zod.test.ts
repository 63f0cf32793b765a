import { expect, test } from "vitest";
import type { JsonObject, JsonValue } from "../../../src/core/json.js";
import { printZodModule } from "../../../src/schema/print/print-modules.js";

/** Returns the Zod schema of a required property, on one line. */
function print(schema: JsonValue): string | undefined {
  const whole = { type: "object", properties: { value: schema }, required: ["value"] };
  const { text } = printZodModule(whole, { name: "X" });
  return /z\.looseObject\(\{\s*value: (.*?),?\s*\}\);$/ms.exec(text)?.[1]?.replace(/\s+/g, " ");
}

const SAFE = Number.MAX_SAFE_INTEGER;

test.each<[JsonObject, string]>([
  [{ type: "number" }, "z.number()"],
  [{ type: "integer" }, "z.number().check(integer)"],
  [{ type: "integer", minimum: -SAFE, maximum: SAFE }, `z.int().min(${-SAFE}).max(${SAFE})`],
  [{ type: "integer", minimum: -SAFE - 1, maximum: SAFE }, `z.number().min(${-SAFE - 1}).max(${SAFE}).check(integer)`],
  [{ type: "integer", minimum: -SAFE, maximum: SAFE + 1 }, `z.number().min(${-SAFE}).max(${SAFE + 1}).check(integer)`],
  [{ type: "integer", exclusiveMinimum: 0, exclusiveMaximum: 9 }, "z.int().gt(0).lt(9)"],
  [{ type: "integer", minimum: 0 }, "z.number().min(0).check(integer)"],
  [{ type: "number", multipleOf: 0.01 }, "z.number().check(multipleOf(0.01))"],
])("the number %j is %s", (schema, text) => {
  expect(print(schema)).toBe(text);
}); // prettier-ignore

const string = { type: "string" };
const number = { type: "number" };

test.each<[JsonObject, string]>([
  [{ prefixItems: [string, number] }, "z.tuple([z.string().exactOptional(), z.number().exactOptional()]).rest(z.unknown())"],
  [{ prefixItems: [string, number], minItems: 1 }, "z.tuple([z.string(), z.number().exactOptional()]).rest(z.unknown())"],
  [{ prefixItems: [string], minItems: 1, items: number }, "z.tuple([z.string()]).rest(z.number())"],
  [{ prefixItems: [string], minItems: 1, items: false }, "z.tuple([z.string()])"],
  [{ prefixItems: [string], minItems: 1, maxItems: 1 }, "z.tuple([z.string()])"],
  [{ prefixItems: [string], minItems: 2 }, "z.tuple([z.string()]).rest(z.unknown()).check(minItems(2))"],
  [{ prefixItems: [string], minItems: 1, maxItems: 2 }, "z.tuple([z.string()]).rest(z.unknown()).check(maxItems(2))"],
  [{ prefixItems: [string, string], minItems: 1, maxItems: 1 }, "z.tuple([z.string(), z.string().exactOptional()]).check(maxItems(1))"],
  // A missing item is undefined, which this schema would accept.
  [{ prefixItems: [{}], minItems: 1 }, "z.tuple([z.nonoptional(z.unknown())]).rest(z.unknown())"],
])("the list %j is %s", (schema, text) => {
  expect(print({ type: "array", ...schema })).toBe(text);
}); // prettier-ignore

test.each<[JsonObject, string]>([
  [{ description: "Shown." }, '.describe("Shown.")'],
  [{ description: "" }, ""],
  [{ title: "Other" }, '.meta({"title":"Other"})'],
  // It repeats the name of the property.
  [{ title: "Value" }, ""],
  [{ title: "Other", description: "Shown." }, '.describe("Shown.")'],
  [{ format: "uri" }, '.meta({"format":"uri"})'],
  [{ description: "Shown.", default: "a", examples: ["b"], deprecated: true },
    '.meta({"description":"Shown.","default":"a","examples":["b"],"deprecated":true})'],
  [{ deprecated: false, default: "x".repeat(2_000) }, ""],
])("the notes %j of a text are %j", (notes, text) => {
  expect(print({ type: "string", ...notes })).toBe(`z.string()${text}`);
}); // prettier-ignore

test("a format that is checked has no note", () => {
  const schema = { type: "string", format: "uri" };
  const { text } = printZodModule(schema, { name: "X", formats: "assert" });
  expect(text).toContain('z.string().check(format("uri"))');
  expect(text).not.toContain("meta");
});

import fc from "fast-check";
import { expect, it } from "vitest";
import { ArgumentSchema } from "../../../../../src/cli/commands/call/flags/argument-schema.js";
import { printArgumentWords, readFlags } from "../../../../../src/cli/commands/call/flags/read-flags.js";
import { isJsonObject, type JsonObject, type JsonValue } from "../../../../../src/core/json.js";
import { readPart } from "../../../../../src/schema/sample/schema-part.js";
import { expected } from "../../../../data/files.js";
import { readToolLists } from "../../../../schema/support/data.js";
import { createRandom, generateInstance } from "../../../../schema/support/instances.js";
import { SCHEMAS } from "../../../../schema/support/schemas.js";

function readBack(args: JsonObject, raw: JsonValue): unknown {
  const schema = new ArgumentSchema([readPart(raw)]);
  const words = printArgumentWords(args, schema);
  return words === undefined ? args : readFlags(words, schema);
}

const names = fc.oneof(
  fc.constantFrom("a", "no-a", "input", "__proto__", "constructor", "a.b", "a=b", "a:", "\\", "0", ""),
  fc.string({ maxLength: 5 }),
);
const texts = fc.constantFrom("", "null", "true", "1", "--a", '"1"', "[1]", "{}", " 1", "12345678901234567890", "1e400"); // prettier-ignore
const values = fc.oneof(texts, fc.jsonValue({ maxDepth: 2 }) as fc.Arbitrary<JsonValue>);

it("returns printed arguments with any types of properties", () => {
  const types = fc.constantFrom<JsonValue>({}, { type: "string" }, { type: ["string", "integer", "boolean"] }, { type: "array" }, { type: "array", items: { type: "string" } }, { type: "object" }, { enum: [1, "1"] }); // prettier-ignore
  const entries = fc.array(fc.tuple(names, values, types), { maxLength: 5 });
  fc.assert(
    fc.property(entries, (all) => {
      const args = JSON.parse(JSON.stringify(Object.fromEntries(all.map(([name, value]) => [name, value])))) as JsonObject; // prettier-ignore
      const properties = Object.fromEntries(all.map(([name, , type]) => [name, type]));
      expect(readBack(args, { type: "object", properties })).toEqual(args);
      expect(readBack(args, { type: "object" })).toEqual(args);
    }),
    { numRuns: 1_000 },
  );
});

it("prefers texts to JSON, and prints none if one needs --input", () => {
  const properties = {
    n: { type: "integer" },
    tags: { type: "array", items: { type: "string" } },
    either: { type: ["string", "integer"] },
    meta: { type: "object", properties: { key: { type: "string" } } },
  };
  const schema = new ArgumentSchema([readPart({ type: "object", properties })]);
  const args = { n: 1, tags: ["a", "b"], either: "7", meta: { key: "v" } };
  expect(printArgumentWords(args, schema)).toEqual([
    "n=1",
    'tags=["a","b"]',
    'either:="7"',
    'meta={"key":"v"}',
  ]);
  expect(printArgumentWords({ ...args, odd: 1 }, schema)).toBeUndefined();
});

it("returns printed arguments with the schemas of published tools", () => {
  const random = createRandom(Number(process.env["SEED"] ?? 2026));
  const schemas = [...Object.values(SCHEMAS), ...readToolLists().map(({ input }) => input)];
  for (const schema of schemas) {
    // JSON cannot represent minus zero.
    const args = JSON.parse(JSON.stringify(generateInstance(schema, schema, random))) as JsonValue;
    if (isJsonObject(args)) expect(readBack(args, schema)).toEqual(args);
  }
  expect(schemas.length).toBeGreaterThan(expected(30, 2_000));
});

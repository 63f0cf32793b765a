import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ArgumentSchema } from "../../../../../src/cli/commands/call/flags/argument-schema.js";
import { printFlags, sampleArguments } from "../../../../../src/cli/commands/call/flags/print-flags.js";
import { readFlags } from "../../../../../src/cli/commands/call/flags/read-flags.js";
import { isJsonObject, type JsonObject, type JsonValue } from "../../../../../src/core/json.js";
import { parseSchema } from "../../../../../src/schema/ir/parse-schema.js";
import { expected } from "../../../../data/files.js";
import { readToolLists } from "../../../../schema/support/data.js";
import { createRandom, generateInstance } from "../../../../schema/support/instances.js";
import { SCHEMAS } from "../../../../schema/support/schemas.js";

function readBack(args: JsonObject, schema: ArgumentSchema): unknown {
  const { input, words } = printFlags(args, schema);
  const read = readFlags(words, schema, input);
  return "args" in read ? read.args : read.problems;
}

const open = new ArgumentSchema(parseSchema({ type: "object" }));

const keys = fc.oneof(
  fc.constantFrom("a", "b", "no-a", "input", "__proto__", "constructor", "a.b", "a=b", "\\", "0", "1", ""),
  fc.string({ maxLength: 5 }),
);
const texts = fc.oneof(
  fc.constantFrom("", "null", "true", "1", "-1", "--a", "-a", '"1"', "[1]", '["a"]', "{}", " 1", "12345678901234567890", "1e400"),
  fc.string({ maxLength: 5, unit: "binary" }),
); // prettier-ignore
const { value } = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small", maxDepth: 4 },
    texts,
    fc.constantFrom(null, true, false, 0, -1, 1.5, 1e21, 5e-7, Number.MAX_SAFE_INTEGER),
    fc.array(tie("value"), { maxLength: 4 }),
    fc.array(fc.tuple(keys, tie("value")), { maxLength: 4 }).map((entries) => Object.fromEntries(entries)),
  ),
}));
const objects = fc
  .array(fc.tuple(keys, value), { maxLength: 5 })
  .map((entries) => Object.fromEntries(entries));

/** Returns a schema that declares all or some of a value's parts. */
function schemasFor(given: JsonValue): fc.Arbitrary<JsonValue> {
  const own = schemaOf(given);
  return fc.oneof(
    { arbitrary: own, weight: 6 },
    { arbitrary: fc.constant({}), weight: 1 },
    { arbitrary: own.map((schema) => ({ anyOf: [schema, { type: "string" }] })), weight: 1 },
    { arbitrary: own.map((schema) => ({ anyOf: [{ type: ["null", "boolean"] }, schema] })), weight: 1 },
    { arbitrary: own.map((schema) => ({ oneOf: [schema, { type: "array", items: schema }] })), weight: 1 },
    { arbitrary: own.map((schema) => ({ allOf: [schema, { description: "what" }] })), weight: 1 },
    { arbitrary: fc.constant({ const: given }), weight: 1 },
  );
}

function schemaOf(given: JsonValue): fc.Arbitrary<JsonValue> {
  if (isJsonObject(given)) {
    const entries = Object.entries(given).map(([key, item]) =>
      fc.tuple(fc.constant(key), fc.option(schemasFor(item), { freq: 5 })),
    );
    return fc.tuple(...entries).map((all) => ({
      type: "object",
      properties: Object.fromEntries(
        all.flatMap(([key, schema]) => (schema === null ? [] : [[key, schema]])),
      ),
    }));
  }
  if (Array.isArray(given))
    return fc
      .tuple(...(given as readonly JsonValue[]).map(schemasFor))
      .chain((all) =>
        fc.constantFrom<JsonValue>(
          { type: "array", prefixItems: all },
          { type: "array", items: { anyOf: all.length === 0 ? [{}] : all } },
          { type: "array" },
        ),
      );
  if (given === null) return fc.constantFrom<JsonValue>({ type: "null" }, { type: ["null", "string"] });
  const type = typeof given;
  return fc.constantFrom<JsonValue>({ type }, { type: [type, "string"] }, { enum: ["x", given] });
}

describe("printing arguments as flags and reading them back", () => {
  it("returns them with an empty schema", () => {
    fc.assert(
      fc.property(objects, (args) => {
        expect(readBack(args, open)).toEqual(args);
      }),
      { numRuns: 1_000 },
    );
  });

  it("returns them with matching schemas", () => {
    const pairs = objects.chain((args) => schemaOf(args).map((schema) => ({ args, schema })));
    fc.assert(
      fc.property(pairs, ({ args, schema }) => {
        const read = new ArgumentSchema(parseSchema(schema));
        expect(readBack(args, read)).toEqual(args);
      }),
      { numRuns: 2_000 },
    );
  });

  it.each(Object.entries(SCHEMAS))("returns them with schema %s", (_name, schema) => {
    const random = createRandom(Number(process.env["SEED"] ?? 2026));
    const read = new ArgumentSchema(parseSchema(schema));
    for (let run = 0; run < 30; run += 1) {
      // JSON cannot represent minus zero.
      const args = JSON.parse(JSON.stringify(generateInstance(schema, schema, random))) as JsonValue;
      if (isJsonObject(args)) expect(readBack(args, read)).toEqual(args);
    }
  });

  it("prefers flags to JSON", () => {
    const schema = new ArgumentSchema(
      parseSchema({
        type: "object",
        properties: {
          n: { type: "integer" },
          tags: { type: "array", items: { type: "string" } },
          meta: { type: "object", properties: { key: { type: "string" }, "a.b": { type: "string" } } },
          items: { type: "array", items: { type: "object", properties: { name: { type: "string" } } } },
        },
      }),
    );
    const args = { n: 1, tags: ["a", "b"], meta: { key: "v", "a.b": "w" }, items: [{ name: "x" }], odd: 1 };
    expect(printFlags(args, schema)).toEqual({
      input: { odd: 1 },
      words: ["--n=1", "--tags=a", "--tags=b", "--meta.key=v", "--meta.a\\.b=w", "--items.0.name=x"],
    });
  });
});

describe("published tools", () => {
  it("read the flags that their arguments are printed as", () => {
    const random = createRandom(Number(process.env["SEED"] ?? 2026));
    const tools = readToolLists().map(({ input }) => input);
    let inputs = 0;
    for (const schema of tools) {
      const read = new ArgumentSchema(parseSchema(schema));
      const generated = JSON.parse(JSON.stringify(generateInstance(schema, schema, random))) as JsonValue;
      for (const args of [sampleArguments(read), generated]) {
        if (!isJsonObject(args)) continue;
        expect(readBack(args, read)).toEqual(args);
        if (printFlags(args, read).input !== undefined) inputs += 1;
      }
    }
    expect(tools.length).toBeGreaterThan(expected(30, 2_000));
    // Few values cannot be expressed as flags.
    expect(inputs).toBeLessThan(20);
  });
});

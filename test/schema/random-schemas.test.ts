import { Ajv2020 } from "ajv/dist/2020.js";
import fc from "fast-check";
import { expect, it } from "vitest";
import type { JsonObject, JsonValue } from "../../src/contract/json.js";
import { fitsJsonSchema, type JsonSchema } from "../../src/runtime/checks/index.js";
import { parseSchema } from "../../src/schema/parse-schema.js";
import { printJsonSchema } from "../../src/schema/print-json-schema.js";
import { printZodModule } from "../../src/schema/print-zod-module.js";
import { evaluateModule } from "./support/evaluate-module.js";

/** Schemas of a few names and values, so that what they say of the same value often meets. */
const { schema } = fc.letrec<{ schema: JsonValue; object: JsonObject }>((tie) => {
  const schema = tie("schema");
  const name = fc.constantFrom("a", "b", "c");
  const size = fc.nat(2);
  const list = fc.array(schema, { minLength: 1, maxLength: 3 });
  const map = fc.dictionary(name, schema, { maxKeys: 2, noNullPrototype: true });
  const names = fc.uniqueArray(name, { maxLength: 2 });
  const values: fc.Arbitrary<readonly JsonValue[]> = fc.uniqueArray(fc.constantFrom<JsonValue>("a", 1, null, true), { minLength: 1, maxLength: 3 }); // prettier-ignore
  const type = fc.constantFrom("string", "number", "integer", "array", "object", "null", "boolean");
  const keyword = fc.oneof(
    ...[
      fc.record({ type: fc.oneof(type, fc.uniqueArray(type, { minLength: 1, maxLength: 2 })) }),
      fc.record({ enum: values }),
      fc.record({ const: fc.constantFrom<JsonValue>("a", 1, { a: 1 }) }),
      fc.record({ properties: map }),
      fc.record({ properties: map, required: names }),
      fc.record({ properties: map, additionalProperties: schema }),
      fc.record({
        patternProperties: fc.dictionary(fc.constantFrom("^a", "[bc]"), schema, {
          maxKeys: 1,
          noNullPrototype: true,
        }),
      }),
      fc.record({ propertyNames: fc.constantFrom({ enum: ["a", "b"] }, { pattern: "[ab]" }) }),
      fc.record({ minProperties: size }, { requiredKeys: [] }),
      fc.record({ dependentSchemas: map }),
      fc.record({ dependentRequired: fc.dictionary(name, names, { maxKeys: 1, noNullPrototype: true }) }),
      fc.record({ prefixItems: list, items: schema }, { requiredKeys: [] }),
      fc.record({ contains: schema, minContains: size, maxContains: size }, { requiredKeys: ["contains"] }),
      fc.record({ minItems: size, uniqueItems: fc.boolean() }),
      fc.record(
        { minLength: size, minimum: size, multipleOf: fc.constantFrom(0.5, 2) },
        { requiredKeys: [] },
      ),
      fc.record({ allOf: list }),
      fc.record({ anyOf: list }),
      fc.record({ oneOf: list }),
      fc.record({ not: schema }),
      fc.record({ if: schema, then: schema, else: schema }, { requiredKeys: ["if"] }),
      fc.record({ unevaluatedProperties: schema }),
      fc.record({ unevaluatedItems: schema }),
      fc.record({ $ref: fc.constantFrom("#/$defs/d", "#/$defs/e") }),
    ].map((arbitrary): fc.Arbitrary<JsonObject> => arbitrary as fc.Arbitrary<JsonObject>),
  );
  return {
    schema: fc.oneof({ depthSize: "small", withCrossShrink: true }, fc.boolean(), tie("object")),
    object: fc
      .array(keyword, { minLength: 1, maxLength: 3 })
      .map((parts) => Object.assign({}, ...parts) as JsonObject),
  };
});

const document = fc.record({ whole: schema, d: schema, e: schema }).map(({ whole, d, e }): JsonObject => ({
  ...(typeof whole === "object" ? (whole as JsonObject) : { not: !whole }),
  $defs: { d, e },
}));

const { value } = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.constantFrom<JsonValue>("a", "b", "", 1, 0.5, 3, null, true),
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom("a", "b", "c"), tie("value"), { maxKeys: 3, noNullPrototype: true }),
  ),
}));

const ajv = new Ajv2020({ strict: false, validateSchema: false, logger: false });

/**
 * What Ajv says, but for what it gets wrong: what is left over, and `contains` beside items that are `false`. There the
 * two of ours still have to agree.
 */
function createJudge(schema: JsonObject): (value: JsonValue) => boolean | undefined {
  const text = JSON.stringify(schema);
  if (text.includes('"unevaluated') || text.includes('"contains"')) return () => undefined;
  const validate = ajv.compile(schema);
  return (value) => {
    try {
      return validate(value);
    } catch (error) {
      // It keeps a record of what is evaluated, and falls over it, when nothing asks for that too.
      if (error instanceof TypeError) return undefined;
      throw error;
    }
  };
}

/** Another one each time; `SEED` repeats one. */
const SEED = Number(process.env["SEED"] ?? Math.floor(Math.random() * 2 ** 31));

it(`random schemas judge as ajv does, printed and interpreted (seed ${SEED})`, { timeout: 120_000 }, () => {
  let judged = 0;
  const property = fc.property(
    document,
    fc.array(value, { minLength: 8, maxLength: 8 }),
    (schema, values) => {
      let parsed;
      try {
        parsed = parseSchema(schema);
      } catch {
        return; // It is defined by itself alone.
      }
      const judge = createJudge(schema);
      const printed = evaluateModule(printZodModule(schema, { name: "Printed" }).text, "Printed");
      const interpret = fitsJsonSchema(printJsonSchema(parsed.ir, parsed.definitions) as JsonSchema);
      for (const value of values) {
        const issues: unknown[] = [];
        interpret({ value, issues });
        const fits = issues.length === 0;
        expect({ value, fits }).toEqual({ value, fits: judge(value) ?? fits });
        expect({ value, fits: printed.safeParse(value).success }).toEqual({ value, fits });
        judged += 1;
      }
    },
  );
  fc.assert(property, { seed: SEED, numRuns: Number(process.env["RUNS"] ?? 300) });
  expect(judged).toBeGreaterThan(500);
});

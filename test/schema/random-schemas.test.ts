import { isDeepStrictEqual } from "node:util";
import { Ajv2020 } from "ajv/dist/2020.js";
import fc from "fast-check";
import { expect, it } from "vitest";
import { isJsonObject, type JsonObject, type JsonValue } from "../../src/core/json.js";
import { compileDefaults } from "../../src/schema/interpret/fill-defaults.js";
import { createValidator, fitsJsonSchema } from "../../src/schema/validation/fits-json-schema.js";
import { type JsonSchema } from "../../src/schema/validation/json-schema.js";
import { parseSchema } from "../../src/schema/ir/parse-schema.js";
import { printJsonSchema } from "../../src/schema/print/print-json-schema.js";
import { printZodModule } from "../../src/schema/print/print-modules.js";
import { evaluateModule } from "./support/evaluate-module.js";
import { runs } from "../sample.js";

/** Schemas with few names and values, so that several rules often apply to the same value. */
const { schema, object } = fc.letrec<{ schema: JsonValue; object: JsonObject }>((tie) => {
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
    schema: fc.oneof(
      { depthSize: "small", withCrossShrink: true },
      { weight: 1, arbitrary: fc.boolean() },
      { weight: 4, arbitrary: tie("object") },
    ),
    object: fc
      .array(keyword, { minLength: 1, maxLength: 3 })
      .map((parts) => Object.assign({}, ...parts) as JsonObject),
  };
});

const document = fc
  .record({ whole: object, d: schema, e: schema })
  .map(({ whole, d, e }): JsonObject => ({ ...whole, $defs: { d, e } }));

const { value, map } = fc.letrec<{ value: JsonValue; map: JsonObject }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.constantFrom<JsonValue>("a", "b", "", 1, 0.5, 3, null, true),
    fc.array(tie("value"), { maxLength: 3 }),
    tie("map"),
  ),
  map: fc.dictionary(fc.constantFrom("a", "b", "c"), tie("value"), { maxKeys: 3, noNullPrototype: true }),
}));

const ajv = new Ajv2020({ strict: false, validateSchema: false, logger: false });

/**
 * Returns the result of Ajv. Undefined where Ajv is wrong: unevaluated parts, and `contains` with items that are `false`.
 * There our two implementations must still agree.
 */
function createJudge(schema: JsonObject): (value: JsonValue) => boolean | undefined {
  const text = JSON.stringify(schema);
  if (text.includes('"unevaluated') || text.includes('"contains"')) return () => undefined;
  const validate = ajv.compile(schema);
  return (value) => {
    try {
      return validate(value);
    } catch (error) {
      // Ajv also records evaluated parts where they are not needed, and fails.
      if (error instanceof TypeError || error instanceof ReferenceError) return undefined;
      throw error;
    }
  };
}

/** The seed of all properties. The variable `SEED` overrides it. */
const SEED = Number(process.env["SEED"] ?? 2026);
const RUNS = Number(process.env["RUNS"] ?? runs(300, 4));

it(`random schemas agree with ajv, printed and interpreted (seed ${SEED})`, () => {
  let judged = 0;
  const property = fc.property(
    document,
    fc.array(value, { minLength: 8, maxLength: 8 }),
    (schema, values) => {
      let parsed;
      try {
        parsed = parseSchema(schema);
      } catch {
        return; // It only refers to itself.
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
  fc.assert(property, { seed: SEED, numRuns: RUNS });
  expect(judged).toBeGreaterThan(runs(500, 4));
});

it(`an own "__proto__" is validated like other keys that a schema does not name (seed ${SEED})`, () => {
  const leaf = fc.constantFrom<JsonValue>({ type: "string" }, { type: "number" }, { enum: ["a", 1] }, false);
  const objects = fc.record(
    {
      type: fc.constant("object"),
      properties: fc.constantFrom<JsonValue>({ a: { type: "string" } }, { a: {}, b: { type: "number" } }),
      additionalProperties: leaf,
      patternProperties: fc.record({ "^_|a": leaf }),
      propertyNames: fc.constantFrom<JsonValue>({ pattern: "^[_a]" }, { maxLength: 3 }),
    },
    { requiredKeys: ["type"], noNullPrototype: true },
  );
  const several = fc.array(objects, { minLength: 1, maxLength: 3 });
  const schemas = fc
    .record(
      {
        own: objects,
        allOf: several,
        anyOf: several,
        oneOf: several,
        not: objects,
        if: objects,
        then: objects,
        dependentSchemas: fc.record({ a: objects }, { noNullPrototype: true }),
        unevaluatedProperties: leaf,
      },
      { requiredKeys: ["own"], noNullPrototype: true },
    )
    .map(({ own, ...others }) => ({ ...own, ...others }));
  const values = fc.dictionary(
    fc.constantFrom("a", "b", "__proto__"),
    fc.constantFrom<JsonValue>("a", "b", 1),
  );
  fc.assert(
    fc.property(schemas, values, (schema, value) => {
      const printed = evaluateModule(printZodModule(schema, { name: "Printed" }).text, "Printed");
      expect(printed.safeParse(value).success).toBe(ajv.compile(schema)(value));
    }),
    { seed: SEED, numRuns: runs(200, 4) },
  );
});

it(`filling in defaults adds keys alone, and keeps a value valid (seed ${SEED})`, () => {
  let filledIn = 0;
  const property = fc.property(
    document,
    fc.array(fc.constantFrom<JsonValue>("a", 1, null, {}, [], { a: 1 }), { minLength: 5, maxLength: 5 }),
    fc.array(fc.oneof(value, map), { minLength: 8, maxLength: 8 }),
    (plain, defaults, values) => {
      const schema = withDefaults(plain, defaults.values());
      let parsed;
      try {
        parsed = parseSchema(schema);
      } catch {
        return; // It only refers to itself.
      }
      const { ir, definitions } = parsed;
      const fits = createValidator(printJsonSchema(ir, definitions) as JsonSchema);
      const printed = printZodModule(schema, { name: "Printed", defaults: "parse" });
      const zod = evaluateModule(printed.text, "Printed");
      const fill = compileDefaults(ir, definitions);
      for (const value of values.filter(fits)) {
        const before = structuredClone(value);
        const filled = fill(value);
        expect(value).toEqual(before);
        expect(without(filled, value)).toEqual(value);
        expect({ filled, fits: fits(filled) }).toEqual({ filled, fits: true });
        expect(zod.parse(value)).toEqual(filled);
        if (!isDeepStrictEqual(filled, value)) filledIn += 1;
      }
    },
  );
  fc.assert(property, { seed: SEED, numRuns: RUNS * 4 });
  expect(filledIn).toBeGreaterThan(runs(40, 5));
});

/** Returns a value without the keys that the other value does not have. */
function without(filled: unknown, value: JsonValue): unknown {
  if (Array.isArray(filled) && Array.isArray(value))
    return filled.map((item: unknown, index) =>
      without(item, (value as readonly JsonValue[])[index] ?? null),
    );
  if (!isJsonObject(filled) || !isJsonObject(value)) return filled;
  return Object.fromEntries(
    Object.entries(filled).flatMap(([key, item]) =>
      Object.hasOwn(value, key) ? [[key, without(item, value[key] ?? null)] as const] : [],
    ),
  );
}

/** Returns a schema with defaults for the first properties that it declares at any depth. */
function withDefaults(schema: JsonValue, defaults: Iterator<JsonValue>): JsonValue {
  if (Array.isArray(schema))
    return (schema as readonly JsonValue[]).map((item) => withDefaults(item, defaults));
  if (!isJsonObject(schema)) return schema;
  const entries = Object.entries(schema).map(([keyword, inner]): [string, JsonValue] => {
    if (keyword !== "properties" || !isJsonObject(inner)) return [keyword, withDefaults(inner, defaults)];
    const named = Object.entries(inner).map(([name, property]): [string, JsonValue] => {
      const next = property === false ? undefined : defaults.next();
      const rest = withDefaults(property, defaults);
      if (next === undefined || next.done === true) return [name, rest];
      return [name, { ...(isJsonObject(rest) && rest), default: next.value }];
    });
    return [keyword, Object.fromEntries(named)];
  });
  return Object.fromEntries(entries);
}

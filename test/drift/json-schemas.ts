import fc from "fast-check";
import type { JsonObject, JsonValue } from "../../src/core/json.js";

const NAMES = ["a", "b", "__proto__"];
const TYPES = ["string", "number", "integer", "boolean", "null", "object", "array"];

const names = fc.uniqueArray(fc.constantFrom(...NAMES), { maxLength: 2 });
const values = fc.constantFrom<JsonValue>(null, true, 0, 1, 2, 1.5, "", "a", "ab", [], [1], {}, { a: 1 });
const limit = fc.integer({ min: 0, max: 3 });

/** Keywords without subschemas. */
const LEAVES: Readonly<Record<string, fc.Arbitrary<JsonValue>>> = {
  type: fc.oneof(fc.constantFrom(...TYPES), fc.uniqueArray(fc.constantFrom(...TYPES), { minLength: 1, maxLength: 3 })),
  enum: fc.uniqueArray(values, { minLength: 1, maxLength: 3, selector: (value) => JSON.stringify(value) }),
  const: values,
  required: names,
  minLength: limit,
  maxLength: limit,
  pattern: fc.constantFrom("", ".", ".*", "^a", "b$"),
  multipleOf: fc.constantFrom(1, 2, 3, 1.5),
  minItems: limit,
  maxItems: limit,
  minProperties: limit,
  uniqueItems: fc.boolean(),
  minimum: limit,
  exclusiveMinimum: limit,
  exclusiveMaximum: limit,
  unevaluatedProperties: fc.boolean(),
  description: fc.constantFrom("", "A", " A "),
  default: values,
}; // prettier-ignore

/** Schemas with few keywords, so that each keyword also occurs alone. */
function schemasOf(depth: number): fc.Arbitrary<JsonObject> {
  const keywords = depth === 0 ? LEAVES : { ...LEAVES, ...holders(depth) };
  return fc
    .subarray(Object.keys(keywords), { maxLength: 3 })
    .chain((keys) =>
      fc
        .tuple(...keys.map((key) => keywords[key] ?? fc.constant(null)))
        .map((chosen): JsonObject =>
          Object.fromEntries(keys.map((key, index) => [key, chosen[index] ?? null])),
        ),
    );
}

function holders(depth: number): Readonly<Record<string, fc.Arbitrary<JsonValue>>> {
  const schema = fc.oneof(
    fc.constantFrom<JsonValue>({}, true, false, { type: "string" }),
    schemasOf(depth - 1),
  );
  const list = fc.array(schema, { minLength: 1, maxLength: 2 });
  const union = fc.oneof(
    list,
    schema.map((branch): JsonValue => [branch, { type: "null" }]),
  );
  return {
    properties: fc
      .uniqueArray(fc.tuple(fc.constantFrom(...NAMES), schema), { selector: ([name]) => name, maxLength: 2 })
      .map((entries): JsonValue => Object.fromEntries(entries)),
    patternProperties: fc
      .tuple(fc.constantFrom("", ".*", "^a", "b"), schema)
      .map(([pattern, rule]): JsonValue => ({ [pattern]: rule })),
    propertyNames: schema,
    additionalProperties: schema,
    items: schema,
    prefixItems: list,
    allOf: list,
    anyOf: union,
    oneOf: union,
    not: schema,
  };
}

/** Small schemas of the keywords that matter to drift, often in one of several equivalent spellings. */
export const jsonSchemas: fc.Arbitrary<JsonObject> = schemasOf(2);

/** Instances that such schemas distinguish. */
export const instances: fc.Arbitrary<JsonValue> = fc.oneof(
  values,
  fc.array(values, { maxLength: 3 }),
  fc.dictionary(fc.constantFrom("a", "b", "c"), values, { maxKeys: 3 }),
);

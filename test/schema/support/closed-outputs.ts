import fc from "fast-check";
import type { JsonObject, JsonValue } from "../../../src/core/json.js";

const name = fc.constantFrom("a", "b", "c");

/** Output schemas of a few names, most of them closed. */
export const { output: outputs } = fc.letrec<{ output: JsonObject; part: JsonObject }>((tie) => {
  const part = tie("part");
  const properties = fc.dictionary(name, part, { maxKeys: 2, noNullPrototype: true });
  const required = fc.uniqueArray(name, { maxLength: 1 });
  const shape = fc.record({ type: fc.constant("object"), properties, required });
  const closedObject = fc.oneof(
    shape.map((one) => ({ ...one, additionalProperties: false })),
    shape.map((one) => ({ ...one, unevaluatedProperties: false })),
    shape.map((one) => ({
      ...one,
      required: [],
      patternProperties: { "^[bc]": { type: "number" } },
      additionalProperties: false,
    })),
  );
  const members = fc.array(part, { minLength: 1, maxLength: 3 });
  return {
    output: fc.oneof(closedObject, part),
    part: fc.oneof(
      { depthSize: "small", withCrossShrink: true },
      fc.constantFrom<JsonObject>({ type: "string" }, { type: "number" }, { enum: ["a", 1] }),
      closedObject,
      closedObject,
      shape,
      fc.record({ anyOf: members }),
      fc.record({ oneOf: members }),
      fc.record({ type: fc.constant("array"), items: part }),
      fc.tuple(shape, part).map(([one, condition]) => ({ ...one, if: condition, then: shapeOf(one) })),
      fc.tuple(closedObject, part).map(([one, not]) => ({ ...one, not })),
      fc.record({ allOf: members }),
    ),
  };
});

function shapeOf(schema: JsonObject): JsonObject {
  return { ...schema, additionalProperties: false };
}

/** Answers of the same names, and of one that no schema names. */
export const { value: values } = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.constantFrom<JsonValue>("a", "b", 1, 2, null),
    fc.array(tie("value"), { maxLength: 2 }),
    fc.dictionary(fc.constantFrom("a", "b", "c", "z"), tie("value"), { maxKeys: 3, noNullPrototype: true }),
  ),
}));

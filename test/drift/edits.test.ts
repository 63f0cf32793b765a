import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { JsonObject, JsonValue } from "../../src/core/json.js";
import { runs } from "../sample.js";
import { diffSide, type Side } from "./grid/keyword-cases.js";
import { compilePair } from "./witness/check-witness.js";

const NAMES = ["a", "b", "c"];
const text = { type: "string" };
const LEAVES: readonly JsonObject[] = [
  {},
  text,
  { ...text, maxLength: 3 },
  { ...text, minLength: 1 },
  { ...text, pattern: "^x" },
  { enum: ["x", "y", "z"] },
  { enum: ["x", "y"] },
  { const: "x" },
  { type: "integer" },
  { type: "integer", maximum: 5 },
  { type: "number" },
  { type: "boolean" },
  { type: ["string", "null"] },
  { type: "array", items: text },
  { type: "array", items: { ...text, maxLength: 3 }, minItems: 1 },
  { anyOf: [text, { type: "integer" }] },
  { anyOf: [{ enum: ["x"] }, { type: "integer", minimum: 2 }] },
];
const name = fc.constantFrom(...NAMES);
const leaf = fc.constantFrom(...LEAVES);
const required = fc.subarray(NAMES, { maxLength: 2 });

/** A rule for a part of an object's properties, as branches and conditions have. */
const part: fc.Arbitrary<JsonObject> = fc
  .tuple(
    fc.uniqueArray(fc.tuple(name, leaf), { maxLength: 2, selector: ([key]) => key }),
    fc.option(required),
  )
  .map(([properties, names]) => ({
    ...(properties.length > 0 && { properties: Object.fromEntries(properties) }),
    ...(names !== null && { required: names }),
  }));
const parts = (minLength: number): fc.Arbitrary<readonly JsonObject[]> =>
  fc.array(part, { minLength, maxLength: 3 });

const combined: fc.Arbitrary<JsonObject> = fc.oneof(
  parts(1).map((anyOf) => ({ anyOf })),
  parts(1).map((allOf) => ({ allOf })),
  parts(2).map((oneOf) => ({ oneOf })),
  part.map((not) => ({ not })),
  fc.tuple(part, part).map(([condition, then]) => ({ if: condition, then })),
  fc.tuple(part, part, part).map(([condition, then, other]) => ({ if: condition, then, else: other })),
  fc
    .tuple(name, fc.subarray(NAMES, { minLength: 1, maxLength: 2 }))
    .map(([key, names]) => ({ dependentRequired: { [key]: names } })),
  fc.tuple(name, part).map(([key, schema]) => ({ dependentSchemas: { [key]: schema } })),
);

const atRoot: fc.Arbitrary<JsonObject> = fc.oneof(
  leaf.map((additionalProperties) => ({ additionalProperties })),
  fc.constant({ additionalProperties: false }),
  fc
    .tuple(fc.constantFrom("^[ab]$", "^c"), leaf)
    .map(([pattern, schema]) => ({ patternProperties: { [pattern]: schema } })),
  fc.subarray(NAMES, { minLength: 1 }).map((names) => ({ propertyNames: { enum: names } })),
  fc
    .tuple(fc.constantFrom("minProperties", "maxProperties"), fc.nat({ max: 3 }))
    .map((limit) => ({ [limit[0]]: limit[1] })),
  part.map((not) => ({ allOf: [{ not }] })),
  fc.tuple(part, part).map(([condition, then]) => ({ allOf: [{ if: condition, then }] })),
  fc.tuple(parts(1), parts(1)).map((unions) => ({ allOf: unions.map((anyOf) => ({ anyOf })) })),
  fc.tuple(part, parts(1)).map(([first, allOf]) => ({ anyOf: [first, { allOf }] })),
  fc.constant({ enum: [{ a: "x" }, { a: "y", b: 1 }, {}] }),
);

const rule = fc.option(fc.oneof(combined, atRoot));
const objects: fc.Arbitrary<JsonObject> = fc
  .tuple(leaf, leaf, fc.option(leaf), required, rule, rule)
  .map(([a, b, c, names, first, second]) => ({
    type: "object",
    properties: { a, b, ...(c !== null && { c }) },
    required: names,
    ...first,
    ...second,
  }));

type Edit = (schema: JsonObject) => JsonObject;
const propertiesOf = ({ properties }: JsonObject): JsonObject => properties as JsonObject;
const without = (schema: JsonObject, ...keys: readonly string[]): JsonObject =>
  Object.fromEntries(Object.entries(schema).filter(([key]) => !keys.includes(key)));
const COMBINING = [
  "anyOf", "allOf", "oneOf", "not", "if", "then", "else", "dependentRequired", "dependentSchemas",
]; // prettier-ignore

const REMOVED = ["additionalProperties", "patternProperties", "propertyNames", "minProperties", "enum"];
const edits: fc.Arbitrary<Edit> = fc.oneof(
  atRoot.map((added): Edit => (whole) => ({ ...whole, ...added })),
  fc.constantFrom(...REMOVED).map(
    (keyword): Edit =>
      (whole) =>
        without(whole, keyword),
  ),
  fc.tuple(name, leaf).map(([key, schema]): Edit => (whole) => ({
    ...whole,
    properties: { ...propertiesOf(whole), [key]: schema },
  })),
  required.map((names): Edit => (whole) => ({ ...whole, required: names })),
  combined.map((added): Edit => (whole) => ({ ...whole, ...added })),
  fc.constant<Edit>((whole) => without(whole, ...COMBINING)),
  name.map((key): Edit => (whole) => ({ ...whole, properties: without(propertiesOf(whole), key) })),
  fc.tuple(fc.constantFrom("anyOf", "allOf", "oneOf"), part).map(([keyword, schema]): Edit => (whole) => {
    const list = (whole[keyword] ?? []) as readonly JsonValue[];
    return { ...whole, [keyword]: [schema, ...list.slice(1)] };
  }),
  fc.tuple(fc.constantFrom("then", "else"), part).map(([keyword, schema]): Edit => (whole) => ({
    ...whole,
    [keyword]: schema,
  })),
);

const VALUES: readonly (JsonValue | undefined)[] = [
  ...[undefined, "", "x", "y", "xx", "abcd", 1, 3, 6, 1.5, null, true],
  [],
  ["abcd"],
  ["x"],
];
const INSTANCES: readonly JsonObject[] = VALUES.flatMap((a) =>
  VALUES.flatMap((b) =>
    VALUES.map((c): JsonObject => ({
      ...(a !== undefined && { a }),
      ...(b !== undefined && { b }),
      ...(c !== undefined && { c }),
    })),
  ),
);

const property = (v: JsonObject, more: JsonObject = {}): JsonObject => ({
  type: "object",
  properties: { v },
  required: ["v"],
  ...more,
});
const asProperty = (value: JsonObject): JsonObject => ({ v: value });
const itself = (value: JsonObject): JsonObject => value;

/** Where the edited object stands, and how a value of it looks there. */
const PLACES: Readonly<Record<string, readonly [Edit, (value: JsonObject) => JsonObject]>> = {
  "the whole": [itself, itself],
  "a property": [(v) => property(v), asProperty],
  "an item": [(items) => property({ type: "array", items }), (value) => ({ v: [value] })],
  "a map": [(schema) => ({ type: "object", additionalProperties: schema }), asProperty],
  "a definition": [(v) => property({ $ref: "#/$defs/V" }, { $defs: { V: v } }), asProperty],
  "a definition beside a rule": [(v) => property({ $ref: "#/$defs/V", properties: { b: {} } }, { $defs: { V: v } }), asProperty],
  "a definition that is the whole": [(V) => ({ $ref: "#/$defs/V", type: "object", $defs: { V } }), itself],
  "a branch beside a text": [(v) => property({ anyOf: [v, text] }), asProperty],
  "a branch beside null": [(v) => property({ anyOf: [v, { type: "null" }] }), asProperty],
  "a branch beside a tagged object": [(v) => property({ oneOf: [{ type: "object", properties: { k: { const: 1 } }, required: ["k"] }, v] }), asProperty],
  "a part": [(v) => ({ allOf: [v] }), itself],
  "a part beside another": [(v) => property({ allOf: [v, { type: "object", properties: { a: { type: ["string", "null"] } } }] }), asProperty],
  "a closed object": [(v) => property({ ...v, additionalProperties: false }), asProperty],
}; // prettier-ignore

/** Changes of an output that show callers a key that they do not read. */
const SHOWS_KEYS = /-additional-properties-opened$|-property-added-to-closed$/;

/** The names that a schema mentions anywhere. Callers pass no others. */
function mentionedIn(schema: JsonValue): ReadonlySet<string> {
  return new Set(NAMES.filter((each) => JSON.stringify(schema).includes(`"${each}"`)));
}

describe("an object whose rules change", () => {
  it("is never reported as safe if a value shows a break, wherever it stands", () => {
    let breaks = 0;
    fc.assert(
      fc.property(
        objects,
        fc.array(edits, { minLength: 1, maxLength: 2 }),
        fc.constantFrom<Side>("input", "output"),
        fc.constantFrom(...Object.keys(PLACES)),
        (object, list, side, place) => {
          const [wrap, valueAt] = PLACES[place] ?? [itself, itself];
          const before = wrap(object);
          const after = wrap(list.reduce((schema, edit) => edit(schema), object));
          const [accepts, rejects] = side === "input" ? [before, after] : [after, before];
          const isWitness = compilePair(accepts, rejects);
          const changes = diffSide(before, after, side);
          for (const { witness, rule: name } of changes)
            if (witness !== undefined) expect(isWitness(witness), name).toBe(true);
          const names = mentionedIn(accepts);
          const shows = INSTANCES.find(
            (instance) =>
              (side === "output" || Object.keys(instance).every((each) => names.has(each))) &&
              isWitness(valueAt(instance)),
          );
          if (shows === undefined) return;
          breaks += 1;
          const isTold = changes.some(
            (change) =>
              change.class === "breaking" || change.class === "unknown" || SHOWS_KEYS.test(change.rule),
          );
          expect({ before, after, shows, isTold }).toEqual({ before, after, shows, isTold: true });
        },
      ),
      { numRuns: runs(400, 8) },
    );
    expect(breaks).toBeGreaterThan(runs(80, 8));
  });
});

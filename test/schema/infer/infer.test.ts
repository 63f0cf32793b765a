import { Ajv2020 } from "ajv/dist/2020.js";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { canonicalJson, type JsonObject, type JsonValue } from "../../../src/core/json.js";
import { assertLearned, joinSchemas } from "../../../src/schema/infer/learned-schema.js";
import { inferSchema, observe } from "../../../src/schema/infer/observe.js";

function learn(samples: readonly JsonValue[], key?: string): JsonObject {
  return inferSchema(samples, key);
}

function repeat<T>(count: number, ...values: readonly T[]): readonly T[] {
  return Array.from({ length: count }, () => values).flat();
}

const text = { type: "string" };
const integer = { type: "integer" };

describe("a learned schema", () => {
  const LEARNED: readonly (readonly [string, readonly JsonValue[], JsonObject])[] = [
    ["a key that some objects lack", [{ a: 1, b: "x" }, { a: 2 }], { type: "object", properties: { a: integer, b: text }, required: ["a"] }],
    ["a value that is null at times", ["a", null], { type: ["string", "null"] }],
    ["integers and fractions", [1, 1.5], { type: "number" }],
    ["values of several kinds", [1, "a", [true]], { type: ["array", "string", "integer"], items: { type: "boolean" } }],
    ["arrays that are empty at times", [[], [1]], { type: "array", items: integer }],
    ["arrays that are always empty", [[], []], { type: "array" }],
    ["a format", ["2026-01-02T03:04:05Z", "2025-01-02T03:04:05+01:00"], { type: "string", format: "date-time" }],
    ["a text with a colon", ["note: a", "mailto:x"], text],
    ["a format that one value has not", ["2026-01-02", "soon"], text],
    ["objects by ID", [{ "17": { n: 1 } }, { "18": { n: 2 } }], { type: "object", additionalProperties: { type: "object", properties: { n: integer }, required: ["n"] } }],
    ["objects by address", [{ "ann@example.com": 1 }], { type: "object", additionalProperties: integer }],
    ["a key that sets prototypes", [JSON.parse('{"__proto__":1}') as JsonValue], { type: "object", properties: JSON.parse('{"__proto__":{"type":"integer"}}') as JsonObject, required: ["__proto__"] }],
  ]; // prettier-ignore

  it.each(LEARNED)("%s", (_, samples, expected) => {
    expect(canonicalJson(learn(samples))).toBe(canonicalJson(expected));
  });

  it("has an enumeration only under a key of choices, with evidence, and of words", () => {
    const states = repeat(3, "open", "closed");
    expect(learn(states, "status")).toEqual({ type: "string", enum: ["closed", "open"] });
    expect(learn([...states, null], "order_status")).toEqual({
      type: ["string", "null"],
      enum: ["closed", "open", null],
    });
    expect(learn(["open", "closed"], "status")).toEqual(text);
    const words = (count: number): string[] => Array.from("abcdefghijklm").slice(0, count);
    expect(learn(repeat(3, ...words(12)), "status")).toEqual({ type: "string", enum: words(12) });
    expect(learn(repeat(3, ...words(13)), "status")).toEqual(text);
    expect(learn(states, "name")).toEqual(text);
    expect(learn(repeat(3, "ord-2201", "ord-2202"), "status")).toEqual(text);
  });

  it("has a union only where a tag decides about keys, with evidence", () => {
    const [page, post] = [
      { type: "page", path: "/" },
      { type: "post", tags: ["a"] },
    ];
    expect(learn([page, post, page, post])).toEqual({
      anyOf: [
        { type: "object", properties: { path: text, type: { const: "page" } }, required: ["path", "type"] },
        {
          type: "object",
          properties: { tags: { type: "array", items: text }, type: { const: "post" } },
          required: ["tags", "type"],
        },
      ],
    });
    expect(learn([page, post])).toMatchObject({ type: "object", required: ["type"] });
    const alike = [
      { type: "page", path: "/" },
      { type: "post", path: "/a" },
    ];
    expect(learn(repeat(2, ...alike))).toMatchObject({ properties: { type: text } });
  });
});

const ajv = new Ajv2020({ strict: false, validateFormats: false });

/** Values as servers answer: objects with keys from a few, tags, IDs and formats. */
const value: fc.Arbitrary<JsonValue> = fc.letrec<{ readonly value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc.constantFrom<JsonValue>(null, true, 0, 1.5, "open", "closed", "2026-01-02", "x y", "https://a.b/c"),
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom("type", "status", "a", "b", "17", "__proto__"), tie("value"), {
      maxKeys: 4,
    }),
    fc.record({ type: fc.constantFrom("page", "post"), [`a`]: tie("value") }, { requiredKeys: ["type"] }),
  ),
})).value;

describe("for all samples", () => {
  const samples = fc.array(value, { minLength: 1, maxLength: 12 });

  it("the schema accepts every one of them", () => {
    fc.assert(
      fc.property(samples, (given) => {
        const accepts = ajv.compile(learn(given));
        for (const each of given) expect(accepts(each), JSON.stringify(each)).toBe(true);
      }),
    );
  });

  it("the schema can be read again", () => {
    fc.assert(
      fc.property(samples, (given) => {
        const schema = learn(given);
        assertLearned(schema);
        expect(canonicalJson(joinSchemas({}, schema))).toBe(canonicalJson(schema));
        expect(canonicalJson(joinSchemas(schema, schema))).toBe(canonicalJson(schema));
      }),
    );
  });

  it("more samples only widen, in any order", () => {
    fc.assert(
      fc.property(samples, samples, samples, (one, two, three) => {
        const [a, b, c] = [inferSchema(one), inferSchema(two), inferSchema(three)];
        const joined = joinSchemas(joinSchemas(a, b), c);
        expect(canonicalJson(joinSchemas(a, joinSchemas(b, c)))).toBe(canonicalJson(joined));
        expect(canonicalJson(joinSchemas(c, joinSchemas(b, a)))).toBe(canonicalJson(joined));
        expect(canonicalJson(joinSchemas(joined, b))).toBe(canonicalJson(joined));
        const accepts = ajv.compile(joined);
        for (const each of [...one, ...two, ...three]) expect(accepts(each), JSON.stringify(each)).toBe(true);
      }),
    );
  });
});

const texts = (...list: readonly string[]): JsonObject => ({
  content: list.map((item) => ({ type: "text", text: item })),
});
const structured = (value: JsonValue): JsonObject => ({ structuredContent: value, ...texts("{}") });
const learned = (...kinds: readonly string[]): JsonObject => {
  const type = kinds.length === 1 ? (kinds[0] ?? "") : kinds;
  return { schema: { type: "object", properties: { a: { type } }, required: ["a"] } };
};
const BEFORE = { digest: "d", samples: 3, answers: "structured", ...learned("integer") } as const;
const EMPTY = { type: "object", properties: { a: integer } };

describe("observe", () => {
  const READ: readonly (readonly [results: readonly JsonObject[], observed: JsonObject | undefined])[] = [
    [[], undefined],
    [[{ ...texts("{}"), isError: true }], undefined],
    [[texts('{"a":1}')], { samples: 1, answers: "json", ...learned("integer") }],
    [[texts("12")], { samples: 1, answers: "text" }],
    [[texts("[1]", "x")], { samples: 1, answers: "text" }],
    [[{ content: [{ type: "image", text: "{}" }] }], { samples: 1, answers: "text" }],
    [[{ structuredContent: null, content: {} }], { samples: 1, answers: "text" }],
    [[structured({ a: 1 })], { samples: 1, answers: "structured", ...learned("integer") }],
    [[structured({ a: 1 }), texts('{"a":"x"}')], { samples: 2, answers: "json", ...learned("string", "integer") }],
    [[structured({ a: 1 }), texts("no")], { samples: 2, answers: "text" }],
  ]; // prettier-ignore

  it.each(READ)("reads %j", (results, observed) => {
    expect(observe("d", results, undefined, "further")).toEqual(observed && { digest: "d", ...observed });
  });

  it.each<[digest: string, results: readonly JsonObject[], observed: JsonObject]>([
    ["d", [], BEFORE],
    ["d", [structured({ a: "x" })], { ...BEFORE, ...learned("string", "integer"), samples: 4 }],
    ["d", [texts("{}")], { ...BEFORE, answers: "json", samples: 4, schema: EMPTY }],
    ["d", [texts("no")], { digest: "d", answers: "text", samples: 4 }],
    ["e", [structured({ a: "x" })], { ...BEFORE, ...learned("string"), digest: "e", samples: 1 }],
  ])("adds to what was learned of definition d, in %s: %j", (digest, results, observed) => {
    expect(observe(digest, results, BEFORE, "further")).toEqual(observed);
    const samples = digest === "d" ? 3 : 1;
    expect(observe(digest, results, BEFORE, "same")).toEqual({ ...observed, samples });
  });
});

const UNLEARNED: readonly (readonly [schema: JsonValue, message: string])[] = [
  [true, "expected a schema"],
  [{ minimum: 1 }, '"minimum" is not a keyword of a learned schema'],
  [{ toString: 1 }, '"toString" is not a keyword of a learned schema'],
  [{ type: "text" }, '"type" does not have the form that is learned'],
  [{ required: [1] }, '"required" does not have the form that is learned'],
  [{ format: 1 }, '"format" does not have the form that is learned'],
  [{ enum: [1] }, '"enum" does not have the form that is learned'],
  [{ const: 1 }, '"const" does not have the form that is learned'],
  [{ properties: [] }, '"properties" does not have the form that is learned'],
  [{ properties: { a: 1 } }, "expected a schema"],
  [{ items: [] }, "expected a schema"],
  [{ anyOf: [{ type: "object" }] }, '"anyOf" has no branches with one tag'],
  [{ anyOf: ["a", "b"].map((tag) => ({ type: "object", properties: { [tag]: { const: "x" } } })) }, '"anyOf" has no branches with one tag'],
]; // prettier-ignore

it.each(UNLEARNED)("does not take %j for a learned schema", (schema, message) => {
  expect(() => {
    assertLearned(schema);
  }).toThrow(new RangeError(message));
});

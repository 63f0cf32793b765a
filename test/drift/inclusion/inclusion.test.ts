import { Ajv2020 } from "ajv/dist/2020.js";
import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import type { JsonObject, JsonValue } from "../../../src/core/json.js";
import { diffTools } from "../../../src/drift/diff-tools.js";
import { TermCompiler } from "../../../src/drift/inclusion/compile-term.js";
import { Prover } from "../../../src/drift/inclusion/prover.js";
import { TermTable } from "../../../src/drift/inclusion/term.js";
import { parseSchema } from "../../../src/schema/ir/parse-schema.js";
import { instances, jsonSchemas } from "../json-schemas.js";
import { runs } from "../../sample.js";
import { evaluateTerm } from "../../../src/drift/inclusion/evaluate-term.js";

// Creating an Ajv takes longer than compiling with it. Without `ownProperties`, every object has `__proto__`.
const ajv = new Ajv2020({ strict: false, validateFormats: false, addUsedSchema: false, ownProperties: true });

function isIncluded(a: JsonValue, b: JsonValue, isLenient = false): boolean {
  const table = new TermTable();
  const [old, now] = [a, b].map((schema, index) => {
    const parsed = parseSchema(schema);
    return new TermCompiler(table, parsed, `${index} `).compile(parsed.ir);
  });
  return new Prover(table).isIncluded(old ?? table.any, now ?? table.never, isLenient);
}

const RUNS = runs(200, 4);

describe("any two schemas", () => {
  it("are never proved included if an instance shows the opposite", () => {
    const counts = { proved: 0, refuted: 0 };
    fc.assert(
      fc.property(
        jsonSchemas,
        jsonSchemas,
        fc.array(instances, { minLength: 20, maxLength: 30 }),
        (a, b, values) => {
          const [fitsA, fitsB] = [ajv.compile(a), ajv.compile(b)];
          const refuting = values.filter((value) => fitsA(value) && !fitsB(value));
          const isProved = isIncluded(a, b);
          if (isProved) expect(refuting).toEqual([]);
          if (isProved) counts.proved += 1;
          if (refuting.length > 0) counts.refuted += 1;
        },
      ),
      { numRuns: RUNS },
    );
    // Both must happen, otherwise the test proves nothing.
    expect(Math.min(counts.proved, counts.refuted)).toBeGreaterThan(RUNS / 10);
  });

  it("never change safely if an instance shows the opposite", () => {
    const counts = { assumed: 0, notClaimed: 0, judged: 0 };
    fc.assert(
      fc.property(
        jsonSchemas,
        jsonSchemas,
        fc.array(instances, { minLength: 20, maxLength: 30 }),
        (a, b, values) => {
          const [fitsA, fitsB] = [ajv.compile(a), ajv.compile(b)];
          // Arguments are always objects, so other values are compared as a property.
          const within = (schema: JsonObject): JsonObject => ({ type: "object", properties: { v: schema } });
          for (const side of ["inputSchema", "outputSchema"] as const) {
            const changes = diffTools([{ name: "t", [side]: within(a) }], [{ name: "t", [side]: within(b) }]);
            // A new optional property is safe because callers do not pass unknown properties: see the rule.
            // If its effect depends on the surrounding schemas, it has the rule "schema-changed".
            const isAssumed = changes.some(
              ({ rule, path, before }) =>
                rule.endsWith("optional-property-added") ||
                (rule.endsWith("schema-changed") &&
                  before === undefined &&
                  /\/properties\/[^/]*$/.test(path)),
            );
            const isClaimed = changes.every(
              ({ class: kind, impacts }) =>
                kind === "safe" || (kind === "dangerous" && !impacts.includes("wire")),
            );
            if (isAssumed) counts.assumed += 1;
            else if (!isClaimed) counts.notClaimed += 1;
            else counts.judged += 1;
            if (isAssumed || !isClaimed) continue;
            const [accepts, rejects] = side === "inputSchema" ? [fitsA, fitsB] : [fitsB, fitsA];
            expect([changes, values.filter((value) => accepts(value) && !rejects(value))]).toEqual([
              changes,
              [],
            ]);
          }
        },
      ),
      { numRuns: RUNS },
    );
    // Only pairs that are reported safe can refute the engine. Few of them depend on the assumption about callers.
    expect(counts.judged, JSON.stringify(counts)).toBeGreaterThan(RUNS / 10);
    expect(counts.assumed / (RUNS * 2), JSON.stringify(counts)).toBeLessThan(0.2);
  });
});

/** A linked list under a name. */
const list = (name: string, value: JsonObject): JsonObject => ({
  $ref: `#/$defs/${name}`,
  $defs: {
    [name]: {
      type: "object",
      properties: { next: { $ref: `#/$defs/${name}` }, value },
      additionalProperties: false,
    },
  },
});
describe("the prover", () => {
  it.each<[string, JsonValue, JsonValue]>([
    ["a pattern that matches more", { pattern: "^a+$" }, { pattern: "^a*$" }],
    ["a length that a pattern implies", { type: "string", pattern: "^[ab]{3}$" }, { type: "string", maxLength: 4 }],
    ["two patterns that contradict each other", { type: "string", pattern: "^(?:ab)+$", allOf: [{ pattern: "^(?:cd)+$" }] }, false],
    ["a length in a lookahead", { type: "string", pattern: "^(?=.{1,9}$)(?:[a-z]|\\d)+$" }, { pattern: "^[a-z0-9]+$", maxLength: 9 }],
    ["a length in a lookahead before escaped and grouped alternatives", { type: "string", pattern: "^(?=.{1,9}$)[|](\\||a)$" }, { maxLength: 9 }],
    ["a length in a lookahead before deep groups", { type: "string", pattern: `^(?=.{1,9}$)${"(".repeat(3_000)}a${")".repeat(3_000)}` }, { maxLength: 9 }],
    ["a length instead of a lookahead", { type: "string", pattern: "^[a-z]*$", maxLength: 9 }, { pattern: "^(?=.{0,9}$)[a-z]*$" }],
    ["recursion under another name", list("A", { type: "string" }), list("B", { type: "string" })],
    ["recursion that accepts more", list("A", { type: "string" }), list("A", { type: ["string", "null"] })],
    ["recursion that is unrolled once", list("A", {}),
      { type: "object", properties: { next: { $ref: "#/$defs/A" } }, additionalProperties: {}, $defs: list("A", {})["$defs"] ?? {} }],
    ["limits that cover a range", { type: "integer", minimum: 1, maximum: 9 }, { anyOf: [{ minimum: 5 }, { maximum: 4 }] }],
    ["the excluded one of two equal limits", { type: "integer", allOf: [{ exclusiveMaximum: 4 }, { maximum: 4 }] }, { maximum: 3 }],
    ["the second of two equal limits, which is excluded", { type: "integer", allOf: [{ maximum: 4 }, { exclusiveMaximum: 4 }] }, { maximum: 3 }],
    ["the excluded one of two equal least values", { type: "integer", allOf: [{ exclusiveMinimum: 4 }, { minimum: 4 }] }, { minimum: 5 }],
    ["the second of two equal least values, which is excluded", { type: "integer", allOf: [{ minimum: 4 }, { exclusiveMinimum: 4 }] }, { minimum: 5 }],
    ["tags that cover an enumeration", { type: "object", required: ["t"], properties: { t: { enum: ["a", "b"] } } },
      { anyOf: [{ properties: { t: { const: "a" } } }, { properties: { t: { const: "b" } } }] }],
    ["a branch of a union", { type: "string", maxLength: 3 }, { anyOf: [{ type: "null" }, { type: "string" }] }],
    ["exclusive branches by type", { oneOf: [{ type: "string" }, { type: "null" }] }, { anyOf: [{ type: "string" }, { type: "null" }] }],
    ["a closed object", { type: "object", properties: { a: { type: "string" } }, additionalProperties: false },
      { type: "object", additionalProperties: { type: "string" } }],
    ["a map", { type: "object", additionalProperties: { type: "integer" } },
      { type: "object", additionalProperties: { type: "number" }, properties: { a: { type: "integer" } } }],
    ["named properties by pattern", { type: "object", properties: { ab: { type: "string" } }, additionalProperties: false },
      { type: "object", patternProperties: { "^a": { type: "string" } }, additionalProperties: false }],
    ["names that are enumerated", { type: "object", propertyNames: { enum: ["a", "b"] } },
      { type: "object", properties: { a: {}, b: {} }, additionalProperties: false }],
    ["a tuple as a list", { type: "array", prefixItems: [{ type: "integer" }, { const: 1 }], items: false },
      { type: "array", items: { type: "number" }, maxItems: 2 }],
    ["an item of a tuple", { type: "array", prefixItems: [{ const: 1 }] }, { prefixItems: [{ type: "integer" }] }],
    ["an item that a list of lists has", { type: "array", items: { const: 1 } }, { prefixItems: [{}, { type: "integer" }] }],
    ["an item beyond the longest list", { type: "array", maxItems: 1 }, { prefixItems: [{}, { type: "string" }] }],
    ["items beyond the longest list", { type: "array", maxItems: 1 }, { prefixItems: [{}], items: false }],
    ["a list with an item that no value fits", { type: "array", items: false, minItems: 1 }, false],
    ["different items of one", { type: "array", maxItems: 1 }, { uniqueItems: true }],
    ["an item in a list of equals", { type: "array", items: { const: 1 }, minItems: 2 }, { contains: { const: 1 }, minContains: 2 }],
    ["at most as many items as the list has", { type: "array", maxItems: 2 }, { contains: { const: 1 }, minContains: 0, maxContains: 2 }],
    ["more of a contained item", { type: "array", contains: { const: 1 }, minContains: 2 }, { contains: { type: "integer" } }],
    ["fewer of a contained item", { type: "array", contains: { type: "integer" }, maxContains: 1 }, { contains: { const: 1 }, minContains: 0, maxContains: 2 }],
    ["conditions", { type: "object", required: ["a", "b"] }, { if: { required: ["a"] }, then: { required: ["b"] } }],
    ["dependents", { type: "object", required: ["b"] }, { dependentRequired: { a: ["b"] } }],
    ["a negation", { type: "string" }, { not: { type: "number" } }],
    ["multiples", { type: "integer", multipleOf: 6 }, { multipleOf: 3 }],
    ["unevaluated properties of a flat schema", { type: "object", allOf: [{ properties: { a: {} } }], unevaluatedProperties: false },
      { type: "object", properties: { a: {} }, additionalProperties: false }],
  ])("proves %s", (_what, a, b) => {
    expect(isIncluded(a, b)).toBe(true);
  }); // prettier-ignore

  const ROWS: [string, JsonValue, JsonValue][] = [
    ["a recursive schema that accepts less", list("A", {}), list("A", { type: "string" })],
    ["a pattern that matches less", { pattern: "^a*$" }, { pattern: "^a+$" }],
    ["a pattern with lookaround", { pattern: "^a+$" }, { pattern: "^(?=a)a*$" }],
    ["a smaller length than in a lookahead", { type: "string", pattern: "^(?=.{1,9}$)[a-z]+$" }, { maxLength: 8 }],
    ["a lookahead in one of two alternatives", { type: "string", pattern: "^(?=.{1,9}$)a|b" }, { maxLength: 9 }],
    ["a lookahead without line breaks", { type: "string", maxLength: 9 }, { pattern: "^(?=.{0,9}$)" }],
    ["code units in a lookahead as code points", { type: "string", pattern: "^(?=.{2}$)[^\\w-.]*$" }, { minLength: 2 }],
    ["a pattern that takes exponential time", { const: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!" }, { pattern: "^(a+)+$" }],
    ["an item within the longest list", { type: "array", maxItems: 2 }, { prefixItems: [{}, { type: "string" }] }],
    ["items within the longest list", { type: "array", maxItems: 2 }, { prefixItems: [{}], items: false }],
    ["an empty list as one that no value fits", { type: "array", items: false }, false],
    ["different items of two", { type: "array", maxItems: 2 }, { uniqueItems: true }],
    ["an item in a list that is too short", { type: "array", items: { const: 1 }, minItems: 1 }, { contains: { const: 1 }, minContains: 2 }],
    ["more items than a list may contain", { type: "array", maxItems: 3 }, { contains: { const: 1 }, minContains: 0, maxContains: 2 }],
    ["fewer contained items", { type: "array", contains: { const: 1 } }, { contains: { type: "integer" }, minContains: 2 }],
    ["more contained items", { type: "array", contains: { type: "integer" }, maxContains: 3 }, { contains: { const: 1 }, minContains: 0, maxContains: 2 }],
    ["a new property of an open object", { type: "object" }, { type: "object", properties: { a: { type: "string" } } }],
  ]; // prettier-ignore

  it.each(ROWS)("does not prove %s", (_what, a, b) => {
    expect(isIncluded(a, b)).toBe(false);
  });

  it("proves a new property of an open object if callers pass only declared properties", () => {
    const [old, now] = [{ type: "object" }, { type: "object", properties: { a: { type: "string" } } }];
    expect(isIncluded(old, now, true)).toBe(true);
    expect(isIncluded(old, { ...now, required: ["a"] }, true)).toBe(false);
    expect(isIncluded({ ...old, additionalProperties: { type: "number" } }, now, true)).toBe(false);
    expect(isIncluded({ ...old, properties: { a: {} } }, now, true)).toBe(false);
    expect(isIncluded({ not: old }, { not: now }, true)).toBe(true);
    expect(isIncluded({ not: now }, { not: old }, true)).toBe(false);
  });
});

const UNDECIDED = { pattern: "^(a+)+$" };
const LONG = `${"a".repeat(20_000)}!`;

const ROWS: [JsonValue, fits: readonly JsonValue[], refused: readonly JsonValue[], open?: readonly JsonValue[]][] = [
  [{ minimum: 2, maximum: 4 }, [2, 4, ""], [1, 5]],
  [{ exclusiveMinimum: 2, exclusiveMaximum: 4 }, [3], [2, 4]],
  [{ minLength: 1, maxLength: 2 }, ["a", "\u{1f600}b", 5], ["", "abc"]],
  [{ minItems: 1, maxItems: 2 }, [[1], [1, 2], {}], [[], [1, 2, 3]]],
  [{ minProperties: 1, maxProperties: 2 }, [{ a: 1 }, { a: 1, b: 1 }, []], [{}, { a: 1, b: 1, c: 1 }]],
  [{ type: "number", multipleOf: 1 }, [3, -1, 1e300], [1.5]],
  [{ multipleOf: 3 }, [6, 0, -3], [7], [1.5]],
  [{ multipleOf: 0.1 }, [0.1, 0], [], [0.3]],
  [{ pattern: "^a" }, ["ab", 1], ["ba"]],
  [UNDECIDED, ["aaa"], ["b"], [LONG]],
  [{ prefixItems: [{ type: "string" }], items: { type: "number" } }, [[], ["a"], ["a", 1]], [[1], ["a", "b"]]],
  [{ uniqueItems: true }, [[1, "1"], [{ a: 1 }, { a: 2 }]], [[1, 1], [{ a: 1, b: 2 }, { b: 2, a: 1 }]]],
  [{ contains: { const: 1 }, minContains: 2, maxContains: 3 }, [[1, 1], [1, 1, 1]], [[1], [1, 1, 1, 1]]],
  [{ contains: UNDECIDED, minContains: 2, maxContains: 2 }, [["a", "a"]], [["b", LONG], ["a", "a", "a"]], [["a", LONG], [LONG, LONG, "a"]]],
  [{ required: ["a"] }, [{ a: 1 }], [{}, { b: 1 }]],
  [{ properties: { a: { type: "string" } } }, [{}, { a: "" }], [{ a: 1 }]],
  [{ patternProperties: { "^a": { type: "string" } } }, [{ ab: "", b: 1 }], [{ ab: 1 }]],
  [{ properties: { a: {} }, patternProperties: { "^b": {} }, additionalProperties: { type: "string" } }, [{ a: 1, b: 1, c: "" }], [{ c: 1 }]],
  [{ propertyNames: { maxLength: 1 } }, [{}, { a: 1 }], [{ ab: 1 }]],
  [{ anyOf: [{ type: "string" }, { const: 1 }] }, ["", 1], [2, null]],
  [{ not: { type: "string" } }, [1], [""]],
  [true, [null], []],
  [false, [], [null]],
]; // prettier-ignore

test.each(ROWS)(
  "a value fits %j if it is one of %j, and not if it is one of %j",
  (schema, fits, refused, open = []) => {
    const parsed = parseSchema(schema);
    const term = new TermCompiler(new TermTable(), parsed, "").compile(parsed.ir);
    const judge = (value: JsonValue): boolean | undefined => evaluateTerm(term, value);
    expect(fits.map(judge)).toEqual(fits.map(() => true));
    expect(refused.map(judge)).toEqual(refused.map(() => false));
    expect(open.map(judge)).toEqual(open.map(() => undefined));
  },
);

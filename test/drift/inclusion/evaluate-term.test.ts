import { expect, test } from "vitest";
import type { JsonValue } from "../../../src/core/json.js";
import { TermCompiler } from "../../../src/drift/inclusion/compile-term.js";
import { evaluateTerm } from "../../../src/drift/inclusion/evaluate-term.js";
import { TermTable } from "../../../src/drift/inclusion/term.js";
import { parseSchema } from "../../../src/schema/ir/parse-schema.js";

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

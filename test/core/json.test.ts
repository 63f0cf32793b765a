import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { canonicalJson, isEqual, type JsonValue, mergeDefined } from "../../src/core/json.js";

describe("isEqual", () => {
  test.each<[JsonValue | undefined, JsonValue | undefined, boolean]>([
    [{ a: 1, b: [2] }, { b: [2], a: 1 }, true],
    [{ a: 1 }, { a: 2 }, false],
    [{ a: 1 }, { b: 1 }, false],
    [{ a: 1 }, { a: 1, b: 1 }, false],
    [{}, null, false],
    [{}, [], false],
    [[], {}, false],
    [{ 0: 1 }, [1], false],
    [[1, 2], [2, 1], false],
    [[1], [1, 2], false],
    ["1", 1, false],
    [0, -0, true],
    [JSON.parse('{"__proto__":1}') as JsonValue, {}, false],
    [JSON.parse('{"constructor":1}') as JsonValue, {}, false],
    [undefined, null, false],
  ])("compares %j with %j", (a, b, equal) => {
    expect([isEqual(a, b), isEqual(b, a)]).toEqual([equal, equal]);
  }); // prettier-ignore

  test("takes a key that holds undefined for an absent one", () => {
    expect(isEqual({ a: undefined, b: 1 }, { b: 1 })).toBe(true);
    expect(isEqual({ a: undefined }, { b: undefined })).toBe(true);
  });

  test("agrees with the canonical text", () => {
    const values = fc.jsonValue({ maxDepth: 2 }) as fc.Arbitrary<JsonValue>;
    fc.assert(
      fc.property(values, values, (a, b) => {
        expect(isEqual(a, b)).toBe(canonicalJson(a) === canonicalJson(b));
        expect(isEqual(a, JSON.parse(JSON.stringify(a)))).toBe(true);
      }),
    );
  });
});

test.each([
  [{ a: 1 }, { a: undefined }, { a: 1 }],
  [{ a: 1 }, { a: 2, b: undefined }, { a: 2 }],
  [{ a: 1 }, { a: null }, { a: null }],
  [{ a: 1 }, undefined, { a: 1 }],
  [{ a: undefined }, {}, { a: undefined }],
])("mergeDefined(%j, %j) is %j", (base, over, merged) => {
  expect(mergeDefined<object, object>(base, over)).toStrictEqual(merged);
});

/** Values that JSON does not hold, and why. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { findUnwritable } from "../../src/core/json-text.js";

const cycle: { self?: unknown } = {};
cycle.self = cycle;
let deep: unknown = 1;
for (let at = 0; at < 2_000; at += 1) deep = [deep];

const UNWRITABLE: readonly (readonly [words: string, value: unknown])[] = [
  ["it is a BigInt", 1n],
  ['at "/rows/0/id" it is a BigInt', { rows: [{ id: 10n }] }],
  ["it is a function", () => 1],
  ['at "/run" it is a function', { run: () => 1 }],
  ['at "/key" it is a symbol', { key: Symbol("x") }],
  ['at "/self" it is a value that contains itself', cycle],
  ["it is a value of type Map", new Map([["a", 1]])],
  ['at "/tags" it is a value of type Set', { tags: new Set(["a"]) }],
  ['at "/error" it is a value of type Error', { error: new Error("no") }],
  ["it is a value of type RegExp", /x/],
  ["it is a value of type Uint8Array", new Uint8Array(2)],
  ["it is NaN", NaN],
  ['at "/most" it is Infinity', { most: Infinity }],
  ["it is nested over 1000 levels deep", deep],
  [
    "its value cannot be read: no",
    {
      get a(): never {
        throw new Error("no");
      },
    },
  ],
];

test.each(UNWRITABLE)("a value cannot be written: %s", (words, value) => {
  expect(findUnwritable(value)).toBe(words);
});

const seed = Math.floor(Math.random() * 2 ** 31);
test(`any JSON is a result, and what is a result is the same after JSON (SEED=${seed})`, () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => findUnwritable(value) === undefined),
    { seed },
  );
  fc.assert(
    fc.property(
      fc.anything({ withBigInt: true, withMap: true, withSet: true, withTypedArray: true }),
      (value) => {
        if (findUnwritable(value) !== undefined || value === undefined) return;
        const text = JSON.stringify(value);
        expect(findUnwritable(JSON.parse(text))).toBeUndefined();
        expect(JSON.stringify(JSON.parse(text))).toBe(text);
      },
    ),
    { seed, numRuns: 2_000 },
  );
});

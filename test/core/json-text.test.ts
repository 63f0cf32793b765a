/** Values that JSON does not hold, and why. */
import fc from "fast-check";
import { expect, test, describe, it } from "vitest";
import { findUnwritable, locateInJson } from "../../src/core/json-text.js";

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

function lineOf(text: string, pointer: string): number | undefined {
  return locateInJson(text, [pointer]).get(pointer)?.startLine;
}

const TEXT = `\uFEFF{
  "a": { "b": [1, { "c/d": "x\\"}", "~": null }] },
  "e\\u0066": [
    "f",
    {
      "g": {}
    }
  ]
}
`;

describe("the place of a JSON Pointer in a text", () => {
  it.each([
    ["/a", { startLine: 2, startColumn: 3, endLine: 2, endColumn: 50 }],
    ["/a/b/1/c~1d", { startLine: 2, startColumn: 21, endLine: 2, endColumn: 34 }],
    ["/a/b/0", { startLine: 2, startColumn: 16, endLine: 2, endColumn: 17 }],
    ["/a/b/1/~0", { startLine: 2, startColumn: 36, endLine: 2, endColumn: 45 }],
    ["/ef/0", { startLine: 4, startColumn: 5, endLine: 4, endColumn: 8 }],
    ["/ef/1/g", { startLine: 6, startColumn: 7, endLine: 6, endColumn: 14 }],
  ])("%s", (pointer, region) => {
    expect(locateInJson(TEXT, [pointer]).get(pointer)).toEqual(region);
  });

  it("is that of the nearest ancestor if it does not exist", () => {
    expect(lineOf(TEXT, "/ef/1/nothing/at/all")).toBe(5);
    expect(lineOf(TEXT, "/nothing")).toBe(1);
    expect(lineOf(TEXT, "/a/b/7")).toBe(2);
    expect(lineOf(TEXT, "/ef/0/deeper")).toBe(4);
  });

  it("is found for any number of pointers in one pass", () => {
    const found = locateInJson(TEXT, ["/ef", "/a/b", "", "/ef/1", "/ef/1"]);
    expect([...found].map(([pointer, { startLine }]) => [pointer, startLine])).toEqual(
      expect.arrayContaining([
        ["", 1],
        ["/a/b", 2],
        ["/ef", 3],
        ["/ef/1", 5],
      ]),
    );
  });

  it("contains exactly the value, for any document", () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 4 }), fc.integer({ min: 0, max: 4 }), (json, indent) => {
        const value: unknown = JSON.parse(json);
        const text = JSON.stringify(value, null, indent);
        const pointers = pointersOf(value, "");
        const found = locateInJson(
          text,
          pointers.map(([pointer]) => pointer),
        );
        for (const [pointer, part] of pointers) {
          const region = found.get(pointer);
          const lines = text.split("\n").slice((region?.startLine ?? 0) - 1, region?.endLine);
          const last = (lines.pop() ?? "").slice(0, (region?.endColumn ?? 0) - 1);
          const whole = [...lines, last].join("\n").slice((region?.startColumn ?? 0) - 1);
          const isMember = /^"(?:[^"\\]|\\.)*"\s*:/.exec(whole);
          const own = isMember !== null && pointer !== "" ? whole.slice(isMember[0].length) : whole;
          expect(JSON.parse(own)).toEqual(part);
        }
      }),
    );
  });

  it("is found below long strings and deep nesting", () => {
    const text = `{"long": ${JSON.stringify('\\"'.repeat(2_000_000))}, "deep": ${"[".repeat(50_000)}${"]".repeat(50_000)},\n"z": 1}`;
    expect(lineOf(text, "/z")).toBe(2);
  });
});

function pointersOf(value: unknown, pointer: string): readonly (readonly [string, unknown])[] {
  const below =
    typeof value === "object" && value !== null
      ? Object.entries(value).flatMap(([key, part]) =>
          pointersOf(part, `${pointer}/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`),
        )
      : [];
  return [[pointer, value], ...below];
}

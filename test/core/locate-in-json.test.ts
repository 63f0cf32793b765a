import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { locateInJson } from "../../src/core/json-text.js";

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

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { anyNumber, type FileFormat, list, optional, record } from "../../src/core/format.js";
import { parseFormat, parseJson } from "../../src/files/parse-json.js";

describe("parseJson", () => {
  it.each([
    ["", 1, 1, "expected a value, found the end of the file"],
    ['{"a": 1,\n  b: 2}', 2, 3, "expected a key in double quotes"],
    ["{'a': 1}", 1, 2, "expected a key in double quotes"],
    ['{"a" 1}', 1, 6, 'expected ":"'],
    ["[1 2]", 1, 4, 'expected "," or "]"'],
    ['{"a": [] "b": 1}', 1, 10, 'expected "," or "}"'],
    ['{"a": 01}', 1, 8, 'expected "," or "}"'],
    ['{"a": tru}', 1, 7, "expected a value"],
    ["[1 x]", 1, 4, "unexpected text"],
    ["[1,]", 1, 4, "expected a value"],
    ['{"a": 1,}', 1, 9, "expected a key in double quotes"],
    ["{} {}", 1, 4, "expected the end of the file"],
    ['{"a": [1, 2', 1, 12, 'expected "," or "]", found the end of the file'],
    ['["a\nb"]', 1, 2, "unterminated string"],
    ['["a\tb"]', 1, 2, "unescaped control character in a string"],
    ['["\\x"]', 1, 2, "invalid escape in a string"],
    ["[1.]", 1, 2, "invalid number"],
    ["{} // done", 1, 4, "JSON has no comments"],
  ])("rejects %j at line %i, column %i", (text, line, column, reason) => {
    expect(parseJson(text)).toEqual({ problem: { line, column, reason } });
  });

  it("accepts what JSON.parse accepts, and gives the same value", () => {
    const almostJson = fc
      .tuple(
        fc.json(),
        fc.nat(),
        fc.constantFrom("", ",", "}", "]", '"', ":", "0", "-", "x", "\\", "\n", "e", "."),
      )
      .map(([text, position, extra]) => {
        const at = position % (text.length + 1);
        return text.slice(0, at) + extra + text.slice(at + (position % 2));
      });
    fc.assert(
      fc.property(almostJson, (text) => {
        let value: unknown;
        try {
          value = JSON.parse(text);
        } catch {
          const parsed = parseJson(text);
          expect(parsed).toHaveProperty("problem");
          expect(parsed).not.toHaveProperty("problem.reason", "invalid JSON");
          return;
        }
        expect(parseJson(text)).toEqual({ value });
      }),
      { numRuns: 2000 },
    );
  });

  it("accepts comments and trailing commas where they are allowed", () => {
    const text =
      '\uFEFF// servers\n{ "url": "https://a.example/x", /* "b": 1 */ "list": [1, 2,], "__proto__": {}, }';
    expect(parseJson(text, { allowComments: true })).toEqual({
      value: JSON.parse('{ "url": "https://a.example/x", "list": [1, 2], "__proto__": {} }') as unknown,
    });
  });

  it.each([
    ["", 1, 1, "expected a value, found the end of the file"],
    ["// nothing\n", 2, 1, "expected a value, found the end of the file"],
    ["[1,,]", 1, 4, "expected a value"],
    ['{ "a": 1 /* open', 1, 10, "unterminated comment"],
  ])("rejects %j with comments at line %i, column %i", (text, line, column, reason) => {
    expect(parseJson(text, { allowComments: true })).toEqual({ problem: { line, column, reason } });
  });

  it.each(["[", '{"a":', "/**/[", "[ "])("rejects 200,000 levels of %j", (open) => {
    for (const allowComments of [false, true]) {
      expect(parseJson(open.repeat(200_000), { allowComments })).toMatchObject({
        problem: { line: 1, reason: "nested over 1000 levels deep" },
      });
    }
  });

  it("parses a string of ten million characters between comments", () => {
    const text = `// long\n["${"x".repeat(10_000_000)}"]`;
    const parsed = parseJson(text, { allowComments: true });
    // The matchers would print the string.
    expect("value" in parsed && JSON.stringify(parsed.value).length).toBe(10_000_004);
  });
});

const FORMAT: FileFormat<{ readonly list?: readonly number[] }> = {
  format: record({ v: optional(anyNumber), list: optional(list(anyNumber)) }),
  ...{ code: "OBSERVED_INVALID", hint: "Delete it.", newer: "LOCK_NEWER", version: ["v", 1] },
};

const TEXTS: [text: string, code: string, message: string, hint?: string][] = [
  ['{"v":1', "OBSERVED_INVALID", 'is invalid at 1:7: expected "," or "}", found the end of the file.'],
  ["{\n<<<<<<< HEAD\n}", "OBSERVED_INVALID", "is invalid at 2:1: merge conflict.", "Keep the entries"],
  ['{"v":1,\n "list":[2,\n "x"]}', "OBSERVED_INVALID", "is invalid at 3:2: list[1]: expected a number."],
  ["[]", "OBSERVED_INVALID", "is invalid at 1:1: expected an object."],
  ['{"v":1,"v":1}', "OBSERVED_INVALID", "is invalid at 1:8: v: the key is repeated."],
  ['{"v":1,\n"list":[7]}', "OBSERVED_INVALID", "is invalid at 2:1: list: no seven."],
  ['{"list":0, "v":2}', "LOCK_NEWER", "has v 2; this mcp-codegen reads up to 1.", "Run"],
]; // prettier-ignore

it.each(TEXTS)("does not read %j as a file of a format", (text, code, message, hint = "Delete it.") => {
  const rule = ({ list: numbers }: { readonly list?: readonly number[] }) =>
    numbers?.includes(7) === true ? { path: ["list"], text: "no seven" } : undefined;
  const expected = { code, message: `"a.json" ${message}`, hint: expect.stringContaining(hint) as unknown };
  expect(() => parseFormat(FORMAT, text, "a.json", rule)).toThrow(expect.objectContaining(expected));
  expect(parseFormat(FORMAT, '\uFEFF{"v":1}', "a.json", rule)).toEqual({ v: 1 });
});

import fc from "fast-check";
import { expect, it } from "vitest";
import { locateJsonError } from "../../src/contract/locate-json-error.js";

it.each([
  ["", 1, 1, "expected a value, found the end of the file"],
  ['{"a": 1,\n  b: 2}', 2, 3, "expected a key in double quotes"],
  ['{"a" 1}', 1, 6, 'expected ":"'],
  ["[1 2]", 1, 4, 'expected "," or "]"'],
  ['{"a": 01}', 1, 7, "expected a value"],
  ["[1,]", 1, 4, "expected a value"],
  ["{} x", 1, 4, "expected the end of the file"],
  ['["a\nb"]', 1, 2, "expected a value"],
])("%j", (text, line, column, reason) => {
  expect(locateJsonError(text)).toEqual({ line, column, reason });
});

it("finds an error exactly where JSON.parse refuses", () => {
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
      let isJson = true;
      try {
        JSON.parse(text);
      } catch {
        isJson = false;
      }
      expect(locateJsonError(text) === undefined).toBe(isJson);
    }),
    { numRuns: 2000 },
  );
});

it("survives nesting that is deeper than the call stack", () => {
  expect(locateJsonError("[".repeat(200_000))).toMatchObject({ line: 1, column: 200_001 });
});

import { format, type Options } from "prettier";
import { describe, expect, it } from "vitest";
import { digestOfCode } from "../../src/core/generated-file.js";
import { emitCases } from "../emit/golden-cases.js";
import { sample } from "../sample.js";

const files = await emitCases();
const modules = sample(
  files.map(({ text }) => text),
  4,
);

const STYLES: readonly Options[] = [
  { semi: false, singleQuote: true },
  { printWidth: 40 },
  { printWidth: 200, useTabs: true, quoteProps: "consistent" },
  { arrowParens: "avoid", trailingComma: "none", bracketSpacing: false, objectWrap: "collapse" },
  { experimentalOperatorPosition: "start", quoteProps: "preserve" },
];

describe("digestOfCode", () => {
  it.each(STYLES)(
    "is the same after Prettier with %j",
    async (style) => {
      for (const text of modules) {
        const printed = await format(text, { ...style, parser: "babel-ts" });
        expect(digestOfCode(printed), text).toBe(digestOfCode(text));
      }
    },
    60_000,
  );

  const code =
    'export const a: A | B = /* @__PURE__ */ f({ "key": [g(1, "it\'s")], other: (x) => x.y(2).z() });\n';

  it.each([
    ["a word", "other", "others"],
    ["a string", "it's", "its"],
    ["a space in a string", "it's", "it 's"],
    ["a number", "2", "20"],
    ["a comment", "@__PURE__", "PURE"],
    ["the end of a call", "x.y(2).z()", "x.y((2).z())"],
    ["a separator", "1, ", "1 "],
    ["a type", "A | B", "A & B"],
    ["a name that needs its quotes", '"key"', '"k-y"'],
    ["the last statement", "\n", "\nf();\n"],
  ])("differs after an edit of %s", (_, before, after) => {
    expect(code).toContain(before);
    expect(digestOfCode(code.replace(before, after))).not.toBe(digestOfCode(code));
  });

  it.each([
    ["Windows line ends", code.replaceAll("\n", "\r\n")],
    ["a line break", code.replace(" = ", " =\n  ")],
    ["a leading |", code.replace("A | B", "\n  | A\n  | B")],
    ["quotes", code.replace('"key"', "key").replace('"it\'s"', "'it\\'s'")],
    ["a lone parameter", code.replace("(x) =>", "x =>")],
    ["trailing commas", code.replace(")], ", "),], ").replace("() }", "(), }").replace("2)", "2,)")],
  ])("ignores %s", (_, text) => {
    expect(text).not.toBe(code);
    expect(digestOfCode(text)).toBe(digestOfCode(code));
  });
});

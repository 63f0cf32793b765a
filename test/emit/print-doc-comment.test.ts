import { describe, expect, it } from "vitest";
import { printDocComment } from "../../src/emit/print-code.js";

describe("printDocComment", () => {
  it("prints one line for one line, and nothing without text", () => {
    expect(printDocComment(["Returns the sum."])).toBe("/** Returns the sum. */");
    expect(printDocComment([])).toBe("");
    expect(printDocComment([" \n\t\n"])).toBe("");
  });

  it("keeps paragraphs and lists", () => {
    expect(printDocComment(["Title", "One.\n\n- a\n  - b"])).toBe(
      "/**\n * Title\n *\n * One.\n *\n * - a\n *   - b\n */",
    );
  });

  it("ends with the deprecation as the only tag", () => {
    expect(printDocComment(["One."], "Use\n@b instead.")).toBe(
      "/**\n * One.\n *\n * @deprecated Use @b instead.\n */",
    );
    expect(printDocComment([], "")).toBe("/** @deprecated */");
    const lines = printDocComment([], `${"word ".repeat(19)}word @internal */ x`).split("\n");
    expect(lines.filter((line) => /^ \* @/.test(line))).toHaveLength(1);
    expect(lines.join("\n").slice(0, -2)).not.toContain("*/");
  });

  it("wraps long lines at spaces with their indentation, except in code blocks", () => {
    const long = "word ".repeat(40).trim();
    const lines = printDocComment([`  ${long}`, `\`\`\`\n${long}\n\`\`\``]).split("\n");
    expect(lines.filter((line) => line.startsWith(" *   word")).length).toBe(3);
    expect(lines).toContain(` * ${long}`);
    expect(
      Math.max(...lines.filter((line) => line.startsWith(" *   ")).map((line) => line.length)),
    ).toBeLessThan(106);
  });

  it.each([
    ["**/*.ts and */ code"],
    ["line\u2028globalThis.pwned = true;\u2029x"],
    ["a\r\nb\rc"],
    ["\u0000\u0007\u001b[31m\u007f"],
    ["\u202e reversed"],
    ["*/\n*/"],
  ])("keeps %j in one comment", (text) => {
    const comment = printDocComment([text]);
    expect(comment.slice(2, -2)).not.toContain("*/");
    expect(comment).not.toMatch(/[\u2028\u2029\r\u202e]|(?!\n)\p{Cc}/u);
  });

  it("escapes tags and compiler directives in a description", () => {
    for (const text of ["@ts-expect-error", "x\n@deprecated", `${"x ".repeat(50)}@ts-ignore`])
      expect(printDocComment([text])).not.toMatch(/^[\s/*]*@/m);
  });

  it("writes no lone surrogate, which UTF-8 cannot encode", () => {
    expect(printDocComment(["a\ud800b"])).toBe("/** a\\ud800b */");
  });
});

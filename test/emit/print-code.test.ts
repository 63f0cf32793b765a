import { describe, expect, it } from "vitest";
import type { JsonValue } from "../../src/core/json.js";
import { code, literal, printDocComment, PrintedCode, property } from "../../src/emit/print-code.js";

describe("literal", () => {
  it("prints any text as a literal", () => {
    const hostile = '"; throw 1; // \u2028 */ ` ${x}';
    const { text } = code`export default ${literal(hostile)};`;
    expect(text).not.toContain("\u2028");
    expect(JSON.parse(text.slice("export default ".length, -1))).toBe(hostile);
  });

  it("parenthesizes an object in the body of an arrow function", () => {
    expect(code`() => ${literal({ a: 1 })}`.text).toBe('() => ({"a":1})');
  });

  it("writes __proto__ as a key and not as the prototype", () => {
    expect(literal(JSON.parse('{"__proto__":1}') as JsonValue).text).toBe('({["__proto__"]:1})');
  });
});

describe("property", () => {
  it("prints a property with a value, and nothing for an absent one", () => {
    expect(property("title", "T")?.text).toBe('  title: "T",\n');
    expect(property("title", "")?.text).toBe('  title: "",\n');
    expect(property("title", undefined)).toBeUndefined();
  });
});

describe("code", () => {
  it("prints lists, and nothing for what is absent", () => {
    const tools = [code`${"a"};`, undefined, ["b", code`!`]];
    expect(code`${undefined}${false}${tools}`.text).toBe("a;b!");
  });

  it.each([
    ...["a b", "a;b", "a'", 'a"', "a`", "a/b", "../a", "a\n", "a*/", "a.b", "a(b)", "", " ", "a\u2028b", "\u200b"],
    ...["a, b", "{a}", "a as b", "…", "a\0"],
  ])("refuses %j as a name", (name) => {
    expect(() => code`${name}`).toThrow(`${JSON.stringify(name)} is neither a name nor code.`);
    expect(code`${new PrintedCode(name)}`.text).toBe(name);
  }); // prettier-ignore

  it.each(["a", "$a", "_1", "größe", "名前", "get-user_", "3d-render"])("accepts %j as a name", (name) => {
    expect(code`${name}`.text).toBe(name);
  });
});

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
    expect(lines.filter((line) => line.startsWith(" *   word"))).toHaveLength(3);
    expect(lines).toContain(` * ${long}`);
    expect(lines.filter((line) => line.startsWith(" *   ") && line.length >= 106)).toEqual([]);
  });

  it.each([
    ...["**/*.ts and */ code", "line\u2028globalThis.pwned = true;\u2029x", "a\r\nb\rc"],
    ...["\u0000\u0007\u001b[31m\u007f", "\u202e reversed", "*/\n*/"],
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

import { describe, expect, it } from "vitest";
import type { JsonValue } from "../../src/core/json.js";
import { fillTemplate, PrintedCode } from "../../src/emit/fill-template.js";

describe("fillTemplate", () => {
  it("writes any text as a literal", () => {
    const hostile = '"; throw 1; // \u2028 */ ` ${x}';
    const text = fillTemplate(["export default ", { literal: "x" }, ";"], { x: hostile });
    expect(text).not.toContain("\u2028");
    expect(JSON.parse(text.slice("export default ".length, -1))).toBe(hostile);
  });

  it("parenthesizes an object in the body of an arrow function", () => {
    expect(fillTemplate(["() => ", { literal: "x" }], { x: { a: 1 } })).toBe('() => ({"a":1})');
  });

  it("writes __proto__ as a key and not as the prototype", () => {
    expect(fillTemplate([{ literal: "x" }], { x: JSON.parse('{"__proto__":1}') as JsonValue })).toBe(
      '({["__proto__"]:1})',
    );
  });

  it("keeps nodes with a value and repeats nodes of a list", () => {
    const pieces = [
      { when: "title", pieces: ["title ", { text: "title" }, "\n"] },
      { each: "tools", pieces: [{ text: "tool" }, { text: "end" }] },
    ];
    const tools = [{ tool: "a" }, { tool: "b", end: new PrintedCode("!") }];
    expect(fillTemplate(pieces, { title: undefined, tools, end: new PrintedCode(".") })).toBe("a.b!");
    expect(fillTemplate(pieces, { title: "T", tools: [] })).toBe("title T\n");
  });

  it.each([
    ...[
      "a b",
      "a;b",
      "a'",
      'a"',
      "a`",
      "a/b",
      "../a",
      "a\n",
      "a*/",
      "a.b",
      "a(b)",
      "",
      " ",
      "a\u2028b",
      "\u200b",
    ],
    ...["a, b", "{a}", "a as b", "…", "a\0"],
  ])("refuses %j as a name", (name) => {
    expect(() => fillTemplate([{ text: "x" }], { x: name })).toThrow(TypeError);
    expect(fillTemplate([{ text: "x" }], { x: new PrintedCode(name) })).toBe(name);
  });

  it.each(["a", "$a", "_1", "größe", "名前", "get-user_", "3d-render"])("accepts %j as a name", (name) => {
    expect(fillTemplate([{ text: "x" }], { x: name })).toBe(name);
  });

  it("throws for a placeholder without a value, and for a value of another kind", () => {
    expect(() => fillTemplate([{ text: "x" }], {})).toThrow('The template\'s placeholder "x" has no value.');
    expect(() => fillTemplate([{ text: "x" }], { x: 1 })).toThrow(
      'The template\'s placeholder "x" holds a name or code.',
    );
    expect(() => fillTemplate([{ literal: "x" }], { x: new PrintedCode("1") })).toThrow(
      "holds JSON, not code",
    );
    expect(() => fillTemplate([{ each: "x", pieces: [] }], { x: "a" })).toThrow("holds a list");
  });
});

import { describe, expect, it } from "vitest";
import type { JsonValue } from "../../src/core/json.js";
import { code, literal, PrintedCode, property } from "../../src/emit/print-code.js";

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

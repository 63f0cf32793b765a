import { describe, expect, it } from "vitest";
import {
  escapeComment,
  isReservedWord,
  quoteKey,
  quoteLiteral,
  toCamelCase,
  toPascalCase,
} from "../../src/schema/identifiers.js";

describe("identifiers", () => {
  it.each([
    ["get_user-list", "GetUserList", "getUserList"],
    ["getUserList", "GetUserList", "getUserList"],
    ["2fa", "_2fa", "_2fa"],
    ["любовь к", "ЛюбовьК", "любовьК"],
    ["e\u0301tat", "État", "état"],
    ["--", "", ""],
  ])("%s", (text, pascal, camel) => {
    expect(toPascalCase(text)).toBe(pascal);
    expect(toCamelCase(text)).toBe(camel);
  });

  it("recognizes names that cannot be declared", () => {
    expect(["class", "await", "eval", "get"].map(isReservedWord)).toEqual([true, true, true, false]);
  });

  it("quotes data without changing its value", () => {
    const value = JSON.parse('{"__proto__":1,"a b":["\u2028\u202e"],"c":{}}') as never;
    const text = quoteLiteral(value);
    expect(text).toBe('{["__proto__"]:1,"a b":["\\u2028\\u202e"],"c":{}}');
    // eslint-disable-next-line @typescript-eslint/no-implied-eval, @typescript-eslint/no-unsafe-call -- a text of this test
    expect(JSON.stringify(new Function(`return ${text}`)())).toBe(JSON.stringify(value));
    expect([quoteKey("a"), quoteKey("a-b"), quoteKey("__proto__")]).toEqual(["a", '"a-b"', '["__proto__"]']);
  });

  it("keeps text inside the comment, and makes all characters visible", () => {
    expect(escapeComment("a */ b\r\nc\rd\u2028e\u0000f\u202eg")).toBe(
      "a *\\/ b\nc\nd\\u2028e\\u0000f\\u202eg",
    );
  });
});

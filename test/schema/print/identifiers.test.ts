import ts from "typescript";
import ts59 from "typescript-5.9";
import { describe, expect, it } from "vitest";
import {
  escapeComment,
  isName,
  isReservedWord,
  quoteKey,
  quoteLiteral,
  toCamelCase,
  toPascalCase,
} from "../../../src/schema/print/identifiers.js";
import { runs } from "../../sample.js";

describe("identifiers", () => {
  it.each([
    ["get_user-list", "GetUserList", "getUserList"],
    ["getUserList", "GetUserList", "getUserList"],
    ["2fa", "_2fa", "_2fa"],
    ["любовь к", "ЛюбовьК", "любовьК"],
    ["e\u0301tat", "État", "état"],
    ["--", "", ""],
    // Numbers that identifiers cannot have, marks that cannot begin one, and marks without a shape.
    ["area_in_m²", "AreaInM2", "areaInM2"],
    ["⚙️_settings", "Settings", "settings"],
    ["1️⃣ step", "_1Step", "_1Step"],
    ["❤️_like", "Like", "like"],
    ["\u0301tat", "_\u0301tat", "_\u0301tat"],
    ["Ⅷ", "_Ⅷ", "_ⅷ"],
    ["葛\u{e0100}飾", "葛飾", "葛飾"],
    // Capitals that Unicode 16 added: no supported compiler knows them all.
    ["ƛa ƛa", "ƛaƛa", "ƛaƛa"],
    ["\ud800", "", ""],
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

describe("every code point that Unicode has", () => {
  const LAST = 0x10ffff;
  // Each kind of character by what every supported compiler accepts.
  const [OUTSIDE, INSIDE, FIRST] = [0, 1, 2];
  const kinds = new Uint8Array(LAST + 1);
  for (let code = 0; code <= LAST; code += 1) {
    const isPart =
      ts.isIdentifierPart(code, ts.ScriptTarget.ESNext) &&
      ts59.isIdentifierPart(code, ts59.ScriptTarget.ESNext);
    const isStart =
      ts.isIdentifierStart(code, ts.ScriptTarget.ESNext) &&
      ts59.isIdentifierStart(code, ts59.ScriptTarget.ESNext);
    kinds[code] = isStart ? FIRST : isPart ? INSIDE : OUTSIDE;
  }
  const isAccepted = (name: string): boolean => {
    if (kinds[name.codePointAt(0) ?? 0] !== FIRST) return false;
    for (const character of name) if (kinds[character.codePointAt(0) ?? 0] === OUTSIDE) return false;
    return !/\p{Default_Ignorable_Code_Point}/u.test(name);
  };

  it.each([
    ["alone", (character: string) => character],
    ["first and inside", (character: string) => `${character}b${character}c`],
  ])("%s in a name gives identifiers that TypeScript accepts", (place, nameOf) => {
    const wrong: string[] = [];
    for (let code = 0; code <= LAST; code += 1) {
      // What is not assigned, or for private use, is one kind: some of each block are enough.
      // Most scripts are whole in a sample, too.
      if (code % 0x400 > runs(0x400, 16) && code > 0x3000) continue;
      if (code % 0x400 > 0x0f && /[\p{Cn}\p{Co}]/u.test(String.fromCodePoint(code))) continue;
      const camel = toCamelCase(nameOf(String.fromCodePoint(code)));
      const pascal = toPascalCase(camel);
      if (camel === "" ? place !== "alone" : !isAccepted(camel) || !isAccepted(pascal))
        wrong.push(`U+${code.toString(16)}: ${JSON.stringify([camel, pascal])}`);
    }
    expect(wrong).toEqual([]);
  });

  it("is accepted as a name of the configuration only if TypeScript accepts it", () => {
    const wrong: string[] = [];
    let accepted = 0;
    for (let code = 0; code <= LAST; code += 1) {
      for (const name of [String.fromCodePoint(code), `a${String.fromCodePoint(code)}`]) {
        if (!isName(name)) continue;
        accepted += 1;
        if (!isAccepted(name)) wrong.push(`U+${code.toString(16)}`);
      }
    }
    expect(wrong).toEqual([]);
    expect(accepted).toBeGreaterThan(270_000);
  });
});

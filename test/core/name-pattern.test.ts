import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { compileNamePattern, findPatternProblem } from "../../src/core/name-pattern.js";

describe("compileNamePattern", () => {
  test.each([
    ["get-post", "get-post", true],
    ["get-post", "get-*", true],
    ["get-post", "*post", true],
    ["get-post", "*-*", true],
    ["get-post", "*", true],
    ["", "*", true],
    ["", "", true],
    ["get-post", "get", false],
    ["get-post", "get-post-", false],
    ["get-posts", "*-post", false],
    ["a.b", "a?b", true],
    ["ab", "a?b", false],
    ["a?b", "a?b", true],
    ["get-post", "{get,list}-*", true],
    ["list-posts", "{get,list}-{post,p{a,o}sts}", true],
    ["put-post", "{get,list}-*", false],
    ["a", "a{,-b}", true],
    ["{a}", "{a}", true],
    ["{a", "{a", true],
    ["aab", "a*ab", true],
    ["abab", "*ab", true],
  ])("%s fits %s: %s", (name, pattern, fits) => {
    expect(compileNamePattern(pattern)(name)).toBe(fits);
  });

  test("says what a regular expression says", () => {
    const text = fc.string({ unit: fc.constantFrom("a", "b", "*", "?", "{b,a*}"), maxLength: 12 });
    fc.assert(
      fc.property(text, text, (name, pattern) => {
        const source = pattern
          .replaceAll("*", "[^]*")
          .replaceAll("?", "[^]")
          .replaceAll("{b,a[^]*}", "(?:b|a[^]*)");
        expect(compileNamePattern(pattern)(name)).toBe(new RegExp(`^${source}$`, "u").test(name));
      }),
    );
  });

  test("takes no more steps than both lengths allow", () => {
    const pattern = `${"*a".repeat(1_000)}*c`;
    expect(compileNamePattern(pattern)("a".repeat(20_000))).toBe(false);
  });

  test("grows neither with alternatives nor with their depth", () => {
    const matches = compileNamePattern("{a,b}".repeat(200));
    expect([matches("ab".repeat(100)), matches("ac".repeat(100))]).toEqual([true, false]);
    const deep = compileNamePattern(`${"{a,".repeat(300)}b${"}".repeat(300)}`);
    expect([deep("b"), deep("a"), deep("c")]).toEqual([true, true, false]);
  });

  test("counts a character outside the basic plane once", () => {
    expect(["?", "a?", "*?", "??", "*??"].map((pattern) => compileNamePattern(pattern)("😀"))).toEqual([
      ...[true, false, true, false, false],
    ]);
  });
});

describe("findPatternProblem", () => {
  test.each([
    "[gd]elete_*", "delete_[!a]*", "delete_]", "!get_*", "!(get)_*", "+(get|put)_*", "@(get|put)", "?(a)b", "*(a)", "get|put", "\\*",
    "get_\\w+", "^get_", "get_$", "/^get_.*$/", "{get}_*", "{get_*", "get}_*", "{}", "{1..3}", "{a,b}}", "{{a},b}", "", " get", "get ",
    "{get, put}_*", "{get ,put}_*", "a".repeat(1_001),
  ])("refuses %s", (pattern) => {
    expect(findPatternProblem(pattern)).toMatch(
      /^expected a name, or a pattern with "\*", "\?" and "\{a,b\}"/,
    );
  }); // prettier-ignore

  test.each([
    ...["get-post", "*", "get_*", "?", "{get,list}_*", "a{,-b}", "{a,{b,c}d}e", "**", "a,b", "ns/tool.v1:x", "Get weather"],
    ...["../evil", "été-*", "a!", "@scope/tool", "a+b", "#1", "50%"],
  ])("accepts %s", (pattern) => {
    expect(findPatternProblem(pattern)).toBeUndefined();
  }); // prettier-ignore

  test("accepts the braces of a URI template where names are URIs", () => {
    expect(findPatternProblem("repo://{owner}/*")).toContain("braces");
    expect(findPatternProblem("repo://{owner}/*", true)).toBeUndefined();
    expect(findPatternProblem("repo://[ab]/*", true)).toContain('for "[" itself, write "?"');
  });

  test("reads each name as itself, or refuses it", () => {
    const name = fc.string({ unit: "binary-ascii", minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(name, (text) => {
        if (findPatternProblem(text) === undefined)
          expect(compileNamePattern(text)(text) || text.includes("{")).toBe(true);
      }),
    );
  });
});

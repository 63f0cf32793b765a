import { describe, expect, it } from "vitest";
import type { JsonValue } from "../../../src/core/json.js";
import {
  backtrackingDegree,
  compilePattern,
  isCatastrophic,
  isChecked,
} from "../../../src/schema/pattern/pattern.js";
import {
  matchPattern,
  splitLengthLookahead,
  splitLookaheads,
} from "../../../src/schema/pattern/match-pattern.js";
import { PatternSteps } from "../../../src/schema/pattern/pattern-automaton.js";
import { printToolSchemas, printZodModule } from "../../../src/schema/print/print-modules.js";
import { expected } from "../../data/files.js";
import { readToolLists } from "../support/data.js";
import { toZod } from "../support/evaluate-module.js";
import fc from "fast-check";
import { createMatcher, flagsOf } from "../../../src/schema/pattern/pattern-tree.js";

/** In V8, two more characters of a text that almost matches take four times as long. */
const EXPONENTIAL = [
  "^(a+)+$", "^(a*)*$", "^(a|a)*$", "^(\\w|\\d)+$", "^(\\w+\\s?)*$", "^([a-zA-Z0-9]+)*@", "^(a?b?)*$", "^(a|aa)+$", "^(?:ab|a(?:b))*$",
  "^(.*,)*$", "^(a{1,30}){1,30}$", "^(?:a{1,2})*$", "^(?:ab{2}|abb)*$", "^(?=(x+x+)+y)", "^([\\u0061-c]|\\x61)*$", "^(\\p{L}|[a-z])+$",
  "^(?<word>\\w+-?)+$", "^(([a-z])+.)+[A-Z]([a-z])+$",
]; // prettier-ignore

const HARMLESS = [
  "^[a-z]+$", "^\\s*(?:[a-z]+,)*[a-z]+\\s*$", "^[^,]+(,[^,]+)*$", "^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\\.)+[a-z]{2,}$",
  "^(GET|POST|PUT)(,(GET|POST|PUT))*$", "^(\\d{1,3}\\.){3}\\d{1,3}$", "^([0-9a-f]{2}:){5}[0-9a-f]{2}$", "^(a*b)*$",
  "^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$", "^(\\\\.|[^\\\\])*$", "^#([0-9a-f]{3}){1,2}$", "^(a|b|c)*$",
  "^(?!.*(?:^|,)(team|scim),(?:.*,)?\\1(?:$|,))(team|scim)(,(team|scim))*$", "^([A-Z][a-z]*)+$", "^(\\d+(\\.\\d+)*)(-[0-9A-Za-z.-]+)?$",
  "^[a-z]+(?:[ _-][a-z]+)*$", "^(?:\\u{1F600}|\\p{Lu}\\p{Ll}+ )+$", "^(?:[0-9a-f]{9},){2,20}$",
]; // prettier-ignore

/** The measured degree of growth of the time in V8, on texts that almost match. */
const DEGREES: readonly (readonly [pattern: string, degree: number])[] = [
  ["^[a-z]+-[a-z]+$", 1],
  ["^[a-z0-9-]+(\\.[a-z0-9-]+)*\\.[a-z]+$", 1],
  ["^a{0,100}a{0,100}a{0,100}$", 1],
  ["^(?=.*[a-z])(?=.*[A-Z])(?=.*\\d).+$", 1],
  ["^[a-zA-Z0-9._%+-]+@[a-zA-Z0-9.-]+\\.[a-zA-Z]{2,}$", 1],
  ["a+b", 2],
  ["\\s+$", 2],
  ["^\\S+@\\S+$", 2],
  ["\\S+@\\S+", 2],
  ["^[a-z][a-z0-9-]*[a-z0-9]+$", 2],
  ["^[^\\s@]+@[^\\s@]+\\.[^\\s@]+$", 2],
  ["^\\s*a*\\s*a*$", 2],
  ["(a|b)*c.*d.*", 2],
  ["^a{0,1000}a{0,1000}$", 2],
  ["^a*a*a*$", 3],
  ["^\\w+\\s*\\w*\\s*\\w*$", 3],
  ["^(\\w*\\d?){3}$", 3],
  ["^.+/.+/.+$", 3],
  ["\\w+\\w+1", 3],
  ["^(?!.*a.*b.*c)", 3],
  ["^.*,.*,.*,.*$", 4],
];

describe("patterns", () => {
  it.each(EXPONENTIAL)("%s takes exponential time", (pattern) => {
    expect(isCatastrophic(pattern, "u", new PatternSteps())).toBe(true);
  });

  it.each(HARMLESS)("%s does not take exponential time", (pattern) => {
    expect(isCatastrophic(pattern, "u", new PatternSteps())).toBe(false);
  });

  it.each(DEGREES)("%s takes time to the power of %i", (pattern, degree) => {
    expect(isCatastrophic(pattern, "u", new PatternSteps())).toBe(false);
    // An approximation may return one degree too many, but never too few, and never three for two.
    const found = backtrackingDegree(pattern, "u", new PatternSteps());
    if (degree === 1) expect(found).toBeLessThan(3);
    else expect(found).toBe(degree);
    expect(isChecked(pattern)).toBe(degree < 3);
  });

  it("that are too large to analyse count as unsafe", () => {
    expect(backtrackingDegree(`^${"a?b*".repeat(1_000)}$`, "u", new PatternSteps())).toBe(Infinity);
    expect(backtrackingDegree(`^(?:${"[a-z]*,".repeat(90)})$`, "u", new PatternSteps())).toBe(1);
    const words = Array.from({ length: 100 }, (_, index) => `w${index}x`).join("|");
    const patterns = [
      `^(?:${"a?".repeat(1_000)})*$`,
      `^(?:${"(".repeat(400)}a${")*".repeat(400)})$`,
      `^(?:${words})*$`,
      "a".repeat(100_000),
    ];
    const isSlow = patterns.map((pattern) => isCatastrophic(pattern, "u", new PatternSteps()));
    expect(isSlow).toEqual([true, true, false, false]);
  });

  // Each took V8 more steps than there are combinations of the optional parts: over a minute for a text of 20 characters.
  it.each([
    ["optional characters", "[a-z]?".repeat(60)],
    ["optional groups", "(?:ab)?".repeat(60)],
    ["optional choices", "(?:a|b)?".repeat(60)],
    ["counted characters", "a{0,2}".repeat(60)],
    ["more optional characters than are analysed", "[a-z0-9]?".repeat(10_000)],
  ])("with very many combinations of %s are not executed", (_, parts) => {
    expect(isChecked(`^${parts}$`)).toBe(false);
  });

  it("with many optional parts that match different texts are executed", () => {
    const parts = Array.from({ length: 26 }, (_, index) => `${String.fromCharCode(97 + index)}?`).join("");
    expect(isChecked(`^${parts}$`)).toBe(true);
    expect(isChecked(String.raw`^-?\d{1,4}(?:-\d{2}){0,2}(?:T\d{2}(?::\d{2}){0,2}(?:\.\d{1,9})?)?Z?$`)).toBe(
      true,
    );
  });

  it.each([
    ["takes exponential time", "^(a+)+$", "may take time that doubles"],
    ["takes cubic time", "^a*a*a*$", "third power"],
    ["is invalid", "(unclosed[", "is not a valid JavaScript regular expression"],
    // Without the flag "u", JavaScript takes these for letters.
    ["has an anchor of Python", "\\A[a-z]+\\Z", "is not a valid JavaScript regular expression"],
    ["has a class that only Unicode mode has", "^\\p{L}+\\-", "is not a valid JavaScript regular expression"],
    ["has a code point that only Unicode mode has", "\\u{1F600}\\-", "is not a valid JavaScript regular expression"],
  ])("are reported and not checked if one %s", (_, pattern, message) => {
    const properties = { a: { type: "string", pattern, minLength: 2 } };
    const schema = { type: "object", properties, patternProperties: { [pattern]: { type: "number" } } };
    const { text, checks, diagnostics } = printToolSchemas({ input: { schema, name: "AInput" }, taken: [] });
    expect(diagnostics.map(({ path }) => path).sort()).toEqual([
      `/inputSchema/patternProperties/${pattern}`,
      "/inputSchema/properties/a/pattern",
    ]);
    const loosened = { code: "KEYWORD_LOOSENED", message: expect.stringContaining(message) as string };
    for (const item of diagnostics) expect(item).toMatchObject(loosened);
    expect(checks).toEqual(["schema", "type Schema"]);
    expect(text).not.toContain("RegExp");
    expect(text).toContain("z.string().min(2)");
  }); // prettier-ignore

  it("that are not checked do not reject values under not", () => {
    const parser = toZod({ type: "string", not: { pattern: "^(a+)+$" } });
    expect(parser.safeParse("aaa").success).toBe(true);
    const over = { anyOf: [{ patternProperties: { "^(a+)+$": {} } }], unevaluatedProperties: false };
    const { text, diagnostics } = printZodModule(over, { name: "Printed" });
    expect(text).not.toContain("RegExp");
    expect(text).not.toContain("fitsJsonSchema");
    expect(diagnostics.map(({ code }) => code)).toContain("KEYWORD_LOOSENED");
  });

  it("of many kilobytes are quoted partially", () => {
    const { diagnostics } = printZodModule(
      { type: "string", pattern: "(".repeat(50_000) },
      { name: "Printed" },
    );
    expect(diagnostics[0]?.message.length).toBeLessThan(400);
  });

  it("of real tools are all checked", () => {
    const patterns = readToolLists().flatMap((tool) => findPatterns([tool.input, tool.output ?? true]));
    expect(new Set(patterns).size).toBeGreaterThan(expected(5, 30));
    expect(patterns.filter((pattern) => !isChecked(pattern))).toEqual([]);
  });
});

function findPatterns(value: JsonValue): readonly string[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, item]: readonly [string, JsonValue]) => [
    ...(key === "pattern" && typeof item === "string" ? [item] : []),
    ...findPatterns(item),
  ]);
}

describe("a long pattern", () => {
  it.each(["a", ".", "[^a]", "\\W", "💩", "(?=a)", "ab|", "(?<!a)", "a{999}"])(
    "of parts %s is run up to 10,000 characters, where JavaScript can run it, and no further",
    (part) => {
      const longest = part.repeat(Math.floor(10_000 / part.length));
      if (isChecked(longest)) expect(() => compilePattern(longest)?.test("x1")).not.toThrow();
      expect(() => matchPattern(longest, "x1")).not.toThrow();
      expect(isChecked(longest.padEnd(10_001, "a"))).toBe(false);
      expect(matchPattern(longest.padEnd(10_001, "a"), "x1")).toBeUndefined();
    },
  );
});

const free = (): void => undefined;

const PATTERNS = [
  "^(a+)+$", "^(a|a)*b$", "(a*)*c", "^(?:ab?){2,3}$", "^(a{2}){1,2}b*$", "a|bc|", "^[^a]b\\w+\\b.$", "^(?=.*b)(?!a)[abc]+$",
  "(?<=a)b(?<!c)", "(?<!a)b", "\\Bb", "^$", "^(a?){3,}b$", "^(|a)+$", "b{0}a", "^\\u0061+$", "^.$", "^\\p{L}{2}$", "[\\s\\S]b$", "(a{0,2}b){2}",
]; // prettier-ignore

describe("createMatcher", () => {
  it("agrees with JavaScript", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...PATTERNS),
        fc.string({ unit: fc.constantFrom("a", "b", "c", " ", "é", "😀"), maxLength: 8 }),
        (pattern, text) => {
          expect(createMatcher(pattern)?.(text, free)).toBe(
            new RegExp(pattern, flagsOf(pattern) ?? "").test(text),
          );
        },
      ),
      { numRuns: 2_000 },
    );
  });

  it("takes few steps where JavaScript takes exponentially many", () => {
    let steps = 0;
    const matches = createMatcher("^(a+)+$");
    expect(matches?.(`${"a".repeat(1_000)}b`, (count) => (steps += count))).toBe(false);
    expect(steps).toBeLessThan(20_000);
  });

  it.each(["(a)\\1", "(?<x>a)\\k<x>", "("])("does not support %s", (pattern) => {
    expect(createMatcher(pattern)).toBeUndefined();
  });
});

it.each<[pattern: string, flags: string | undefined]>([
  ["^\\p{L}$", "u"],
  ["[\\w-.]", ""],
  ["\\-\\d\\\\a", ""],
  ["\\-\\Z", undefined],
  ["\\-\\u{61}", undefined],
  ["(", undefined],
])("the flags of %s are %j", (pattern, flags) => {
  expect(flagsOf(pattern)).toBe(flags);
});

// JavaScript may take the square of the length, and our own matcher does not support the backreference.
it.each<[pattern: string, length: number, matches: boolean | undefined]>([
  ["^(a*)\\1$", 1_000, false],
  ["^(a*)\\1$", 1_001, undefined],
  ["^(a+)+$", 1_001, false],
  ["^(a+)+$", 20_000, undefined],
  ["(", 1, undefined],
])("whether %s matches %i characters is decided in few steps", (pattern, length, matches) => {
  expect(matchPattern(pattern, "b".padStart(length, "a"))).toBe(matches);
});

it.each<[pattern: string, required: readonly string[], excluded: readonly string[]]>([
  ["^a$", ["^a$"], []],
  ["^(?=.*\\d)(?!.*--)[a-z]+$", ["^(?:.*\\d)", "^[a-z]+$"], ["^(?:.*--)"]],
  ["^(?=(a|b)c)x", ["^(?:(a|b)c)", "^x"], []],
  ["^(?=[)]\\)a)x", ["^(?:[)]\\)a)", "^x"], []],
  ["^(?=a|b)c", ["^(?:a|b)", "^c"], []],
  // The lookahead belongs to the first alternative, or is optional.
  ["^(?=a)b|c", ["^(?=a)b|c"], []],
  ["^(?=a)?b", ["^(?=a)?b"], []],
  ["(?=a)b", ["(?=a)b"], []],
])("%s is matched by what matches %j and not %j", (pattern, required, excluded) => {
  expect(splitLookaheads(pattern)).toEqual({ required, excluded });
});

it.each<[pattern: string, minLength?: number, maxLength?: number | undefined]>([
  ["^(?=.{2,9}$)a+$", 2, 9],
  ["^(?=.{3}$)a+$", 3, 3],
  ["^(?=.{2,}$)a+$", 2, undefined],
  ["^(?=.{2,9}$)a|b"],
  ["^(?=.{2,9})a+$"],
  // Without the flag "u", a dot is a code unit.
  ["^(?=.{2,9}$)[\\w-.]*$"],
])("%s limits the length from %s to %s", (pattern, minLength, maxLength) => {
  const split = minLength === undefined ? undefined : { minLength, maxLength, patterns: ["^.*$", "^a+$"] };
  expect(splitLengthLookahead(pattern)).toEqual(split);
});

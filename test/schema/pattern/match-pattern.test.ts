import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  matchPattern,
  splitLengthLookahead,
  splitLookaheads,
} from "../../../src/schema/pattern/match-pattern.js";
import { createMatcher, flagsOf } from "../../../src/schema/pattern/pattern-tree.js";

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

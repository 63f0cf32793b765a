import { expect, test } from "vitest";
import { hintsOf, samplePattern } from "../../../src/schema/sample/sample-pattern.js";

const NO_HINTS = { characters: [], counts: [] };

test.each<[pattern: string, texts: readonly string[]]>([
  ["^a$", ["a"]],
  ["^[\\x07a]$", ["a", "\u0007"]],
  ["^[\\u0007a]$", ["a", "\u0007"]],
  ["^[\\u{7}a]$", ["a", "\u0007"]],
  ["^[\\u{1F600}-\\u{1F603}]$", ["\u{1f600}", "\u{1f603}"]],
  ["^[\\ta]$", ["a", "\t"]],
  ["^[\\0b]$", ["\0", "b"]],
  ["^[\\.]$", ["."]],
  ["^\\d$", ["0", "1"]],
  ["^[b-d]$", ["b", "d"]],
  // None of the common characters.
  ["^[^\\0-\\u2ffe]$", ["\u2fff"]],
  ["^[^\\0-\\u2fff]$", [""]],
  ["^a{2,4}$", ["aa", "aaa", "aaaa"]],
  ["^(ab){0,2}$", ["", "ab", "abab"]],
  ["^(x|yz)$", ["x", "yz"]],
  ["^(?=.*\\d)[a-z]{3}$", ["aaa", "0aaa", "0aa", "zzz"]],
  ["(", []],
])("the samples of %s are %j", (pattern, texts) => {
  expect(samplePattern(pattern, NO_HINTS)).toEqual(texts);
});

test("tries the characters and the counts of hints that the pattern allows", () => {
  expect(samplePattern("^[0-9]{1,9}$", { characters: ["5", "x"], counts: [0, 1, 4, 9, 10] })).toEqual([
    ...["0", "00", "000000000", "0000"],
    ...["1", "9", "5"],
  ]);
});

test.each<[pattern: string, characters: string, counts: readonly number[]]>([
  ["^[b-d]$", "bac-,.de", []],
  ["^a{2,4}$", "a`b", [1, 2, 3, 4, 5]],
  ["^(ab)?$", "a`bc", [0, 1, 2]],
  ["^(ab)*$", "a`bc", [0, 1]],
  ["(", "", []],
])("the hints of %s are the characters %j and the counts %j", (pattern, characters, counts) => {
  expect(hintsOf(pattern)).toEqual({ characters: Array.from(characters), counts });
});

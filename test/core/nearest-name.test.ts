import { expect, test } from "vitest";
import { editDistance, nearestName } from "../../src/core/nearest-name.js";

const LONG = "x".repeat(200);

test.each<[number, string, string, number]>([
  [0, "check", "check", 0],
  [1, "check", "chec", 2],
  [1, "check", "checks", 2],
  [1, "check", "chack", 2],
  // Two neighbours that change places are one edit.
  [1, "check", "cehck", 2],
  [1, "ab", "ba", 2],
  [2, "check", "ehcck", 2],
  [3, "check", "chill", 3],
  // One more than the most that are counted.
  [3, "check", "chill", 2],
  [2, "check", "pull", 1],
  [3, "check", "checkmate", 2],
  [2, "", "ab", 2],
  [1, LONG, `${LONG}x`, 2],
  [3, `${LONG}x`, LONG, 2],
])("there are %i edits from %j to %j, of which at most %i count", (distance, a, b, most) => {
  expect(editDistance(a, b, most)).toBe(distance);
});

test.each<[string | undefined, string, readonly string[]]>([
  ["check", "chek", ["pull", "check", "checks"]],
  // The first of equally near names.
  ["check", "chec", ["check", "cheat"]],
  ["bat", "cat", ["bat", "hat"]],
  // Two letters of a short name may differ, and a third of a long one.
  ["ab", "cd", ["ab"]],
  [undefined, "abc", ["xyz"]],
  ["generate!!!", "generate123", ["generate!!!"]],
  [undefined, "generat1234", ["generate!!!"]],
  [undefined, "check", []],
])("the nearest name is %j to %j of %j", (nearest, name, names) => {
  expect(nearestName(name, names)).toBe(nearest);
});

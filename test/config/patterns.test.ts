import { expect, it } from "vitest";
import { categoryOf } from "../../src/config/category-of.js";
import { isIncluded } from "../../src/config/is-included.js";

const NAMES = ["get-post", "posts/list", ".hidden", "../evil", "..", "line\nbreak", "!odd"];

it("takes every tool when nothing is said", () => {
  expect(NAMES.filter((name) => isIncluded({}, name))).toEqual(NAMES);
  expect(NAMES.filter((name) => isIncluded({ tools: { stripPrefix: "a" } }, name))).toEqual(NAMES);
});

it("lets * stand for any name: a name is not a path", () => {
  expect(NAMES.filter((name) => isIncluded({ tools: { include: ["*"] } }, name))).toEqual(NAMES);
  expect(NAMES.filter((name) => isIncluded({ tools: { exclude: ["*"] } }, name))).toEqual([]);
});

it("includes, and then excludes", () => {
  const server = { tools: { include: ["get-*", "posts/*", "!odd"], exclude: ["{get,set}-post"] } };
  expect(NAMES.filter((name) => isIncluded(server, name))).toEqual(["posts/list", "!odd"]);
});

it("gives the category of the first pattern that fits", () => {
  const server = { categories: { "get-*": "reading", "*": "other" } };
  expect([categoryOf(server, "get-post"), categoryOf(server, "x"), categoryOf({}, "x")]).toEqual([
    "reading",
    "other",
    undefined,
  ]);
  expect(categoryOf({ categories: { a: "b" } }, "x")).toBeUndefined();
});

import { expect, it } from "vitest";
import { configuredCategory, isIncluded } from "../../src/config/match-tools.js";

const NAMES = ["get-post", "posts/list", ".hidden", "../evil", "..", "line\nbreak", "!odd"];

it("includes every tool by default", () => {
  expect(NAMES.filter((name) => isIncluded({}, name))).toEqual(NAMES);
  expect(NAMES.filter((name) => isIncluded({ tools: { stripPrefix: "a" } }, name))).toEqual(NAMES);
});

it("matches any name with *: a name is not a path", () => {
  expect(NAMES.filter((name) => isIncluded({ tools: { include: ["*"] } }, name))).toEqual(NAMES);
  expect(NAMES.filter((name) => isIncluded({ tools: { exclude: ["*"] } }, name))).toEqual([]);
});

it("applies include, then exclude", () => {
  const server = { tools: { include: ["get-*", "posts/*", "!odd"], exclude: ["{get,set}-post"] } };
  expect(NAMES.filter((name) => isIncluded(server, name))).toEqual(["posts/list", "!odd"]);
});

it("returns the category of the first matching pattern", () => {
  const server = { categories: { "get-*": "reading", "*": "other" } };
  expect([
    configuredCategory(server, "get-post"),
    configuredCategory(server, "x"),
    configuredCategory({}, "x"),
  ]).toEqual(["reading", "other", undefined]);
  expect(configuredCategory({ categories: { a: "b" } }, "x")).toBeUndefined();
});

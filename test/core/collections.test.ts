import { expect, test } from "vitest";
import { BoundedCache, findComponents, groupBy } from "../../src/core/collections.js";

test.each<[string, Readonly<Record<string, string>>, readonly string[]]>([
  ["a chain, targets first", { a: "b", b: "c", c: "" }, ["c", "b", "a"]],
  ["a cycle of itself", { a: "a" }, ["a"]],
  ["a cycle of three", { a: "b", b: "c", c: "a" }, ["cba"]],
  ["two cycles with a way between them", { a: "b", b: "ac", c: "d", d: "c" }, ["dc", "ba"]],
  ["a cycle within a cycle", { a: "b", b: "c", c: "bd", d: "a" }, ["dcba"]],
  ["two ways to one node", { a: "bc", b: "d", c: "d", d: "" }, ["d", "b", "c", "a"]],
  ["a way into a part that is complete", { a: "b", b: "a", c: "a" }, ["ba", "c"]],
])("finds the components of %s", (_what, edges, components) => {
  const nodes = findComponents(Object.keys(edges), (node) => Array.from(edges[node] ?? ""));
  const members = groupBy(nodes, ([, component]) => component);
  expect([...members.values()].map((each) => each.map(([node]) => node).join(""))).toEqual(components);
});

test("keeps as many values as it may, and then starts again", () => {
  const cache = new BoundedCache<readonly string[]>(2);
  const made: string[] = [];
  const get = (text: string): readonly string[] =>
    cache.get(text, (each) => {
      made.push(each);
      return [each];
    });
  expect(["a", "b", "a", "b", "c", "c", "a", "b"].map(get).flat()).toEqual(Array.from("ababccab"));
  expect(made).toEqual(["a", "b", "c", "a", "b"]);
});

import { expect, test } from "vitest";
import type { JsonObject, JsonValue } from "../../../src/core/json.js";
import { findSites, scoreProperties } from "../../../src/drift/renames/rename-evidence.js";

const text = { type: "string" };
const object = (names: readonly string[], more: JsonObject = {}): JsonObject => ({
  type: "object",
  properties: Object.fromEntries(names.map((name) => [name, text])),
  ...more,
});
const many = (prefix: string, count: number): readonly string[] =>
  Array.from({ length: count }, (_, index) => `${prefix}${index}`);

test.each<[string, JsonValue, JsonValue, readonly string[]]>([
  ["a property is replaced", object(["a"]), object(["b"]), [": a → b"]],
  ["properties are only added", object([]), object(["b"]), []],
  ["properties are only removed", object(["a", "b"]), object(["b"]), []],
  ["an object in items has another property", { type: "array", items: object(["a"]) }, { type: "array", items: object(["b"]) }, ["/items: a → b"]],
  ["an object in a property and the object around it change", object(["a"], { properties: { a: text, in: object(["c"]) } }),
    object(["b"], { properties: { b: text, in: object(["d"]) } }), [": a → b", "/properties/in: c → d"]],
  ["a branch at the same place changes", { anyOf: [text, object(["a"])] }, { anyOf: [text, object(["b"])] }, ["/anyOf/1: a → b"]],
  ["unions have different lengths", { anyOf: [text, object(["a"])] }, { anyOf: [text, text, object(["b"])] }, []],
  ["data looks like a schema", { default: object(["a"]) }, { default: object(["b"]) }, []],
  ["a reference leads into a property", object(["a"], { items: { $ref: "#/properties/a" } }), object(["b"], { items: { $ref: "#/properties/b" } }), []],
  ["as many names change as are compared", object(many("a", 40)), object(many("b", 1)), [`: ${many("a", 40).join(" ")} → b0`]],
  ["more names are removed", object(many("a", 41)), object(many("b", 1)), []],
  ["more names are added", object(many("a", 1)), object(many("b", 41)), []],
])("a property may have a new name where %s", (_case, before, after, sites) => {
  expect(
    findSites(before, after).map(({ pointer, removed, added }) => {
      const namesOf = (side: typeof removed): string => side.map(([name]) => name).join(" ");
      return `${pointer}: ${namesOf(removed)} → ${namesOf(added)}`;
    }),
  ).toEqual(sites);
}); // prettier-ignore

test.each(["before", "after"])("a schema that is too deep has no renames: %s", (side) => {
  let deep: JsonValue = text;
  for (let depth = 0; depth < 10_000; depth += 1) deep = { items: deep };
  const schemas = [object(["a"], side === "before" ? { items: deep } : {}), object(["b"])] as const;
  const [one, other] = side === "before" ? schemas : [schemas[0], object(["b"], { items: deep })];
  expect(findSites(one, other)).toEqual([]);
});

const NONE = { words: 0, name: 0 };
const textOf = (description?: string): JsonObject => ({
  type: "string",
  ...(description !== undefined && { description }),
});

const ROWS: [string, string, string, JsonObject, JsonObject, number][] = [
  ["the same words", "issueNumber", "issue_number", textOf(), textOf(), 0.99],
  ["an abbreviation", "q", "query", textOf(), textOf(), 0.7],
  ["another spelling", "color", "colour", textOf(), textOf(), 0.875],
  ["each its own word", "user_name", "team_name", textOf(), textOf(), 0.469],
  ["a word more", "title", "post_title", textOf(), textOf(), 0.75],
  ["nothing in common", "title", "slug", textOf(), textOf(), 0.1875],
  ["the same description", "slug", "path", textOf("The address of a post."), textOf("The address of a post."), 0.8],
  ["another description", "slug", "slug_text", textOf("The address of a post."), textOf("How many there are."), 0.45],
  ["a schema with another rule", "limit", "limits", { type: "integer" }, { type: "integer", minimum: 1 }, 0.925],
  ["another type", "limit", "limits", { type: "integer" }, textOf(), 0.75],
  ["opposite words", "include_tags", "exclude_tags", textOf(), textOf(), 0],
  ["other opposite words", "start_time", "end_time", textOf(), textOf(), 0],
]; // prettier-ignore

test.each(ROWS)("%s: %s → %s", (_what, was, is, before, after, score) => {
  expect(scoreProperties([was, before], [is, after], NONE)).toBeCloseTo(score, 3);
});

test.each([
  [{ words: 0.8, name: 0 }, 0.777],
  [{ words: 0, name: 0.5 }, 0.642],
  [{ words: 0, name: 1 }, 0.867],
])("the evidence %j of other tools counts", (evidence, score) => {
  const before = textOf("The key of a page in the wiki.");
  const after = textOf("The key of a page in the space.");
  expect(scoreProperties(["wiki_ref", before], ["space_target", after], evidence)).toBeCloseTo(score, 3);
});

import { expect, test } from "vitest";
import type { JsonObject, JsonValue } from "../../../src/core/json.js";
import { findSites } from "../../../src/drift/renames/rename-evidence.js";

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
  [
    "an object in items has another property",
    { type: "array", items: object(["a"]) },
    { type: "array", items: object(["b"]) },
    ["/items: a → b"],
  ],
  [
    "an object in a property and the object around it change",
    object(["a"], { properties: { a: text, in: object(["c"]) } }),
    object(["b"], { properties: { b: text, in: object(["d"]) } }),
    [": a → b", "/properties/in: c → d"],
  ],
  [
    "a branch at the same place changes",
    { anyOf: [text, object(["a"])] },
    { anyOf: [text, object(["b"])] },
    ["/anyOf/1: a → b"],
  ],
  [
    "unions have different lengths",
    { anyOf: [text, object(["a"])] },
    { anyOf: [text, text, object(["b"])] },
    [],
  ],
  ["data looks like a schema", { default: object(["a"]) }, { default: object(["b"]) }, []],
  [
    "a reference leads into a property",
    object(["a"], { items: { $ref: "#/properties/a" } }),
    object(["b"], { items: { $ref: "#/properties/b" } }),
    [],
  ],
  [
    "as many names change as are compared",
    object(many("a", 40)),
    object(many("b", 1)),
    [`: ${many("a", 40).join(" ")} → b0`],
  ],
  ["more names are removed", object(many("a", 41)), object(many("b", 1)), []],
  ["more names are added", object(many("a", 1)), object(many("b", 41)), []],
])("a property may have a new name where %s", (_case, before, after, sites) => {
  expect(
    findSites(before, after).map(({ pointer, removed, added }) => {
      const namesOf = (side: typeof removed): string => side.map(([name]) => name).join(" ");
      return `${pointer}: ${namesOf(removed)} → ${namesOf(added)}`;
    }),
  ).toEqual(sites);
});

test.each(["before", "after"])("a schema that is too deep has no renames: %s", (side) => {
  let deep: JsonValue = text;
  for (let depth = 0; depth < 10_000; depth += 1) deep = { items: deep };
  const schemas = [object(["a"], side === "before" ? { items: deep } : {}), object(["b"])] as const;
  const [one, other] = side === "before" ? schemas : [schemas[0], object(["b"], { items: deep })];
  expect(findSites(one, other)).toEqual([]);
});

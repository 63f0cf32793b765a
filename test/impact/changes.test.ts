import { describe, expect, it } from "vitest";
import { type Change, keyOfTool } from "../../src/core/change.js";
import { applyChanges, mayHitCode, placeOfChange } from "../../src/impact/changes.js";

const at = (path: string): ReturnType<typeof placeOfChange> => placeOfChange(change("r", path));

it.each([
  ["/inputSchema", [], []],
  ["/inputSchema/additionalProperties", [], []],
  ["/inputSchema/properties/limit", [{ property: "limit" }], ["properties", "limit"]],
  ["/inputSchema/properties/a~1b/maxLength", [{ property: "a/b" }], ["properties", "a/b"]],
  ["/inputSchema/properties/properties/type", [{ property: "properties" }], ["properties", "properties"]],
  ["/inputSchema/properties/tags/items/pattern", [{ property: "tags" }, "item"], ["properties", "tags", "items"]], // prettier-ignore
  ["/inputSchema/properties/tags/prefixItems/1/type", [{ property: "tags" }, "item"], ["properties", "tags", "prefixItems", "1"]], // prettier-ignore
  ["/inputSchema/properties/tags/items/0/type", [{ property: "tags" }, "item"], ["properties", "tags", "items", "0"]], // prettier-ignore
])("leads from %s into the value", (path, steps, schema) => {
  expect(at(path)).toEqual({ side: "input", steps, schema, isAnywhere: false, isInBranch: false });
});

it("finds the schema of a branch, and whether another branch or any place may apply", () => {
  const id = [{ property: "id" }];
  const branch = { steps: id, isInBranch: true };
  expect(at("/inputSchema/anyOf/1/properties/id/type")).toMatchObject(branch);
  const inside = { steps: id, schema: ["properties", "id"], isInBranch: false };
  expect(at("/inputSchema/properties/id/anyOf/1/type")).toMatchObject(inside);
  const anywhere = { side: "output", steps: [{ property: "cents" }], isAnywhere: true };
  expect(at("/outputSchema/$defs/Money/properties/cents")).toMatchObject(anywhere);
  // A change that is not in a schema has no place.
  for (const path of ["/annotations/readOnlyHint", ""]) expect(at(path)).toBeUndefined();
});

const SCHEMA = {
  type: "object",
  properties: { id: { type: "integer" }, tags: { type: "array", items: { type: "string" } } },
  required: ["id"],
} as const;

function change(rule: string, path: string, more: Partial<Change> = {}): Change {
  return {
    ...{ rule, class: "breaking", security: false, server: "s", tool: "t", path, impacts: [] },
    ...more,
  };
}

it("keeps the old name of a renamed property", () => {
  const renamed = change("input-property-renamed", "/inputSchema/properties/max", { before: "limit" });
  expect(placeOfChange(renamed)?.steps).toEqual([{ property: "limit" }]);
});

describe("a definition after some changes", () => {
  const module = { server: "s", tool: "t", path: "s/t.ts", index: "s/index.ts", wrapper: "t" };
  const after = {
    ...SCHEMA,
    properties: { key: SCHEMA.properties.id, tags: { type: "array", items: { type: "integer" } } },
    required: ["key", "tags"],
  };
  const apply = (...changes: readonly Change[]): unknown => {
    const before = { ...module, definition: { name: "t", inputSchema: SCHEMA } };
    const now = { ...module, definition: { name: "t", inputSchema: after } };
    return applyChanges(changes, [before], [now]).get(keyOfTool(before))?.["inputSchema"];
  };

  it("has a renamed property, and whether it is required", () => {
    const renamed = change("input-property-renamed", "/inputSchema/properties/key", { before: "id" });
    expect(apply(renamed)).toEqual({
      type: "object",
      properties: { key: { type: "integer" }, tags: SCHEMA.properties.tags },
      required: ["key"],
    });
  });

  it("has a property that became required, with its old schema", () => {
    const required = change("input-property-became-required", "/inputSchema/properties/tags");
    expect(apply(required)).toEqual({ ...SCHEMA, required: ["id", "tags"] });
  });

  it("has the type of an item", () => {
    const type = change("input-type-changed", "/inputSchema/properties/tags/items/type");
    expect(apply(type)).toMatchObject({ properties: { tags: { items: { type: "integer" } } } });
  });

  it("is undefined for a tool that is gone", () => {
    const before = { ...module, definition: { name: "t", inputSchema: SCHEMA } };
    const found = applyChanges([change("tool-removed", "")], [before], []);
    expect([...found]).toEqual([[keyOfTool(before), undefined]]);
  });
});

it.each([
  ["tool-removed", "breaking", [], true],
  ["tool-added", "breaking", ["types"], false],
  ["output-property-added", "safe", ["types"], true],
  ["description-changed", "dangerous", ["model"], false],
] as const)("looks for call sites of %s with class %s and impacts %s: %s", (rule, how, impacts, expected) => {
  expect(mayHitCode(change(rule, "", { class: how, impacts }))).toBe(expected);
});

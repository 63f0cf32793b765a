import { expect, it } from "vitest";
import type { Change } from "../../src/contract/change.js";
import { placeOfChange } from "../../src/impact/changes.js";

const at = (path: string): ReturnType<typeof placeOfChange> =>
  placeOfChange({
    rule: "r",
    class: "breaking",
    security: false,
    server: "s",
    tool: "t",
    path,
    impacts: [],
  } satisfies Change);

it.each([
  ["/inputSchema", [], []],
  ["/inputSchema/additionalProperties", [], []],
  ["/inputSchema/properties/limit", [{ property: "limit" }], ["properties", "limit"]],
  ["/inputSchema/properties/a~1b/maxLength", [{ property: "a/b" }], ["properties", "a/b"]],
  ["/inputSchema/properties/properties/type", [{ property: "properties" }], ["properties", "properties"]],
  [
    "/inputSchema/properties/tags/items/pattern",
    [{ property: "tags" }, "item"],
    ["properties", "tags", "items"],
  ],
  [
    "/inputSchema/properties/tags/prefixItems/1/type",
    [{ property: "tags" }, "item"],
    ["properties", "tags", "prefixItems", "1"],
  ],
  [
    "/inputSchema/properties/tags/items/0/type",
    [{ property: "tags" }, "item"],
    ["properties", "tags", "items", "0"],
  ],
])("leads from %s into the value", (path, steps, schema) => {
  expect(at(path)).toEqual({ side: "input", steps, schema, isAnywhere: false, isInBranch: false });
});

it("finds the schema of a branch, and that another branch may apply", () => {
  expect(at("/inputSchema/anyOf/1/properties/id/type")).toMatchObject({
    steps: [{ property: "id" }],
    isInBranch: true,
  });
  expect(at("/inputSchema/properties/id/anyOf/1/type")).toMatchObject({
    steps: [{ property: "id" }],
    schema: ["properties", "id"],
    isInBranch: false,
  });
});

it("starts anywhere for a change in a definition", () => {
  expect(at("/outputSchema/$defs/Money/properties/cents")).toMatchObject({
    side: "output",
    steps: [{ property: "cents" }],
    isAnywhere: true,
  });
});

it("is undefined for a change that is not in a schema", () => {
  expect(at("/annotations/readOnlyHint")).toBeUndefined();
  expect(at("")).toBeUndefined();
});

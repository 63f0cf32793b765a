import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../src/core/json.js";
import { diffTools } from "../../../src/drift/diff-tools.js";

const object = (properties: JsonObject, more: JsonObject = {}): JsonObject => ({
  type: "object",
  properties,
  ...more,
});
const text = { type: "string" };
const number = { type: "number" };
const integer = { type: "integer" };
const freshness = [{ const: "pd" }, { const: "pw" }, { const: "pm" }, { type: "string" }];

/** The changes of an input as "class rule path witness". */
const changesOf = (before: JsonObject, after: JsonObject): readonly string[] =>
  diffTools([{ name: "t", inputSchema: before }], [{ name: "t", inputSchema: after }]).map(
    ({ class: judged, rule, path, witness }) =>
      [judged, rule.replace("input-", ""), path.replace("/inputSchema", ""), JSON.stringify(witness)]
        .join(" ")
        .trim(),
  );

describe("a branch of a union", () => {
  it.each<[string, JsonObject, JsonObject, readonly string[]]>([
    [
      "is compared with the branch of its kind, and not with an enumeration",
      object({ v: { anyOf: freshness }, w: { type: "number" } }),
      object({
        v: { anyOf: [{ enum: ["pd", "pw", "pm"] }, { type: "string", pattern: "^\\d{4}$" }] },
        w: { type: "number", maximum: 5 },
      }),
      [
        'breaking pattern-added /properties/v/anyOf/1/pattern {"v":""}',
        "safe enum-value-added /properties/v/anyOf/0/enum",
        "safe enum-value-added /properties/v/anyOf/0/enum",
        "safe union-branch-removed /properties/v/anyOf/1",
        "safe union-branch-removed /properties/v/anyOf/2",
        'breaking bound-tightened /properties/w/maximum {"w":6}',
      ],
    ],
    [
      "is safe to remove if the others accept its values",
      object({ v: { oneOf: [integer, number] } }),
      object({ v: number }),
      ["safe union-branch-removed /properties/v/oneOf/0"],
    ],
    [
      "may have the properties of the flat object that the union replaces",
      object({ a: text, b: text }),
      { type: "object", anyOf: [object({ a: text }), object({ b: text })] },
      ["safe union-branch-added /anyOf/1"],
    ],
    [
      "does not have the properties of a closed flat object",
      object({ a: text, b: text }, { additionalProperties: false }),
      {
        type: "object",
        anyOf: ["a", "b"].map((name) => object({ [name]: text }, { additionalProperties: false })),
      },
      ['breaking property-removed /properties/b {"a":"","b":""}', "safe union-branch-added /anyOf/1"],
    ],
    [
      "breaks a `oneOf` that it overlaps, and removes no other branch",
      object({ v: { oneOf: [number, text] } }),
      object({ v: { oneOf: [integer, number, text] } }),
      [
        'breaking constraint-added /properties/v/oneOf {"v":0}',
        "safe union-branch-added /properties/v/oneOf/0",
      ],
    ],
  ])("%s", (_what, before, after, changes) => {
    expect(changesOf(before, after)).toEqual(changes);
  });
});

import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../src/core/json.js";
import { diffTools } from "../../../src/drift/diff-tools.js";

const object = (properties: JsonObject, more: JsonObject = {}): JsonObject => ({
  type: "object",
  properties,
  ...more,
});
/** An object with a tag. */
const kind = (tag: string, properties: JsonObject, more: JsonObject = {}): JsonObject =>
  object({ kind: { const: tag }, ...properties }, { required: ["kind"], ...more });
const closed = { additionalProperties: false };
const text = { type: "string" };
const number = { type: "number" };
const integer = { type: "integer" };
const freshness = [{ const: "pd" }, { const: "pw" }, { const: "pm" }, { type: "string" }];

/** The changes of an input, or of an output, as "class rule path witness". */
const changesOf = (
  before: JsonObject,
  after: JsonObject,
  key: "inputSchema" | "outputSchema" = "inputSchema",
): readonly string[] =>
  diffTools([{ name: "t", [key]: before }], [{ name: "t", [key]: after }]).map(
    ({ class: judged, rule, path, witness }) =>
      [judged, rule.replace(/^(?:in|out)put-/, ""), path.replace(`/${key}`, ""), JSON.stringify(witness)]
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
    ["does not have the properties of a branch with another tag", object({ v: { oneOf: [kind("x", { a: text }), kind("y", { b: text })] } }),
      object({ v: { oneOf: [kind("x", { a: text, b: text }), kind("y", { b: text })] } }), ["safe optional-property-added /properties/v/oneOf/0/properties/b"]],
    ["may have the properties of a branch that stays alone",
      object({ v: { anyOf: [object({ a: text, b: integer }), object({ a: text }, { required: ["a"] })] } }), object({ v: object({ a: text, b: integer }) }),
      ['breaking union-branch-removed /properties/v/anyOf/1 {"v":{"a":"","b":""}}']],
    ["refuses a property that it still requires and no longer declares, whatever else it loses",
      object({ v: { anyOf: [object({ a: text }, { ...closed, required: ["a"], not: { const: {} } }), text] } }),
      object({ v: { anyOf: [object({}, { ...closed, required: ["a"] }), text] } }),
      ['breaking property-removed /properties/v/anyOf/0/properties/a {"v":{"a":""}}', "safe constraint-removed /properties/v/anyOf/0/not"]],
    ["is safe to remove if the others accept its values", object({ v: { oneOf: [integer, number] } }), object({ v: number }),
      ["safe union-branch-removed /properties/v/oneOf/0"]],
    ["may have the properties of the flat object that the union replaces", object({ a: text, b: text }),
      { type: "object", anyOf: [object({ a: text }), object({ b: text })] }, ["safe union-branch-added /anyOf/1"]],
    ["does not have the properties of a closed flat object", object({ a: text, b: text }, { additionalProperties: false }),
      { type: "object", anyOf: ["a", "b"].map((name) => object({ [name]: text }, { additionalProperties: false })) },
      ['breaking property-removed /properties/b {"a":"","b":""}', "safe union-branch-added /anyOf/1"]],
    ["breaks a `oneOf` that it overlaps, and removes no other branch", object({ v: { oneOf: [number, text] } }),
      object({ v: { oneOf: [integer, number, text] } }),
      ['breaking constraint-added /properties/v/oneOf {"v":0}', "safe union-branch-added /properties/v/oneOf/0"]],
  ])("%s", (_what, before, after, changes) => {
    expect(changesOf(before, after)).toEqual(changes);
  }); // prettier-ignore
});

const condition = {
  if: { properties: { mode: { const: "x" } }, required: ["mode"] },
  then: { required: ["a"] },
};
const modes = { enum: ["x", "y"] };
const flat = (more: JsonObject): JsonObject => object({ mode: text, a: text, b: text }, more);
const map = (more: JsonObject): JsonObject => ({ type: "object", additionalProperties: text, ...more });
const withElse = (other: JsonObject): JsonObject => flat({ ...condition, else: other });

it("a union below `not` that had a branch twice, and so accepted nothing, is not the same as the branch", () => {
  const branch = { enum: ["a", 1] };
  expect(
    changesOf(object({ v: { not: { oneOf: [branch, branch] } } }), object({ v: { not: branch } })),
  ).toEqual(['breaking schema-changed /properties/v/not/oneOf/1 {"v":"a"}']);
});

describe("a rule for the value itself that is written apart from its object", () => {
  it.each<[string, JsonObject, JsonObject, readonly string[]]>([
    ["a property that only a condition mentions", object({}, { if: { not: { dependentRequired: { k: ["q"] } } }, then: {} }),
      object({}, { if: { not: { dependentRequired: { k: ["q"] } } }, then: { properties: { k: text } } }),
      ['breaking constraint-added /then/properties/k {"k":0}']],
    ["an `else` that requires a property", flat(condition), withElse({ required: ["b"] }), ["breaking property-became-required /else/required {}"]],
    ["an `else` for the other value of a required enum", object({ mode: modes, a: text, b: text }, { ...condition, required: ["mode"] }),
      object({ mode: modes, a: text, b: text }, { ...condition, required: ["mode"], else: { required: ["b"] } }),
      ['breaking property-became-required /else/required {"mode":"y"}']],
    ["an `else` that limits a declared property", flat(condition), withElse({ properties: { b: { maxLength: 3 } } }),
      ['breaking constraint-added /else/properties/b {"b":"aaaa"}']],
    ["an `else` with two rules for one property", flat(condition), withElse({ properties: { b: { pattern: "^z" } }, required: ["b"] }),
      ['breaking constraint-added /else/properties/b {"b":""}', "breaking property-became-required /else/required {}"]],
    ["a branch that limits a declared property", flat({ anyOf: [{ required: ["a"] }, { required: ["mode"] }] }),
      flat({ anyOf: [{ required: ["a"], properties: { b: { maxLength: 3 } } }, { required: ["mode"] }] }),
      ['breaking constraint-added /anyOf/0/properties/b {"a":"","b":"aaaa"}']],
    ["a property that only `required` names", object({}, { required: ["c"] }), object({ c: integer }, { required: ["c"] }),
      ['breaking constraint-added /properties/c {"c":""}']],
    ["a property that only a branch declared", object({}, { anyOf: [{ properties: { c: {} } }, { required: ["d"] }] }),
      object({ c: integer }, { anyOf: [{ properties: { c: {} } }, { required: ["d"] }] }), ['breaking constraint-added /properties/c {"c":""}']],
    [
      "an object that becomes branches with tags",
      object({ action: { enum: ["get", "set", "del"] }, v: text }, { required: ["action"] }),
      {
        type: "object",
        anyOf: [
          object({ action: { const: "get" } }, { required: ["action"] }),
          object({ action: { const: "set" }, v: text }, { required: ["action", "v"] }),
        ],
      },
      [
        'breaking enum-value-removed /anyOf/1/properties/action/const {"action":"del"}',
        'breaking property-became-required /anyOf/1/properties/v {"action":"set"}',
        "safe union-branch-added /anyOf/0",
      ],
    ],
    ["an object that becomes branches which require a property each", object({ a: text, b: text }),
      { type: "object", anyOf: ["a", "b"].map((name) => object({ [name]: text }, { required: [name] })) },
      ["breaking property-became-required /anyOf/0/properties/a {}", "safe union-branch-added /anyOf/1"]],
    ["a `then` in which a declared property requires another one", flat({ if: { required: ["mode"] }, then: {} }),
      flat({ if: { required: ["mode"] }, then: { dependentRequired: { a: ["b"] } } }),
      ['breaking constraint-added /then/dependentRequired/a {"mode":"","a":""}']],
    ["a branch in which a declared property requires another one", flat({ anyOf: [{ required: ["mode"] }, { required: ["b"] }] }),
      flat({ anyOf: [{ required: ["mode"], dependentRequired: { a: ["b"] } }, { required: ["b"] }] }),
      ['breaking constraint-added /anyOf/0/dependentRequired/a {"mode":"","a":""}']],
    ["a property that only a rule about its presence names", { type: "object", dependentRequired: { c: ["a"] } },
      { type: "object", dependentRequired: { c: ["a", "b"] } }, ['breaking constraint-added /dependentRequired/c {"c":"","a":""}']],
    ["a schema for a property that only a rule about its presence names", { type: "object", dependentRequired: { c: ["a"] } },
      { type: "object", dependentRequired: { c: ["a"] }, properties: { c: integer } }, ['breaking constraint-added /properties/c {"c":"","a":""}']],
    ["a `then` that rejects what is not an object", object({ v: { properties: { a: text }, if: { required: ["a"] }, then: {} } }),
      object({ v: { properties: { a: text }, if: { required: ["a"] }, then: { type: "object" } } }), ['breaking type-added /properties/v/then/type {"v":""}']],
    ["a `then` that limits a key of a map", map({ if: { required: ["mode"] }, then: {} }),
      map({ if: { required: ["mode"] }, then: { properties: { a: { maxLength: 3 } } } }),
      ['breaking optional-property-added /then/properties/a {"mode":"","a":"aaaa"}']],
    ["a `then` in which a key of a map requires another one", map({ if: { required: ["mode"] }, then: {} }),
      map({ if: { required: ["mode"] }, then: { dependentRequired: { a: ["b"] } } }),
      ['breaking constraint-added /then/dependentRequired/a {"mode":"","a":""}']],
    ["a property of which only a pattern matches the name", { type: "object", patternProperties: { "^a": {} } },
      { type: "object", patternProperties: { "^a": {} }, properties: { a: integer } }, ['breaking optional-property-added /properties/a {"a":""}']],
    ["a property that only `propertyNames` names", { type: "object", propertyNames: { enum: ["a", "b"] } },
      { type: "object", propertyNames: { enum: ["a", "b"] }, properties: { a: integer } }, ['breaking constraint-added /properties/a {"a":""}']],
    ["a dictionary that becomes a model", object({ m: { type: "object", additionalProperties: true } }),
      { ...object({ m: { $ref: "#/$defs/M" } }), $defs: { M: object({ x: integer }, { required: ["x"] }) } },
      ['breaking required-property-added /$defs/M/properties/x {"m":{}}']],
  ])("%s", (_what, before, after, changes) => {
    expect(changesOf(before, after)).toEqual(changes);
  }); // prettier-ignore
});

describe("closing an object that refuses a property which another part of the schema names", () => {
  const closed = { additionalProperties: false };
  it.each<[string, JsonObject, JsonObject, readonly string[]]>([
    [
      "a branch beside properties",
      object({ a: text }, { anyOf: [object({ b: text }), object({ c: text })] }),
      object({ a: text }, { anyOf: [object({ b: text }, closed), object({ c: text }, closed)] }),
      [
        'breaking additional-properties-closed /anyOf/0/additionalProperties {"a":""}',
        'breaking additional-properties-closed /anyOf/1/additionalProperties {"a":""}',
      ],
    ],
    ["a condition beside properties", object({ a: text, b: text }, { if: { required: ["b"] }, then: object({ b: text }) }),
      object({ a: text, b: text }, { if: { required: ["b"] }, then: object({ b: text }, closed) }),
      ['breaking additional-properties-closed /then/additionalProperties {"a":"","b":""}']],
    ["an object with branches", object({ a: text }, { anyOf: [object({ b: text }), object({ c: text })] }),
      object({ a: text }, { anyOf: [object({ b: text }), object({ c: text })], ...closed }),
      ['breaking additional-properties-closed /additionalProperties {"b":""}']],
    ["an object that requires what it does not declare", object({ a: text }, { required: ["b"] }), object({ a: text }, { required: ["b"], ...closed }),
      ['breaking additional-properties-closed /additionalProperties {"b":""}']],
    [
      "a branch that other branches overlap",
      object({ v: { anyOf: [object({ a: text }), object({ b: text })] } }),
      object({ v: { anyOf: [object({ a: text }, closed), object({ b: text }, closed)] } }),
      [
        'breaking additional-properties-closed /properties/v/anyOf/0/additionalProperties {"v":{"b":{}}}',
        'breaking additional-properties-closed /properties/v/anyOf/1/additionalProperties {"v":{"a":{}}}',
      ],
    ],
    [
      "but not a branch with a tag, whose callers pass nothing of the others",
      object({ v: { oneOf: [kind("x", { a: text }), kind("y", { b: text })] } }),
      object({ v: { oneOf: [kind("x", { a: text }, closed), kind("y", { b: text }, closed)] } }),
      [
        "dangerous additional-properties-closed /properties/v/oneOf/0/additionalProperties",
        "dangerous additional-properties-closed /properties/v/oneOf/1/additionalProperties",
      ],
    ],
  ])("%s", (_what, before, after, changes) => {
    expect(changesOf(before, after)).toEqual(changes);
  }); // prettier-ignore
});

describe("a property that only a rule of the object names", () => {
  const c = { properties: { c: { type: "boolean" } } };
  it.each<[string, JsonObject]>([
    ["not", { not: c }],
    ["not, which requires it", { not: { ...c, required: ["c"] } }],
    ["not below not", { not: { not: { properties: { c: text } } } }],
    ["not in an allOf", { allOf: [{ not: c }] }],
    ["not in a definition", { $ref: "#/$defs/rule", $defs: { rule: { not: c } } }],
    ["a condition that refuses it", { if: c, then: false }],
    ["a condition that demands it", { if: { properties: { c: text } }, else: false }],
    ["a branch beside which no other may fit", { oneOf: [{}, { ...c, required: ["c"] }] }],
    ["a branch", { anyOf: [{ properties: { c: text } }, { required: ["a"] }] }],
    ["a list of names", { propertyNames: { enum: ["a", "c"] } }],
  ])("is one that callers pass, whether it gets a schema or the object is closed: %s", (_, rule) => {
    const before = object({ a: {} }, rule);
    expect(changesOf(before, object({ a: {}, c: integer }, rule))).toEqual([
      'breaking constraint-added /properties/c {"c":""}',
    ]);
    expect(changesOf(before, { ...before, additionalProperties: false })[0]).toContain(
      'breaking additional-properties-closed /additionalProperties {"c":""}',
    );
  });
});

const described = { oneOf: [{ description: "X." }, { type: "null" }] };
const beside = (more: JsonObject): JsonObject => object({ v: { ...described, ...more } });
const either = (branch: JsonObject): JsonObject => ({ oneOf: [{ type: "null", description: "N." }, branch] });
const needsA = object({ a: {} }, { required: ["a"] });

describe("a rule beside a union, or in the only branch that values may fit, has its own name", () => {
  it.each<[string, JsonObject, JsonObject, readonly string[]]>([
    ["without effect", beside({}), beside({ not: { type: "null" } }), []],
    ["with an effect", beside({}), beside({ maxLength: 3 }), ['breaking bound-tightened /properties/v/maxLength {"v":"aaaa"}']],
    ["of another type list", beside({}), beside({ type: ["string", "null"] }), ['breaking type-added /properties/v/type {"v":[]}']],
    ["a condition that is removed", either({ ...needsA, if: { properties: { a: { const: 1 } } }, else: { required: ["b"] } }), either(needsA),
      ["safe constraint-removed /oneOf/1/if"]],
    ["a part that is added", either(needsA), either({ ...needsA, allOf: [{ properties: { a: { const: 1 } } }] }),
      ['breaking const-introduced /oneOf/1/allOf/0/properties/a/const {"a":""}']],
    ["a part that is added before the type is written", { allOf: [either(needsA), { type: "object" }] },
      { allOf: [either({ ...needsA, not: { required: ["b"] } }), { type: "object" }] }, ['breaking constraint-added /allOf/0/oneOf/1/not {"a":"","b":""}']],
  ])("%s", (_what, before, after, changes) => {
    expect(changesOf(before, after)).toEqual(changes);
  }); // prettier-ignore
});

describe("a definition that changed", () => {
  const shared = (D: JsonObject): JsonObject => {
    const q = object({ q: { $ref: "#/$defs/D" } });
    const open = { anyOf: [q, { type: "object" }] };
    return { ...object({ x: open, y: { anyOf: [q, { type: "object", required: ["z"] }] } }), $defs: { D } };
  };
  const tree = (...oneOf: readonly JsonObject[]): JsonObject =>
    object({ x: { anyOf: [{ $ref: "#" }, {}] } }, { oneOf });

  it("breaks one union, although another one accepts what it rejects", () => {
    const [before, after] = [shared(text), shared({ ...text, minLength: 3 })];
    expect(changesOf(before, after)).toEqual(['breaking bound-tightened /$defs/D/minLength {"y":{"q":""}}']);
    expect(changesOf(after, before, "outputSchema")).toEqual([
      'breaking bound-loosened /$defs/D/minLength {"y":{"q":""}}',
    ]);
  });

  it("breaks the whole, although a union that refers to the whole accepts what it rejects", () => {
    expect(changesOf(tree({}, { const: 1 }), tree({}, {}))).toEqual(["breaking constraint-added /oneOf {}"]);
  });
});

describe("an output", () => {
  it.each<[string, JsonObject, JsonObject, readonly string[]]>([
    ["in which a property requires another one than before", object({ a: text, b: text, c: text }, { dependentRequired: { a: ["b"] } }),
      object({ a: text, b: text, c: text }, { dependentRequired: { a: ["c"] } }),
      ["safe constraint-added /dependentRequired/a", 'breaking constraint-removed /dependentRequired/a {"a":"","c":""}']],
    ["in which a required key of a map may be anything", map({ required: ["a"] }), map({ required: ["a"], properties: { a: {} } }),
      ['breaking optional-property-added /properties/a {"a":0}']],
    ["in which a required key of a map is declared and optional", map({ required: ["a"] }), map({ properties: { a: text } }),
      ["safe optional-property-added /properties/a", "breaking property-became-optional /required {}"]],
    ["in which a required key that could not be there can be", object({}, { required: ["a"], additionalProperties: false }),
      object({ a: text }, { required: ["a"], additionalProperties: false }), ["dangerous property-added-to-closed /properties/a"]],
  ])("%s", (_what, before, after, changes) => {
    expect(changesOf(before, after, "outputSchema")).toEqual(changes);
  }); // prettier-ignore
});

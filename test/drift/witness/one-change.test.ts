import { describe, expect, it } from "vitest";
import type { JsonObject, JsonValue } from "../../../src/core/json.js";
import { diffTools } from "../../../src/drift/diff-tools.js";
import { copyPart, type ChangedPart } from "../../../src/drift/witness/undo-change.js";
import { compilePair } from "./check-witness.js";

const object = (properties: JsonObject, more: JsonObject = {}): JsonObject => ({
  type: "object",
  properties,
  ...more,
});
const text = { type: "string" };
const tagged = (kind: string): JsonObject => object({ kind: { const: kind } }, { required: ["kind"] });

/** The witness of each change, by rule and path in the input schema. */
function witnessesOf(
  before: JsonObject,
  after: JsonObject,
): { readonly [change: string]: JsonValue | undefined } {
  const changes = diffTools([{ name: "t", inputSchema: before }], [{ name: "t", inputSchema: after }]);
  return Object.fromEntries(
    changes.map(({ rule, path, witness }) => [
      `${rule.replace("input-", "")} ${path.replace("/inputSchema", "")}`,
      witness,
    ]),
  );
}

describe("a witness between schemas that differ in several ways", () => {
  const lookahead = (pattern: string, closed: JsonObject): JsonObject =>
    object({ x: { ...text, pattern }, y: object({ z: text }, closed) });
  const [whole, most] = [{ type: "integer" }, { type: "integer", maximum: 5 }];
  const names = object({ a: text, b: text, c: text, d: text });
  it.each<[string, JsonObject, JsonObject, { readonly [change: string]: JsonValue | undefined }]>([
    ["contains what other changes require", object({ x: text }), object({ x: text, y: text }, { required: ["x", "y"] }),
      { "property-became-required /properties/x": { y: "" }, "required-property-added /properties/y": { x: "" } }],
    ["has the first value of a list, and no shorter one", object({ x: { enum: ["abc", "ab"] } }), object({ x: { enum: ["abc", "ab"], not: { minLength: 2 } } }),
      { "constraint-added /properties/x/not": { x: "abc" } }],
    ["has the first value of branches, and no shorter one", object({ x: { anyOf: [{ const: "abc" }, { const: "ab" }] } }),
      object({ x: { anyOf: [{ const: "abc" }, { const: "ab" }], not: { minLength: 2 } } }), { "constraint-added /properties/x/not": { x: "abc" } }],
    ["does not show that another change closed the object", object({ x: text, y: text }),
      object({ x: text, y: { ...text, maxLength: 2 } }, { additionalProperties: false }),
      { "additional-properties-closed /additionalProperties": undefined, "bound-tightened /properties/y/maxLength": { y: "aaa" } }],
    ["does not show that a dangerous change closed another object", lookahead("^(?=a)a+$", {}), lookahead("^(?=a+)a+$", { additionalProperties: false }),
      { "pattern-changed /properties/x/pattern": undefined, "additional-properties-closed /properties/y/additionalProperties": undefined }],
    ["does not exist if only another change rejects values", object({ x: text, y: text }), object({ y: text }, { required: ["y"] }),
      { "property-removed /properties/x": undefined, "property-became-required /properties/y": {} }],
    ["is rejected by the change alone if another change rejects every value", object({ x: text, n: whole }, { required: ["x"] }),
      object({ x: { type: "boolean" }, n: most }, { required: ["x"] }),
      { "type-changed /properties/x/type": { x: "" }, "bound-tightened /properties/n/maximum": { x: "", n: 6 } }],
    ["is one for each name of a rule about the presence of properties", names, { ...names, dependentRequired: { a: ["b"], c: ["d"] } },
      { "constraint-added /dependentRequired/a": { a: "" }, "constraint-added /dependentRequired/c": { c: "" } }],
  ])("%s", (_what, before, after, witnesses) => {
    expect(witnessesOf(before, after)).toEqual(witnesses);
  }); // prettier-ignore

  it.each<[example: JsonValue, not: JsonObject, witness: JsonValue]>([
    ["say \u{1f600} world!", { pattern: "world" }, "world"],
    ["a\u{1f600}b\u{1f600}", { pattern: "b\u{1f600}" }, "b\u{1f600}"],
    [[1, 2, 3], { allOf: [{ contains: { const: 1 } }, { contains: { const: 3 } }] }, [1, 3]],
    [{ a: 1, b: 2, c: 3 }, { required: ["a", "c"] }, { a: 1, c: 3 }],
  ])("is the part of %j that %j rejects", (example, not, witness) => {
    const x = { examples: [example] };
    expect(witnessesOf(object({ x }), object({ x: { ...x, not } }))).toEqual({
      "constraint-added /properties/x/not": { x: witness },
    });
  });

  it.each<[string, JsonObject, JsonObject]>([
    ["the same object", object({ x: { ...text, pattern: "^(?=a)a+$" } }), { additionalProperties: false }],
    ["the same object in another way", object({ x: { ...text, pattern: "^(?=a)a+$" } }), { unevaluatedProperties: false }],
  ])("does not show that a dangerous change closed %s", (_what, before, closed) => {
    const after = object({ x: { ...text, pattern: "^(?=a+)a+$" } }, closed);
    expect(witnessesOf(before, after)["pattern-changed /properties/x/pattern"]).toBeUndefined();
  }); // prettier-ignore

  it("does not show that an answer may have a property that a closed object got", () => {
    const of = (pattern: string, added: JsonObject): JsonObject =>
      object({ x: { ...text, pattern }, y: object(added, { additionalProperties: false }) });
    const [before, after] = [of("^(?=a)a+$", {}), of("^(?=a+)a+$", { z: text })];
    const changes = diffTools([{ name: "t", outputSchema: before }], [{ name: "t", outputSchema: after }]);
    expect(changes.map(({ rule, class: judged, witness }) => [rule, judged, witness])).toEqual([
      ["output-pattern-changed", "unknown", undefined],
      ["output-property-added-to-closed", "dangerous", undefined],
    ]);
  });

  it("shows a removed branch of a union that has another branch at its index", () => {
    const of = (anyOf: readonly JsonObject[], x: JsonObject): JsonObject =>
      object({ n: { anyOf }, x }, { required: ["x"] });
    const before = of([tagged("a"), tagged("b")], { type: "integer" });
    const after = of([tagged("b"), { type: "array" }], text);
    expect(witnessesOf(before, after)["union-branch-removed /properties/n/anyOf/0"]).toEqual({
      x: 0,
      n: { kind: "a" },
    });
  });

  it("shows a bound in a branch of a union, beside another change around it", () => {
    const sized = (bounds: JsonObject): JsonObject =>
      object({ kind: { const: "sized" }, n: { type: "integer", ...bounds } }, { required: ["kind", "n"] });
    const listed = (bounds: JsonObject, least: JsonObject): JsonObject => {
      const parts = { type: "array", items: { oneOf: [tagged("plain"), sized(bounds)] }, ...least };
      return object({ kind: { const: "list" }, parts }, { required: ["kind", "parts"] });
    };
    const of = (bounds: JsonObject, least: JsonObject): JsonObject =>
      object({ whole: { oneOf: [tagged("one"), listed(bounds, least)] } });
    const at = "/properties/whole/oneOf/1/properties/parts";
    expect(witnessesOf(of({}, {}), of({ minimum: 1 }, { minItems: 1 }))).toEqual({
      [`bound-tightened ${at}/minItems`]: { whole: { kind: "list", parts: [] } },
      [`bound-tightened ${at}/items/oneOf/1/properties/n/minimum`]: {
        whole: { kind: "list", parts: [{ kind: "sized", n: 0 }] },
      },
    });
  });

  it("is rejected at the first place that a branch of a new union rejects", () => {
    const before = object({ a: text });
    const after = { ...before, oneOf: [{ required: ["b"] }, { required: ["c"] }] };
    const [change] = diffTools([{ name: "t", inputSchema: before }], [{ name: "t", inputSchema: after }]);
    expect([change?.witness, change?.witnessAt]).toEqual([{}, "/b"]);
  });

  it.each<[string, JsonObject, JsonObject]>([
    ["two values of an enum", object({ x: { enum: ["a", "b", "c"] } }), object({ x: { enum: ["c"] } })],
    ["two branches of a union", object({ x: { anyOf: ["a", "b", "c", "d"].map(tagged) } }), object({ x: { anyOf: ["c", "d"].map(tagged) } })],
    ["two properties of a closed object", object({ x: text, y: text, z: text }, { additionalProperties: false }),
      object({ z: text }, { additionalProperties: false })],
    ["two limits of a definition", { ...object({ a: { $ref: "#/$defs/A" } }), $defs: { A: text } },
      { ...object({ a: { $ref: "#/$defs/A" } }), $defs: { A: { ...text, minLength: 2, maxLength: 4 } } }],
    ["a renamed property and a limit", object({ userName: text, n: { type: "integer" } }, { required: ["userName"] }),
      object({ user_name: text, n: { type: "integer", minimum: 1 } }, { required: ["user_name"] })],
  ])("is accepted once that change is undone: %s", (_what, before, after) => {
    const changes = diffTools([{ name: "t", inputSchema: before }], [{ name: "t", inputSchema: after }]);
    const shown = changes.filter(({ witness }) => witness !== undefined);
    expect(shown.length).toBeGreaterThan(1);
    for (const { rule, path, before: was, after: is, witness = null } of shown) {
      const undone = copyPart(before, after, {
        rule: rule.replace("input-", "") as NonNullable<ChangedPart["rule"]>,
        at: path.replace("/inputSchema", ""),
        ...(rule.includes("enum-value") && was !== undefined && { value: was }),
        ...(rule.endsWith("renamed") && { names: [was, is].filter((name) => typeof name === "string") }),
      });
      expect(compilePair(before, after)(witness), `${rule} ${JSON.stringify(witness)}`).toBe(true);
      expect(compilePair(undone ?? false, false)(witness), `${rule} ${JSON.stringify(witness)}`).toBe(true);
    }
  }); // prettier-ignore
});

describe("a rule about the presence of a property", () => {
  const classesOf = (before: JsonObject, after: JsonObject): readonly (readonly string[])[] =>
    diffTools([{ name: "t", inputSchema: before }], [{ name: "t", inputSchema: after }]).map(
      ({ rule, class: judged }) => [rule, judged],
    );

  it("is safe if callers cannot have passed the property", () => {
    const after = object({ a: text, n: text }, { dependentRequired: { n: ["a"] } });
    expect(classesOf(object({ a: text }), after)).toEqual([
      ["input-optional-property-added", "safe"],
      ["input-constraint-added", "safe"],
    ]);
  });

  it("is safe if the old schema already has it, although another change breaks callers", () => {
    const before = object({ a: text, b: text, n: text }, { required: ["b"] });
    const after = { ...before, required: ["b", "n"], dependentRequired: { a: ["b"] } };
    expect(classesOf(before, after)).toEqual([
      ["input-property-became-required", "breaking"],
      ["input-constraint-added", "safe"],
    ]);
  });
});

describe("a witness with a required value that another change rejects", () => {
  it("has a value that the change accepts", () => {
    const before = object({ action: text, group: text }, { required: ["action"] });
    const after = object(
      { action: { ...text, enum: ["list", "get"] }, group: text },
      { required: ["action", "group"] },
    );
    expect(witnessesOf(before, after)["property-became-required /properties/group"]).toEqual({
      action: "list",
    });
  });
});

describe("copyPart", () => {
  it.each<[string, ChangedPart, JsonObject, JsonObject, JsonObject | undefined]>([
    ["a property and whether it is required", { rule: "property-removed", at: "/properties/x" }, object({ x: text, y: text }, { required: ["x"] }),
      object({ y: {} }, { required: ["y"] }), object({ y: {}, x: text }, { required: ["y", "x"] })],
    ["only whether a property is required", { rule: "property-became-required", at: "/properties/x" }, object({ x: text }),
      object({ x: {} }, { required: ["x"] }), object({ x: {} })],
    ["bounds, exclusive or not", { rule: "bound-tightened", at: "/properties/x/exclusiveMinimum" }, object({ x: { minimum: 1, maximum: 5 } }),
      object({ x: { exclusiveMinimum: 1, maximum: 4 } }), object({ x: { maximum: 4, minimum: 1 } })],
    ["the innermost schema that both have", { rule: "type-narrowed", at: "/properties/x/anyOf/0/type" }, object({ x: text, y: text }),
      object({ x: { anyOf: [{ type: "null" }] }, y: {} }), object({ x: text, y: {} })],
    ["a property named like a keyword", { rule: "pattern-added", at: "/properties/properties/pattern" }, object({ properties: text }),
      object({ properties: { ...text, pattern: "a" } }), object({ properties: text })],
    ["nothing less than the whole", { rule: "schema-changed", at: "/items/x-unit" }, { type: "array" }, {}, undefined],
  ])("copies %s", (_what, part, from, to, copied) => {
    expect(copyPart(from, to, part)).toEqual(copied);
  }); // prettier-ignore

  it("renames a definition that has another meaning, and those that refer to it", () => {
    const of = (definition: JsonObject, b: JsonObject): JsonObject => ({
      ...object({ a: { $ref: "#/$defs/A~1%25" }, b }),
      $defs: { "A/%": definition, B: object({ a: { $ref: "#/$defs/A~1%25" } }), C: text },
    });
    const part: ChangedPart = { rule: "type-changed", at: "/properties/b" };
    const refs = (from: string): JsonObject => object({ b: { $ref: from }, c: { $ref: "#/$defs/C" } });
    const short = { ...text, maxLength: 2 };
    const to = of(text, text);
    const same = of(text, refs("#/$defs/B/properties/a"));
    expect(copyPart(same, to, part, [part.at])).toEqual(same);
    const copied = of(text, refs("#/$defs/B before or after the change/properties/a"));
    expect(copyPart(of(short, refs("#/$defs/B/properties/a")), to, part, [part.at])).toEqual({
      ...copied,
      $defs: {
        ...(copied["$defs"] as JsonObject),
        "A/% before or after the change": short,
        "B before or after the change": object({ a: { $ref: "#/$defs/A~1%25 before or after the change" } }),
      },
    });
  });
});

const schemaOf = (text: JsonObject): JsonObject => ({
  type: "object",
  properties: { u: { type: "string", ...text } },
});

describe("a rule for texts that is added beside others", () => {
  it.each<[JsonObject, JsonObject]>([
    [{ minLength: 1 }, { minLength: 1, pattern: "^[^~]+$" }],
    [{ minLength: 2 }, { minLength: 2, pattern: "^\\S(.*\\S)?$" }],
    [{ maxLength: 5 }, { maxLength: 5, pattern: "\\bfoo\\b" }],
    [{ minLength: 1 }, { minLength: 1, not: { pattern: "~" } }],
    [{}, { pattern: "^(?!.*\\.\\.)" }],
    [{ minLength: 3, maxLength: 9 }, { minLength: 3, maxLength: 9, pattern: "^(?!.*--)[a-z-]+$" }],
    [{ pattern: "^[a-z]+(-[a-z]+)*$" }, { pattern: "^[a-z]+(-[a-z]+)*$", maxLength: 3 }],
    [{ pattern: "^a+$" }, { pattern: "^a+$", minLength: 4 }],
    [{ pattern: "^(?=.*\\d)[a-z0-9]{8,}$" }, { pattern: "^(?=.*\\d)(?=.*[x-z])[a-z0-9]{8,}$" }],
    [{ pattern: "^(?!-)[a-z-]+$" }, { pattern: "^(?!-)(?!.*-$)[a-z-]+$" }],
    [{ pattern: "^(?!xn--)[a-z]+$" }, { pattern: "^(?!a)[a-z]+$" }],
    [{ pattern: "^.{3,}$" }, { pattern: "^(?![^]*evil).{3,}$" }],
    [{ pattern: "^[^/]+$" }, { pattern: "^[^/]+(?<!\\.)$" }],
    [{ pattern: "foo|bar", minLength: 5 }, { pattern: "foo", minLength: 5 }],
  ])("has a counterexample: %j to %j", (wide, narrow) => {
    const [before, after] = [schemaOf(wide), schemaOf(narrow)];
    const changes = diffTools([{ name: "t", inputSchema: before }], [{ name: "t", inputSchema: after }]);
    expect(changes.map((change) => change.class)).toEqual(["breaking"]);
    expect(compilePair(before, after)(changes[0]?.witness ?? null)).toBe(true);
  }); // prettier-ignore
});

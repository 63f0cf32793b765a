import { describe, expect, it } from "vitest";
import type { JsonObject, JsonValue } from "../../../src/core/json.js";
import type { ToolSnapshot } from "../../../src/core/snapshot.js";
import { diffTools, type DiffToolsOptions } from "../../../src/drift/diff-tools.js";

const toolOf = (key: "inputSchema" | "outputSchema", schema: JsonValue): ToolSnapshot => ({
  name: "t",
  ...(key === "outputSchema" && { inputSchema: {} }),
  [key]: schema,
});

function found(
  key: "inputSchema" | "outputSchema",
  [before, after]: readonly [JsonObject, JsonObject],
  options: DiffToolsOptions,
): readonly string[] {
  return diffTools([toolOf(key, before)], [toolOf(key, after)], options).map(
    ({ rule, class: kind, witness }) =>
      `${rule} ${kind} ${witness === undefined ? "-" : JSON.stringify(witness)}`,
  );
}

const text = (more: JsonObject = {}): JsonObject => ({
  type: "object",
  properties: { at: { type: "string", ...more } },
  required: ["at"],
});
const [none, date, email] = [text(), text({ format: "date" }), text({ format: "email" })];

describe("a server that asserts formats", () => {
  const asserting: DiffToolsOptions = { formats: "assert" };

  it("breaks its callers with a new format, with a witness", () => {
    expect(found("inputSchema", [none, date], asserting)).toEqual(['input-format-added breaking {"at":""}']);
    expect(found("inputSchema", [none, date], {})).toEqual(["input-format-added dangerous -"]);
    expect(found("inputSchema", [date, none], asserting)).toEqual(["input-format-removed safe -"]);
    expect(found("outputSchema", [date, none], asserting)).toEqual([
      'output-format-removed breaking {"at":""}',
    ]);
    expect(found("outputSchema", [none, date], asserting)).toEqual(["output-format-added safe -"]);
  });

  it("breaks its callers with a changed format if a witness is found", () => {
    expect(found("inputSchema", [date, email], asserting)).toEqual([
      'input-format-changed breaking {"at":"2026-01-01"}',
    ]);
    const [uri, iri] = [text({ format: "uri" }), text({ format: "iri" })];
    expect(found("inputSchema", [uri, iri], asserting)).toEqual(["input-format-changed unknown -"]);
  });

  it.each<[string, (v: JsonObject) => JsonObject, readonly string[], readonly string[]]>([
    ["under `not`", (v) => ({ not: v }), ["input-schema-changed safe -"], ['input-schema-changed breaking {"v":""}']],
    ["in a condition", (v) => ({ if: v, then: { minLength: 5 } }), ["input-schema-changed safe -"], ['input-schema-changed breaking {"v":""}']],
    ["in an exclusive branch", (v) => ({ oneOf: [v, { maxLength: 2 }] }), ['input-schema-changed breaking {"v":"aaa"}'],
      ['input-schema-changed breaking {"v":""}']],
    ["in what a list has at most once", (v) => ({ contains: v, maxContains: 1 }), ['input-schema-changed breaking {"v":[""]}'],
      ['input-schema-changed breaking {"v":["","2026-01-01"]}']],
    ["beside enumerated values", (v) => ({ ...v, enum: ["a", "2026-01-01"] }), ['input-enum-value-removed breaking {"v":"a"}', "input-format-added safe -"],
      ["input-enum-value-added safe -", "input-format-removed safe -"]],
    ["beside enumerated values under `not`", (v) => ({ not: { ...v, enum: ["a"] } }), ["input-schema-changed safe -", "input-format-added safe -"],
      ['input-schema-changed breaking {"v":"a"}', "input-format-removed safe -"]],
  ])("breaks its callers where it rejects more: %s", (_where, write, whenAdded, whenRemoved) => {
    const of = (format: JsonObject): JsonObject => ({
      type: "object",
      properties: { v: write({ type: "string", ...format }) },
    });
    const pair = [of({}), of({ format: "date" })] as const;
    const changes = [pair, [pair[1], pair[0]] as const].map((each) => found("inputSchema", each, asserting));
    expect(changes).toEqual([whenAdded, whenRemoved]);
  }); // prettier-ignore

  it("treats an unknown format as an annotation", () => {
    const [one, other] = [text({ format: "colour" }), text({ format: "color" })];
    expect(found("inputSchema", [one, other], asserting)).toEqual(["input-format-changed dangerous -"]);
    expect(found("inputSchema", [none, one], asserting)).toEqual(["input-format-added dangerous -"]);
    expect(found("inputSchema", [one, none], asserting)).toEqual(["input-format-removed safe -"]);
  });

  it("finds witnesses of schemas with other asserted formats", () => {
    const other = (more: JsonObject): JsonObject => ({
      type: "object",
      properties: { id: { type: "string", format: "uuid" }, n: { type: "integer", ...more } },
      required: ["id", "n"],
    });
    expect(found("inputSchema", [other({}), other({ maximum: 5 })], asserting)).toEqual([
      'input-bound-tightened breaking {"id":"00000000-0000-0000-0000-000000000000","n":6}',
    ]);
  });

  it("is not proved safe by a proof that ignores formats", () => {
    const union = (...formats: readonly string[]): JsonObject => ({
      type: "object",
      properties: {
        x: { anyOf: [...formats.map((format) => ({ type: "string", format })), { type: "null" }] },
      },
    });
    const changes = found("inputSchema", [union("date", "email"), union("date")], asserting);
    expect(changes).toContainEqual(expect.stringMatching(/^input-union-branch-removed breaking \{"x":"a@/));
  });
});

it("reads schemas without $schema in the dialect of the configuration", () => {
  const before: JsonObject = { type: "object", properties: { n: { type: "integer", maximum: 5 } } };
  const after: JsonObject = {
    type: "object",
    properties: { n: { type: "integer", maximum: 5, exclusiveMaximum: true } },
  };
  expect(found("inputSchema", [before, after], { dialect: "draft-04" })).toEqual([
    'input-bound-tightened breaking {"n":5}',
  ]);
  expect(found("inputSchema", [before, after], {})).toEqual([
    expect.stringMatching(/^input-keyword-changed unknown/),
  ]);
});

it.each([
  ["draft-04", { const: "a" }, ["input-keyword-changed unknown -"]],
  ["wordpress", { if: { minLength: 1 } }, ["input-keyword-changed unknown -"]],
  ["draft-06", { const: "a" }, ['input-const-introduced breaking {"at":""}']],
] as const)("reports a keyword of a later dialect than %s: %j", (dialect, more, changes) => {
  expect(found("inputSchema", [none, text(more)], { dialect })).toEqual(changes);
});

it.each<[rules: JsonObject, left: readonly JsonValue[]]>([
  [{ type: ["string", "integer"] }, ["a", 1]],
  [{ type: "integer" }, [1]],
  [{ allOf: [{ type: ["string", "integer"] }, { type: ["integer", "null"] }] }, [1]],
  [{ minimum: 2 }, ["a", null]],
])("reads of an enumeration the values that %j accepts", (rules, left) => {
  const of = (at: JsonObject): JsonObject => ({ type: "object", properties: { at } });
  const pair = [of({ ...rules, enum: ["a", 1, null] }), of({ enum: [...left, 7] })] as const;
  expect(found("inputSchema", pair, {})).toEqual(["input-enum-value-added safe -"]);
});

/** Properties added to closed outputs: the class of the change matches the behavior of the runtime. */
import { describe, expect, test } from "vitest";
import { bumpContract } from "../../../src/core/contract-version.js";
import type { JsonObject, JsonValue } from "../../../src/core/json.js";
import { diffTools, type DiffToolsOptions } from "../../../src/drift/diff-tools.js";
import { explain } from "../../../src/drift/rules.js";
import { validateOutput } from "../../../src/runtime/validate-call.js";
import { readLiveSchema } from "../../../src/schema/interpret/live-schema.js";

const text: JsonObject = { type: "string" };
const closed = (...required: readonly string[]): JsonObject => ({
  type: "object",
  properties: Object.fromEntries(["a", ...required].map((name) => [name, text])),
  required: ["a"],
  additionalProperties: false,
});

/** The places of the closed object, each with an answer that contains it. */
const PLACES: {
  readonly [name: string]: readonly [(schema: JsonObject) => JsonObject, (value: JsonValue) => JsonValue];
} = {
  "the root": [(schema) => schema, (value) => value],
  "the root, closed by unevaluatedProperties": [
    ({ additionalProperties = true, ...schema }) => ({ ...schema, unevaluatedProperties: additionalProperties }),
    (value) => value,
  ],
  "a property": [(schema) => ({ type: "object", properties: { p: schema } }), (p) => ({ p })],
  "a closed parent": [(schema) => ({ type: "object", properties: { p: schema }, additionalProperties: false }), (p) => ({ p })],
  "items of a list": [(items) => ({ type: "object", properties: { list: { type: "array", items } } }), (value) => ({ list: [value] })],
  "a definition": [(schema) => ({ type: "object", properties: { p: { $ref: "#/$defs/P" } }, $defs: { P: schema } }), (p) => ({ p })],
  "a branch of a union": [(schema) => ({ type: "object", properties: { p: { anyOf: [schema, { type: "null" }, text] } } }), (p) => ({ p })],
  "values of a map": [(additionalProperties) => ({ type: "object", additionalProperties }), (value) => ({ key: value })],
}; // prettier-ignore

const ADDED: { readonly [name: string]: JsonObject } = {
  optional: { ...closed("b"), required: ["a"] },
  required: { ...closed("b"), required: ["a", "b"] },
};

function diff(before: JsonObject, after: JsonObject, options?: DiffToolsOptions) {
  return diffTools([{ name: "t", outputSchema: before }], [{ name: "t", outputSchema: after }], options);
}

describe.each(Object.entries(PLACES))("in %s", (_place, [wrap, hold]) => {
  test.each(Object.entries(ADDED))(
    "a new property that is %s is one dangerous change and a minor version, and breaks clients with strict validation",
    (_kind, after) => {
      for (const [validateOutput, kind, version] of [
        ["tolerant", "dangerous", "1.3.0"],
        ["strict", "breaking", "2.0.0"],
      ] as const) {
        const changes = diff(wrap(closed()), wrap(after), { validateOutput });
        expect(changes).toMatchObject([{ rule: "output-property-added-to-closed", class: kind }]);
        expect(changes[0]?.witness !== undefined).toBe(kind === "breaking");
        expect(bumpContract("1.2.3", changes)).toBe(version);
      }
    },
  );

  test("the runtime accepts the new answers under the old schema unless it is strict", async () => {
    const schema = readLiveSchema(wrap(closed()), undefined);
    const answer = hold({ a: "", b: "" });
    const read = (mode: "tolerant" | "strict") => validateOutput(schema, answer, mode, () => undefined);
    expect(await read("tolerant")).toEqual([]);
    expect(await read("strict")).not.toEqual([]);
  });
});

test.each<[string, JsonObject, JsonObject, string]>([
  ["a closed object that becomes open", closed(), { ...closed(), additionalProperties: true }, "output-additional-properties-opened dangerous"],
  ["an open object", { type: "object" }, { ...closed(), additionalProperties: true }, "output-required-property-added safe"],
  ["a new string property of an object whose undeclared properties are strings", { type: "object", properties: {}, additionalProperties: text },
    { type: "object", properties: { b: text }, required: ["b"], additionalProperties: text }, "output-required-property-added safe"],
  ["a new number property of an object whose undeclared properties are strings", { type: "object", properties: {}, additionalProperties: text },
    { type: "object", properties: { b: { type: "number" } }, required: ["b"], additionalProperties: text }, "output-required-property-added breaking"],
])("%s", (_name, before, after, expected) => {
  expect(diff(before, after).map(({ rule, class: judged }) => `${rule} ${judged}`)).toEqual([expected]);
}); // prettier-ignore

test("an opened output breaks clients with strict validation", () => {
  const changes = diff(closed(), { ...closed(), additionalProperties: true }, { validateOutput: "strict" });
  expect(changes).toMatchObject([{ rule: "output-additional-properties-opened", class: "breaking" }]);
});

test("the explanation names the setting that decides the class", () => {
  const [change] = diff(closed(), closed("b"));
  expect(change && explain(change)).toBe(
    'A property was added to a closed object of the output: generated clients keep and report it by default; clients with `validateOutput: "strict"` and other strict validators reject the answer.',
  );
});

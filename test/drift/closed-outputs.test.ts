/** Properties that closed outputs get: what drift says about them is what the runtime does with them. */
import { describe, expect, test } from "vitest";
import { bumpContract } from "../../src/contract/contract-version.js";
import type { JsonObject, JsonValue } from "../../src/contract/json.js";
import { diffTools, type DiffToolsOptions } from "../../src/drift/diff-tools.js";
import { explain } from "../../src/drift/explain.js";
import { validateOutput } from "../../src/runtime/validate-output.js";
import { readLiveSchema } from "../../src/agent/registry/live-schema.js";

const text: JsonObject = { type: "string" };
const closed = (...required: readonly string[]): JsonObject => ({
  type: "object",
  properties: Object.fromEntries(["a", ...required].map((name) => [name, text])),
  required: ["a"],
  additionalProperties: false,
});

/** Where the closed object is, with an answer that holds it. */
const PLACES: {
  readonly [name: string]: readonly [(schema: JsonObject) => JsonObject, (value: JsonValue) => JsonValue];
} = {
  "the root": [(schema) => schema, (value) => value],
  "the root, closed by unevaluatedProperties": [
    ({ additionalProperties = true, ...schema }) => ({
      ...schema,
      unevaluatedProperties: additionalProperties,
    }),
    (value) => value,
  ],
  "a property": [(schema) => ({ type: "object", properties: { p: schema } }), (p) => ({ p })],
  "a closed parent": [
    (schema) => ({ type: "object", properties: { p: schema }, additionalProperties: false }),
    (p) => ({ p }),
  ],
  "items of a list": [
    (items) => ({ type: "object", properties: { list: { type: "array", items } } }),
    (value) => ({ list: [value] }),
  ],
  "a definition": [
    (schema) => ({ type: "object", properties: { p: { $ref: "#/$defs/P" } }, $defs: { P: schema } }),
    (p) => ({ p }),
  ],
  "a branch of a union": [
    (schema) => ({ type: "object", properties: { p: { anyOf: [schema, { type: "null" }, text] } } }),
    (p) => ({ p }),
  ],
  "values of a map": [
    (additionalProperties) => ({ type: "object", additionalProperties }),
    (value) => ({ key: value }),
  ],
};

const ADDED: { readonly [name: string]: JsonObject } = {
  optional: { ...closed("b"), required: ["a"] },
  required: { ...closed("b"), required: ["a", "b"] },
};

function diff(before: JsonObject, after: JsonObject, options?: DiffToolsOptions) {
  return diffTools([{ name: "t", outputSchema: before }], [{ name: "t", outputSchema: after }], options);
}

describe.each(Object.entries(PLACES))("in %s", (_place, [wrap, hold]) => {
  test.each(Object.entries(ADDED))(
    "a property that is %s is one rule, dangerous, and a minor version",
    (_kind, after) => {
      const changes = diff(wrap(closed()), wrap(after));
      expect(changes).toMatchObject([{ rule: "output-property-added-to-closed", class: "dangerous" }]);
      expect(bumpContract("1.2.3", changes)).toBe("1.3.0");
    },
  );

  test.each(Object.entries(ADDED))(
    "a property that is %s breaks a server that is read strictly",
    (_kind, after) => {
      const changes = diff(wrap(closed()), wrap(after), { validateOutput: "strict" });
      expect(changes).toMatchObject([{ rule: "output-property-added-to-closed", class: "breaking" }]);
      expect(changes[0]).toHaveProperty("witness");
      expect(bumpContract("1.2.3", changes)).toBe("2.0.0");
    },
  );

  test("the runtime reads the new answers by the old schema as drift says", async () => {
    const schema = readLiveSchema(wrap(closed()), undefined);
    const answer = hold({ a: "", b: "" });
    const read = (mode: "tolerant" | "strict") => validateOutput(schema, answer, mode, () => undefined);
    expect(await read("tolerant")).toEqual([]);
    expect(await read("strict")).not.toEqual([]);
  });
});

test.each<[string, JsonObject, JsonObject, string]>([
  [
    "an object that is open again",
    closed(),
    { ...closed(), additionalProperties: true },
    "output-additional-properties-opened dangerous",
  ],
  [
    "an open object",
    { type: "object" },
    { ...closed(), additionalProperties: true },
    "output-required-property-added safe",
  ],
  [
    "an object whose further properties are texts, and so is the new one",
    { type: "object", properties: {}, additionalProperties: text },
    { type: "object", properties: { b: text }, required: ["b"], additionalProperties: text },
    "output-required-property-added safe",
  ],
  [
    "an object whose further properties are texts, and the new one is a number",
    { type: "object", properties: {}, additionalProperties: text },
    { type: "object", properties: { b: { type: "number" } }, required: ["b"], additionalProperties: text },
    "output-required-property-added breaking",
  ],
])("%s", (_name, before, after, said) => {
  expect(diff(before, after).map(({ rule, class: judged }) => `${rule} ${judged}`)).toEqual([said]);
});

test("an opened output is breaking for a server that is read strictly", () => {
  const changes = diff(closed(), { ...closed(), additionalProperties: true }, { validateOutput: "strict" });
  expect(changes).toMatchObject([{ rule: "output-additional-properties-opened", class: "breaking" }]);
});

test("the explanation names what the class depends on", () => {
  const [change] = diff(closed(), closed("b"));
  expect(change && explain(change)).toBe(
    'A property was added to a closed object of the output: generated clients keep and report it by default; clients with `validateOutput: "strict"` and other strict validators reject the answer.',
  );
});
